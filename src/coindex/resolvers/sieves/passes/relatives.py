"""Link relative pronouns to the noun that their clause modifies (the baker who left), or to the preceding noun."""

from __future__ import annotations

from ..candidates import NONE, Candidate
from ..engine import State

MAX_CLIMB = 4
"""How deep in its clause a relative pronoun may be: "whose friend's dog"."""
LOOK_BACK = 20
"""Mentions before a relative pronoun that are asked where the tree does not help."""


def run(state: State) -> None:
    for candidate in state.candidates:
        if candidate.is_relative and (noun := _find_described(state, candidate) or _noun_before(state, candidate)):
            state.link(candidate, noun)


def _find_described(state: State, relative: Candidate) -> Candidate | None:
    words, clause = state.words, state.words.parents[relative.head]
    for _ in range(MAX_CLIMB):
        if clause == NONE or words.bases[clause] == "acl":
            break
        clause = words.parents[clause]
    return state.by_head.get(words.parents[clause]) if clause != NONE and words.bases[clause] == "acl" else None


def _noun_before(state: State, relative: Candidate) -> Candidate | None:
    """Return the noun before a relative clause, for trees that attach the clause to another word."""
    for other in reversed(state.candidates[max(0, relative.index - LOOK_BACK) : relative.index]):
        if other.sentence != relative.sentence:
            return None
        if other.head < relative.start and other.kind in ("noun", "name") and not other.optional:
            return other if state.agree(relative, other) else None
    return None
