"""How numbers spread, and whether two rows of numbers go up and down together."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Spread:
    """Numbers in few: quartiles lie between neighbours where they hit none; `sd` is that of a sample, None for one."""

    number: int
    mean: float
    sd: float | None
    least: float
    first_quartile: float
    median: float
    third_quartile: float
    most: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        """The spread of some numbers.

        >>> spread = Spread.of([5, 1, 2, 4])
        >>> spread.mean, spread.least, spread.first_quartile, spread.median, spread.third_quartile, spread.most
        (3.0, 1, 1.75, 3.0, 4.25, 5)
        """
        several = len(numbers) > 1
        low, middle, high = statistics.quantiles(numbers, n=4, method="inclusive") if several else [*numbers] * 3
        return cls(
            number=len(numbers),
            mean=statistics.fmean(numbers),
            sd=statistics.stdev(numbers) if several else None,
            least=min(numbers),
            first_quartile=low,
            median=middle,
            third_quartile=high,
            most=max(numbers),
        )


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rank correlation, from -1 to 1; None where one side has no order: all alike, or a single number.

    >>> rank_correlation([1, 2, 30], [5, 6, 7]), rank_correlation([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(_ranks(one), _ranks(other))


def _ranks(numbers: Sequence[float]) -> list[float]:
    """The place of each number in their order; equal ones share the mean of their places."""
    order = sorted(range(len(numbers)), key=lambda at: numbers[at])
    ranks = [0.0] * len(numbers)
    place = 0
    for _, group in groupby(order, key=lambda at: numbers[at]):
        members = list(group)
        for at in members:
            ranks[at] = place + (len(members) - 1) / 2
        place += len(members)
    return ranks
