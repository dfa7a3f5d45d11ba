"""Link phrases to earlier ones with the same head and compatible modifiers.

The strict pass links definite phrases whose modifiers all occur in the earlier phrase (a red car ... the car). The
relaxed pass, over shorter distances, also links possessives, indefinite phrases with the same modifiers, and phrases
with more modifiers than the earlier one.
"""

from __future__ import annotations

from collections.abc import Callable

from ..candidates import Candidate
from ..engine import State

KNOWN = frozenset({"def", "dem"})
OWNED = frozenset({"def", "dem", "poss"})
LOOK_BACK = 8
"""Phrases with the same head that are looked at."""
FAR, NEAR = 10, 5
"""Sentences back for the strict and the relaxed pass."""


def strict(state: State) -> None:
    """Link a phrase to one with the same head and all its modifiers: *a red car*, *the car*."""
    _match(state, _is_known)


def relaxed(state: State) -> None:
    """Link a phrase to one with the same head that may lack a modifier: *the car*, *the red car*."""
    _match(state, _is_likely)


def _match(state: State, fits: Callable[[Candidate, Candidate], bool]) -> None:
    history: dict[str, list[Candidate]] = {}
    for candidate in state.candidates:
        if candidate.kind not in ("noun", "name") or candidate.whole:
            continue
        earlier = history.setdefault(candidate.lemma, [])
        if candidate.kind == "noun" and not candidate.by and state.words.bases[candidate.head] != "compound":
            for before in reversed(earlier[-LOOK_BACK:]):
                if before.number & candidate.number and fits(candidate, before) and state.link(candidate, before):
                    break
        earlier.append(candidate)


def _is_known(candidate: Candidate, before: Candidate) -> bool:
    if candidate.sentence - before.sentence > FAR:
        return False
    return candidate.definite in KNOWN and candidate.modifiers <= before.modifiers


def _is_likely(candidate: Candidate, before: Candidate) -> bool:
    if candidate.sentence - before.sentence > NEAR:
        return False
    if candidate.definite in OWNED:
        return candidate.modifiers <= before.modifiers or candidate.modifiers >= before.modifiers
    return candidate.definite == "indef" and candidate.modifiers == before.modifiers
