"""Assign documents to annotators, and assess an annotator against a key.

Every document is assigned to the same number of annotators, who get about the same number of words. Long documents are
assigned first, each to those with the fewest words so far. So two annotators never differ by more words than the
longest document has, unless they did before or somebody may not get a document. Ties are broken at random, by the seed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from random import Random
from typing import Any

from ..document import Document
from ..errors import CoindexError, CoindexWarning, UnknownNameError
from ..scoring import Result, make_settings, score_documents
from .adjudication import Comparison, compare
from .agreement import METRICS, scorer_options
from .versions import on_same_words

MOST_COPIES = 20


@dataclass(frozen=True, slots=True)
class Text:
    """A document to assign: how many annotators have it, and who must not get it."""

    id: int
    words: int
    copies: int = 0
    barred: frozenset[int] = frozenset()
    wanted: int | None = None
    """The number of annotators, if it differs from the general one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The new assignments, and documents with too few annotators."""

    given: tuple[tuple[int, int], ...]
    """Pairs of document and annotator, sorted by document."""
    words: Mapping[int, int]
    """The words of each annotator, including the new assignments."""
    short: Mapping[int, int] = field(default_factory=dict)
    """Documents with too few annotators, and how many are missing."""


def deal(texts: Iterable[Text], people: Mapping[int, int], *, copies: int, seed: int = 0) -> Plan:
    """Assign every text to `copies` people; `people` maps their ids to the words that each already has.

    The same texts and people, in any order, give the same plan for the same seed.

    >>> deal([Text(1, 300), Text(2, 200), Text(3, 100)], {7: 0, 8: 0}, copies=1).words
    {7: 300, 8: 300}
    """
    if not 1 <= copies <= MOST_COPIES:
        raise CoindexError(f"{copies} annotators per document; expected 1 to {MOST_COPIES}", code="invalid-option")
    chance = Random(seed)
    words = dict(sorted(people.items()))
    rank = {person: chance.random() for person in words}
    ordered = sorted(texts, key=lambda text: text.id)
    lots = {text.id: chance.random() for text in ordered}
    given: list[tuple[int, int]] = []
    short: dict[int, int] = {}
    for text in sorted(ordered, key=lambda text: (-text.words, lots[text.id])):
        wanted = max(0, (copies if text.wanted is None else text.wanted) - text.copies)
        free = [person for person in words if person not in text.barred]
        for person in nsmallest(wanted, free, key=lambda at: (words[at], rank[at])):
            words[person] += text.words
            given.append((text.id, person))
        if len(free) < wanted:
            short[text.id] = wanted - len(free)
    return Plan(tuple(sorted(given)), words, dict(sorted(short.items())))


CONLL = "conll"
ASSESSED_BY: dict[str, str] = {
    CONLL: "CoNLL (mean of MUC, B³ and CEAF-e)",
    "lea": "LEA",
    "muc": "MUC",
    "b3": "B³",
    "ceafe": "CEAF-e",
    "ceafm": "CEAF-m",
    "mentions": "mention detection",
}
"""The metrics for assessments with their titles; F1 counts."""
DEFAULT_MARK = 0.8
KEY, ANSWER = "key", "answer"


@dataclass(frozen=True, slots=True)
class Standard:
    """The standard of an assessment: a metric and the pass mark, from 0 to 1."""

    metric: str = CONLL
    mark: float = DEFAULT_MARK

    def __post_init__(self) -> None:
        if self.metric not in ASSESSED_BY:
            raise UnknownNameError("metric", self.metric, ASSESSED_BY)
        if not (math.isfinite(self.mark) and 0 <= self.mark <= 1):
            raise CoindexError(f"invalid pass mark {self.mark}; expected 0 to 1 (80 % is 0.8)", code="invalid-option")

    def to_json(self) -> dict[str, Any]:
        return {"metric": self.metric, "mark": self.mark}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Standard:
        return cls(str(data.get("metric", CONLL)), float(data.get("mark", DEFAULT_MARK)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an assessment."""

    score: float
    is_passed: bool
    standard: Standard
    result: Result

    def to_json(self) -> dict[str, Any]:
        """Return the standard and the scores, with the signature of the scorer."""
        return {**self.standard.to_json(), **self.result.to_dict()}


def assess(key: Document, answer: Document, standard: Standard) -> Outcome:
    """Score an answer with exact spans and all mentions, like agreement."""
    settings = make_settings(**scorer_options({"metrics": METRICS}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoindexWarning)  # the comparison with the key shows oddities
        result = score_documents([key], [answer], settings)
    score = _score(result, standard.metric)
    # tolerate rounding: 80 % reaches a mark of 0.8
    return Outcome(score, score >= standard.mark - 1e-9, standard, result)


def _score(result: Result, metric: str) -> float:
    if metric == CONLL:
        assert result.conll is not None
        return result.conll
    return result[metric].f1


def feedback(key: Document, answer: Document) -> Comparison:
    """Compare the key with the answer, over the same words."""
    return compare(on_same_words([key, answer], [KEY, ANSWER]), [KEY, ANSWER])
