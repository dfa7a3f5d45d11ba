"""Link phrases with the same words up to the head (the old clock in the hall … the old clock).

This applies only to definite phrases and names. The later phrase must not have new words after its head (the old clock
in the kitchen).
"""

from __future__ import annotations

from ..candidates import Candidate
from ..engine import State

FAR = 10
"""Sentences back."""
KNOWN = frozenset({"def", "dem"})


def run(state: State) -> None:
    last: dict[str, Candidate] = {}
    for candidate in state.candidates:
        if candidate.kind not in ("noun", "name") or candidate.whole or candidate.optional:
            continue
        text = _up_to_head(state, candidate)
        before = last.get(text)
        if before is not None and _may_repeat(candidate, before):
            state.link(candidate, before)
        last[text] = candidate


def _up_to_head(state: State, candidate: Candidate) -> str:
    words = state.words
    return " ".join(words.lower[at] for at in range(candidate.start, candidate.head + 1) if words.upos[at] != "DET")


def _may_repeat(candidate: Candidate, before: Candidate) -> bool:
    if candidate.by or candidate.sentence - before.sentence > FAR or not candidate.number & before.number:
        return False
    if candidate.kind == "noun" and candidate.definite not in KNOWN:
        return False
    return candidate.modifiers <= before.modifiers
