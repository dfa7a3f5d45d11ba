"""Link phrases with the same head and the same possessor (Ann's mother ... her mother).

This pass comes after the pronouns, when the possessors are known.
"""

from __future__ import annotations

from ..candidates import MANY, Candidate
from ..engine import State


def run(state: State) -> None:
    last: dict[tuple[str, int, int], Candidate] = {}
    for candidate in state.candidates:
        if candidate.kind != "noun" or candidate.whole or candidate.definite != "poss":
            continue
        owner = _owner(state, candidate)
        if owner is None:
            continue
        key = (candidate.lemma, candidate.number, owner.entity)
        before = last.get(key)
        if before is not None:
            state.link(candidate, before)
        last[key] = candidate


def _owner(state: State, candidate: Candidate) -> Candidate | None:
    """Return the possessor of a phrase: a possessive pronoun or a noun with that relation."""
    words = state.words
    for child in words.children[candidate.head][:MANY]:
        if words.relations[child] == "nmod:poss" or words.features[child].get("Poss") == "Yes":
            return state.by_head.get(child)
    return None
