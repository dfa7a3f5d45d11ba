"""Assign documents to annotators, and assess an annotator against a key with the scorer.

Which document goes to whom: every document to so many people, with about as many words for each. A pure function.

Long documents are dealt first, each to those who have the fewest words so far. So two people never differ by more words
than the longest document has, unless they did before or somebody may not have a document. Chance decides only between
equals, and the seed decides chance.
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
    """A document to deal: how many people have it or have done it, and who must not get it (again)."""

    id: int
    words: int
    copies: int = 0
    barred: frozenset[int] = frozenset()
    wanted: int | None = None
    """How many people it is for, where that is not the number for all."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Who gets what, and what is missing."""

    given: tuple[tuple[int, int], ...]
    """Documents and people, by the document's id."""
    words: Mapping[int, int]
    """How many words each person has with what the plan gives."""
    short: Mapping[int, int] = field(default_factory=dict)
    """Documents for which there are too few people, and how many copies each lacks."""


def deal(texts: Iterable[Text], people: Mapping[int, int], *, copies: int, seed: int = 0) -> Plan:
    """Every text to so many people; `people` are their ids with the words that each has already.

    The same texts and people, in whatever order, give the same plan for the same seed.

    >>> deal([Text(1, 300), Text(2, 200), Text(3, 100)], {7: 0, 8: 0}, copies=1).words
    {7: 300, 8: 300}
    """
    if not 1 <= copies <= MOST_COPIES:
        raise CoindexError(f"{copies} annotators for each document; expected 1 to {MOST_COPIES}", code="invalid-option")
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
    "mentions": "mentions found",
}
"""The metrics that somebody may be assessed by, and how they are called; always their F1."""
DEFAULT_MARK = 0.8
KEY, ANSWER = "key", "answer"


@dataclass(frozen=True, slots=True)
class Standard:
    """What has to be reached: a metric and the least that passes, from 0 to 1."""

    metric: str = CONLL
    mark: float = DEFAULT_MARK

    def __post_init__(self) -> None:
        if self.metric not in ASSESSED_BY:
            raise UnknownNameError("metric", self.metric, ASSESSED_BY)
        if not (math.isfinite(self.mark) and 0 <= self.mark <= 1):
            raise CoindexError(f"a pass mark of {self.mark}; expected 0 to 1 (80 % is 0.8)", code="invalid-option")

    def to_json(self) -> dict[str, Any]:
        return {"metric": self.metric, "mark": self.mark}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Standard:
        return cls(str(data.get("metric", CONLL)), float(data.get("mark", DEFAULT_MARK)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an answer was scored."""

    score: float
    is_passed: bool
    standard: Standard
    result: Result

    def to_json(self) -> dict[str, Any]:
        """All that has to be kept, with the signature of the scorer."""
        return {**self.standard.to_json(), **self.result.to_dict()}


def assess(key: Document, answer: Document, standard: Standard) -> Outcome:
    """Score an answer: exact spans, all mentions of all entities, as agreement is measured."""
    settings = make_settings(**scorer_options({"metrics": METRICS}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoindexWarning)  # what is odd in an answer is seen beside the key
        result = score_documents([key], [answer], settings)
    score = _score(result, standard.metric)
    # a mark of 0.8 is reached by 80 %, whatever binary fractions make of it
    return Outcome(score, score >= standard.mark - 1e-9, standard, result)


def _score(result: Result, metric: str) -> float:
    if metric == CONLL:
        assert result.conll is not None
        return result.conll
    return result[metric].f1


def feedback(key: Document, answer: Document) -> Comparison:
    """The key beside the answer, over the same words, with every difference."""
    return compare(on_same_words([key, answer], [KEY, ANSWER]), [KEY, ANSWER])
