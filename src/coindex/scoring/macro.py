"""The macro average over datasets: each counts the same, however large it is.

Every number is the plain mean of the datasets' numbers, as in the shared tasks: F1 is the mean of their F1, not the F1
of mean recall and mean precision, and CoNLL the mean of their CoNLL scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .counts import Score
from .profiles import signature
from .result import ByMetric, Result, common_settings, package_version


@dataclass(frozen=True)
class MacroResult(ByMetric):
    """Mean scores by metric, like those of a `Result`; `results` has the datasets they are the mean of."""

    results: Mapping[str, Result]
    scores: Mapping[str, Score]
    conll: float | None
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: fractions, not rounded; the datasets one by one beside their mean."""
        datasets = {name: result.to_dict() for name, result in self.results.items()}
        for data in datasets.values():
            del data["signature"]  # theirs says the same as ours
        return {
            "signature": self.signature,
            "metrics": {name: score.to_dict() for name, score in self.scores.items()},
            "conll": self.conll,
            "datasets": datasets,
        }


def macro_average(results: Mapping[str, Result]) -> MacroResult:
    """The unweighted mean of results, by the name of the dataset; all must have been scored alike."""
    settings = common_settings(results)
    scores = {}
    for name in settings.metrics:
        found = [result[name] for result in results.values()]
        scores[name] = Score(
            _mean([score.recall for score in found]),
            _mean([score.precision for score in found]),
            _mean([score.f1 for score in found]),
        )
    conll = [result.conll for result in results.values() if result.conll is not None]
    return MacroResult(
        dict(results),
        scores,
        _mean(conll) if conll else None,
        signature(settings, package_version(), f"macro:{len(results)}"),
    )


def _mean(numbers: list[float]) -> float:
    return math.fsum(numbers) / len(numbers)
