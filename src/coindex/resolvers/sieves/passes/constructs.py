"""Precise constructs: the tree itself says that two phrases mean the same.

An apposition and what it stands beside; a subject and the noun that a copula says it is; a relative pronoun and the
noun that its clause describes; an expletive pronoun and the clause that it announces.
"""

from __future__ import annotations

from ..candidates import Candidate
from ..engine import State
from ..words import MANY, NONE

MAX_CLIMB = 4
"""How deep in its clause a relative pronoun may be: "whose friend's dog"."""
LOOK_BACK = 20
"""Mentions before a relative pronoun that are asked where the tree does not help."""
NOT_SAID = frozenset({"neg", "quant"})


def appositions(state: State) -> None:
    """Ann, the baker."""
    words = state.words
    if not words.language.appositions:
        return
    for candidate in state.candidates:
        if words.bases[candidate.head] == "appos" and not candidate.whole:
            parent = state.by_head.get(words.parents[candidate.head])
            if parent is not None and not parent.is_pronoun and parent.number & candidate.number:
                state.link(candidate, parent)


def copulas(state: State) -> None:
    """Ann is the baker: a predicate noun is its subject, if nothing denies it."""
    words = state.words
    if not words.language.copulas:
        return
    for candidate in state.candidates:
        if candidate.whole or candidate.kind == "clause" or not words.has(candidate.head, "cop"):
            continue
        subject = state.subject_of(candidate.head)
        if subject is not None and subject.number & candidate.number and _is_said(state, candidate):
            state.link(candidate, subject)


def _is_said(state: State, candidate: Candidate) -> bool:
    words = state.words
    if candidate.definite in NOT_SAID or words.has(candidate.head, "case"):
        return False
    return not any(
        words.lower[child] in words.language.negations or words.features[child].get("Polarity") == "Neg"
        for child in words.children[candidate.head][:MANY]
    )


def relatives(state: State) -> None:
    """The baker who left: a relative pronoun is the noun that its clause hangs on, else the noun before it."""
    for candidate in state.candidates:
        if candidate.is_relative and (noun := _described(state, candidate) or _noun_before(state, candidate)):
            state.link(candidate, noun)


def _described(state: State, relative: Candidate) -> Candidate | None:
    words, clause = state.words, state.words.parents[relative.head]
    for _ in range(MAX_CLIMB):
        if clause == NONE or words.bases[clause] == "acl":
            break
        clause = words.parents[clause]
    return state.by_head.get(words.parents[clause]) if clause != NONE and words.bases[clause] == "acl" else None


def _noun_before(state: State, relative: Candidate) -> Candidate | None:
    """For trees that hang the clause elsewhere."""
    for other in reversed(state.candidates[max(0, relative.index - LOOK_BACK) : relative.index]):
        if other.sentence != relative.sentence:
            return None
        if other.head < relative.start and other.kind in ("noun", "name") and not other.optional:
            return other if state.agree(relative, other) else None
    return None


def extraposed(state: State) -> None:
    """It is good to see you: the clause is what the expletive pronoun announces."""
    words = state.words
    for candidate in state.candidates:
        if words.bases[candidate.head] == "expl" and candidate.kind == "pronoun":
            parent = words.parents[candidate.head]
            clause = state.by_head.get(words.child(parent, "csubj")) if parent != NONE else None
            if clause is not None:
                state.link(clause, candidate)
