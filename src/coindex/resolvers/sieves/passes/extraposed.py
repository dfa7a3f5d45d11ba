"""Link an expletive pronoun to the clause it anticipates (it is good to see you)."""

from __future__ import annotations

from ..candidates import NONE
from ..engine import State


def run(state: State) -> None:
    words = state.words
    for candidate in state.candidates:
        if words.bases[candidate.head] == "expl" and candidate.kind == "pronoun":
            parent = words.parents[candidate.head]
            clause = state.by_head.get(words.child(parent, "csubj")) if parent != NONE else None
            if clause is not None:
                state.link(clause, candidate)
