"""Assessing an annotator: the answer against the key by the one scorer, and where the two differ."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..document import Document
from ..errors import CoindexError, CoindexWarning, UnknownNameError
from ..scoring import Result, make_settings, score_documents
from .agreement import METRICS, scorer_options
from .differences import Comparison, compare
from .versions import on_same_words

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
