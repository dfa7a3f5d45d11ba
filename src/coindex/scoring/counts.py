"""Numbers that only add, and the one place where precision, recall and F1 are made of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

WIDTH = 4
"""A part of a count has four numbers: what recall divides by what, what precision divides by what."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a metric found in one unit, or in many together: `values` has four numbers for each part.

    >>> Counts((1, 2, 1, 4)) + Counts((0, 2, 0, 1))
    Counts(values=(1, 4, 1, 5))
    """

    values: tuple[float, ...]

    def __add__(self, other: Counts) -> Counts:
        return Counts(tuple(a + b for a, b in zip(self.values, other.values, strict=True)))

    @classmethod
    def total(cls, many: Iterable[Counts], parts: int = 1) -> Counts:
        """The sum of many, rounded once: so neither their order nor their grouping shows in the last bit."""
        columns = zip(*(counts.values for counts in many), strict=True)
        return cls(tuple(math.fsum(column) for column in columns) or (0.0,) * (WIDTH * parts))

    def part(self, number: int) -> tuple[float, ...]:
        """The four numbers of a part."""
        return self.values[WIDTH * number : WIDTH * (number + 1)]


def _ratio(part: float, whole: float) -> float:
    """Part by whole, 0 where there is no whole. Without a branch, so that arrays can be put through it as well."""
    return part / (whole + (whole == 0)) * (whole != 0)


@dataclass(frozen=True, slots=True)
class Score:
    """Recall, precision and their harmonic mean as fractions; `parts` are the scores it is made of, if any."""

    recall: float
    precision: float
    f1: float
    parts: Mapping[str, Score] = field(default_factory=dict)

    @classmethod
    def from_counts(cls, correct_key: float, all_key: float, correct_response: float, all_response: float) -> Score:
        """Nothing found is 0, also where there was nothing to find."""
        recall = _ratio(correct_key, all_key)
        precision = _ratio(correct_response, all_response)
        return cls(recall, precision, _ratio(2 * precision * recall, recall + precision))

    def to_dict(self) -> dict[str, float]:
        return {"recall": self.recall, "precision": self.precision, "f1": self.f1}

    def __str__(self) -> str:
        return f"R {self.recall:.2%}  P {self.precision:.2%}  F1 {self.f1:.2%}"
