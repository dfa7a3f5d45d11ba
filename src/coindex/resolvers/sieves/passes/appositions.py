"""Link appositions (Ann, the baker) to the noun beside them, if the corpora of the language do so.

A number beside a name is an age (Ann, 58, left) and is not linked, except after a name of a time (May, 1968).
"""

from __future__ import annotations

from ..candidates import Candidate
from ..engine import State


def run(state: State) -> None:
    words = state.words
    if not words.language.appositions:
        return
    for candidate in state.candidates:
        if words.bases[candidate.head] == "appos" and not candidate.whole:
            parent = state.by_head.get(words.parents[candidate.head])
            if parent is None or parent.is_pronoun or _is_age(state, candidate, parent):
                continue
            if parent.number & candidate.number:
                state.link(candidate, parent)


def _is_age(state: State, candidate: Candidate, parent: Candidate) -> bool:
    words = state.words
    return words.upos[candidate.head] == "NUM" and parent.kind == "name" and parent.lemma not in words.language.times
