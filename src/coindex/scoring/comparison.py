"""What a comparison of responses gives: scores with intervals, differences with p-values. Made by `significance`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ..errors import UnknownNameError

Test = Literal["bootstrap", "permutation"]
Measure = Literal["recall", "precision", "f1"]
Correction = Literal["none", "holm"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a number would lie with other documents, at the level of confidence."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The score of a response and its interval."""

    score: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """By how much the first response is better than the second; `p_adjusted` is after the correction, if any."""

    first: str
    second: str
    difference: float
    interval: Interval
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison:
    """Responses compared metric by metric; CoNLL is one more metric here, `conll`."""

    signature: str
    measure: Measure
    test: Test
    correction: Correction
    rounds: int
    seed: int
    confidence: float
    units: int
    exact: bool
    """Whether the p-values are exact: every way to swap was taken once."""
    scores: Mapping[str, Mapping[str, Estimate]]
    """By metric, then by response."""
    differences: Mapping[str, Sequence[Difference]]
    """By metric: each pair of responses once, the one given first being the first."""

    def difference(self, metric: str, first: str, second: str) -> Difference:
        """The difference of two responses."""
        if metric not in self.differences:
            raise UnknownNameError("metric in this comparison", metric, self.differences)
        for found in self.differences[metric]:
            if (found.first, found.second) == (first, second):
                return found
        names = [f"{found.first} - {found.second}" for found in self.differences[metric]]
        raise UnknownNameError("pair of responses", f"{first} - {second}", names)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: fractions, not rounded."""
        return asdict(self)

    def __repr__(self) -> str:
        rows = []
        for metric, scores in self.scores.items():
            rows += [(metric, name, _shown(found.score, found.interval)) for name, found in scores.items()]
            for gap in self.differences[metric]:
                shown = f"{_shown(gap.difference, gap.interval)}  p {gap.p_adjusted:.4f}"
                rows.append((metric, f"{gap.first} - {gap.second}", shown))
        width = max(len(name) for _, name, _ in rows)
        return "\n".join([*(f"{metric:9} {name:{width}} {shown}" for metric, name, shown in rows), self.signature])


def _shown(value: float, interval: Interval) -> str:
    return f"{100 * value:7.2f} [{100 * interval.low:6.2f}, {100 * interval.high:6.2f}]"
