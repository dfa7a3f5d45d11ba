"""Ann, the baker: an apposition means what it stands beside, where the language's corpora say so."""

from __future__ import annotations

from ..engine import State


def run(state: State) -> None:
    words = state.words
    if not words.language.appositions:
        return
    for candidate in state.candidates:
        if words.bases[candidate.head] == "appos" and not candidate.whole:
            parent = state.by_head.get(words.parents[candidate.head])
            if parent is not None and not parent.is_pronoun and parent.number & candidate.number:
                state.link(candidate, parent)
