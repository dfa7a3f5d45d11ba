"""Link predicate nouns (Ann is the baker) to their subjects, unless negated, if the corpora of the language do so."""

from __future__ import annotations

from ..candidates import MANY, Candidate
from ..engine import State

NOT_ASSERTED = frozenset({"neg", "quant"})


def run(state: State) -> None:
    words = state.words
    if not words.language.copulas:
        return
    for candidate in state.candidates:
        if candidate.whole or candidate.kind == "clause" or not words.has(candidate.head, "cop"):
            continue
        subject = state.subject_of(candidate.head)
        if subject is not None and subject.number & candidate.number and _is_asserted(state, candidate):
            state.link(candidate, subject)


def _is_asserted(state: State, candidate: Candidate) -> bool:
    words = state.words
    if candidate.definite in NOT_ASSERTED or words.has(candidate.head, "case"):
        return False
    return not any(
        words.lower[child] in words.language.negations or words.features[child].get("Polarity") == "Neg"
        for child in words.children[candidate.head][:MANY]
    )
