"""Many scores at once: the counts of units summed anew in every round. The only part of scoring that needs numpy.

A round is a row of weights, one for each unit; so all sums of all rounds, responses and metrics are one product of
matrices, taken in blocks, and each metric finishes all of them in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .counts import WIDTH, Counts
from .metrics.registry import get_metric
from .profiles import Settings
from .result import Result, mean_conll

Array = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]
"""Which two responses are compared."""
BLOCK = 2_000_000
"""How many weights are held at a time."""
TOLERANCE = 1e-12
"""Differences that are equal may differ by this much, as sums are rounded."""


class Resampler:
    """The counts of several results of the same units, and what becomes of their scores when the units are others."""

    def __init__(self, results: Sequence[Result], settings: Settings, measure: str, seed: int) -> None:
        self.settings = settings
        self.measure = measure
        self.counts = np.array([[_row(unit.counts, settings) for unit in result.units] for result in results])
        self.counts = self.counts.transpose(1, 0, 2)  # units, responses, numbers
        self.units = len(self.counts)
        self._for_bootstrap, self._for_permutation = np.random.SeedSequence(seed).spawn(2)
        self.observed = self.finish(self.counts.sum(axis=0)[None])[0]  # responses, metrics

    def finish(self, sums: Array) -> Array:
        """The scores of summed counts: rounds x responses x numbers -> rounds x responses x metrics."""
        scores = {}
        start = 0
        for name in self.settings.metrics:
            metric = get_metric(name, self.settings.rules)
            end = start + WIDTH * len(metric.parts)
            columns: Any = tuple(sums[..., column] for column in range(start, end))
            scores[name] = metric.finish(Counts(columns))
            start = end
        found = [getattr(score, self.measure) for score in scores.values()]
        conll = mean_conll(scores) if self.measure == "f1" else None
        return np.stack(found if conll is None else [*found, cast(Array, conll)], axis=-1)

    def bootstrap(self, rounds: int) -> Array:
        """Scores where units are drawn anew with replacement, the same units for all responses."""
        random = np.random.default_rng(self._for_bootstrap)

        def draw(size: int) -> Array:
            drawn = random.integers(0, self.units, (size, self.units)) + self.units * np.arange(size)[:, None]
            counted = np.bincount(drawn.ravel(), minlength=size * self.units)
            return counted.reshape(size, self.units).astype(float)

        return np.concatenate([self.finish(self._sum(weights)) for weights in self._blocks(draw, rounds)])

    def bootstrap_test(self, pairs: Pairs, drawn: Array) -> Array:
        """The p-value of each pair and metric, given the scores of the bootstrap."""
        extreme = np.zeros((len(pairs), self.observed.shape[-1]))
        for number, (one, other) in enumerate(pairs):
            gap = self.observed[one] - self.observed[other]
            extreme[number] = _count_as_large(drawn[:, one] - drawn[:, other] - gap, gap)
        return (1 + extreme) / (1 + len(drawn))

    def permutation_test(self, pairs: Pairs, rounds: int) -> tuple[Array, bool]:
        """The p-value of each pair and metric, and whether it is exact."""
        is_exact = 2**self.units <= rounds
        blocks = self._blocks(_Ways(self.units).take, 2**self.units) if is_exact else self._swaps(rounds)
        extreme = np.zeros((len(pairs), self.observed.shape[-1]))
        for swap in blocks:
            # Only sums of what is there, never differences: where nothing is left, rounding must leave nothing.
            swapped, kept = self._sum(swap), self._sum(1 - swap)
            for number, (one, other) in enumerate(pairs):
                sums = np.stack([kept[:, one] + swapped[:, other], kept[:, other] + swapped[:, one]], axis=1)
                scores = self.finish(sums)
                gap = self.observed[one] - self.observed[other]
                extreme[number] += _count_as_large(scores[:, 0] - scores[:, 1], gap)
        return (extreme / 2**self.units if is_exact else (1 + extreme) / (1 + rounds)), is_exact

    def _swaps(self, rounds: int) -> Iterator[Array]:
        random = np.random.default_rng(self._for_permutation)
        return self._blocks(lambda size: random.integers(0, 2, (size, self.units)).astype(float), rounds)

    def _sum(self, weights: Array) -> Array:
        flat: Array = weights @ self.counts.reshape(self.units, -1)
        return flat.reshape(len(weights), *self.counts.shape[1:])

    def _blocks(self, draw: Callable[[int], Array], rounds: int) -> Iterator[Array]:
        size = max(1, BLOCK // self.units)
        for start in range(0, rounds, size):
            yield draw(min(size, rounds - start))


class _Ways:
    """All ways to swap units or not, one after the other."""

    def __init__(self, units: int) -> None:
        self.units = units
        self.taken = 0

    def take(self, size: int) -> Array:
        ways = np.arange(self.taken, self.taken + size)
        self.taken += size
        return ((ways[:, None] >> np.arange(self.units)) & 1).astype(float)


def _row(counts: Mapping[str, Counts], settings: Settings) -> list[float]:
    return [value for name in settings.metrics for value in counts[name].values]


def _count_as_large(differences: Array, observed: Array) -> Array:
    """How many of the differences are as far from 0 as the observed one, for each metric."""
    is_large = np.abs(differences) >= np.abs(observed) - TOLERANCE
    return np.asarray(is_large.sum(axis=0), dtype=float)


def find_interval(values: Array, confidence: float) -> Array:
    """The middle part of the values of many rounds: its lower and upper end."""
    return np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
