"""Significance of differences between responses: bootstrap, permutation tests, confidence intervals, Holm's correction.

Units, usually documents, are drawn or swapped. In each round their counts are summed and finished again, so the
statistic is the corpus score itself, not a mean over documents. All tests are two-sided:

- **bootstrap** (Efron and Tibshirani 1993; Koehn 2004): units are drawn with replacement, the same for all responses.
  The p-value is the share of rounds whose difference is at least as far from the observed difference as the observed
  difference is from 0, that is, the distribution is shifted to the null hypothesis (Berg-Kirkpatrick et al. 2012).
- **permutation** (approximate randomisation; Noreen 1989): in each unit the two responses are swapped at random. The
  p-value is the share of rounds with a difference at least as large as the observed one. If there are no more ways to
  swap than rounds, each way is used once, and the p-value is exact.
- Random rounds count the observed data as one more round: p = (1 + hits) / (1 + rounds), so p is never 0.
- Intervals are the percentiles of the bootstrap, whichever test is chosen.
- With several pairs of responses, Holm's correction (optional) is applied over the pairs of each metric.

With few units the bootstrap underestimates the variance and finds too many differences significant; a warning then
recommends the permutation test.

A round is a row of weights, one per unit, so the sums of all rounds, responses and metrics are a single matrix product,
computed in blocks. This is the only module of scoring that needs numpy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import CoindexError, DataWarning, UnknownNameError, quote
from .alignment import WIDTH, Counts
from .metrics.registry import get_metric
from .profiles import Settings, signature
from .result import Result, common_settings, mean_conll, package_version

__all__ = ["Comparison", "Difference", "Estimate", "Interval", "compare", "holm"]

Test = Literal["bootstrap", "permutation"]
Measure = Literal["recall", "precision", "f1"]
Correction = Literal["none", "holm"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The score of a response with its confidence interval."""

    score: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference of the first and the second response; `p_adjusted` is the p-value after the correction, if any."""

    first: str
    second: str
    difference: float
    interval: Interval
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison:
    """The comparison of responses by metric, including the CoNLL score as `conll`."""

    signature: str
    measure: Measure
    test: Test
    correction: Correction
    rounds: int
    seed: int
    confidence: float
    units: int
    exact: bool
    """Whether the p-values are exact: every way to swap was used once."""
    scores: Mapping[str, Mapping[str, Estimate]]
    """By metric, then by response."""
    differences: Mapping[str, Sequence[Difference]]
    """By metric: each pair of responses once, in the order given."""

    def difference(self, metric: str, first: str, second: str) -> Difference:
        """Return the difference of two responses in a metric."""
        if metric not in self.differences:
            raise UnknownNameError("metric in this comparison", metric, self.differences)
        for difference in self.differences[metric]:
            if (difference.first, difference.second) == (first, second):
                return difference
        names = [f"{difference.first} - {difference.second}" for difference in self.differences[metric]]
        raise UnknownNameError("pair of responses", f"{first} - {second}", names)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with fractions that are not rounded."""
        return asdict(self)

    def __repr__(self) -> str:
        rows = []
        for metric, scores in self.scores.items():
            rows += [(metric, name, _format(own.score, own.interval)) for name, own in scores.items()]
            for gap in self.differences[metric]:
                shown = f"{_format(gap.difference, gap.interval)}  p {gap.p_adjusted:.4f}"
                rows.append((metric, f"{gap.first} - {gap.second}", shown))
        width = max(len(name) for _, name, _ in rows)
        return "\n".join([*(f"{metric:9} {name:{width}} {shown}" for metric, name, shown in rows), self.signature])


def _format(value: float, interval: Interval) -> str:
    return f"{100 * value:7.2f} [{100 * interval.low:6.2f}, {100 * interval.high:6.2f}]"


Array = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]
"""The indexes of the responses that are compared."""
BLOCK = 2_000_000
"""The number of weights in memory at a time."""
TOLERANCE = 1e-12
"""The rounding error up to which differences count as equal."""


class Resampler:
    """Resamples the counts of several results of the same units and finishes their scores."""

    def __init__(self, results: Sequence[Result], settings: Settings, measure: str, seed: int) -> None:
        self.settings = settings
        self.measure = measure
        self.counts = np.array([[_row(unit.counts, settings) for unit in result.units] for result in results])
        self.counts = self.counts.transpose(1, 0, 2)  # units, responses, numbers
        self.units = len(self.counts)
        self._for_bootstrap, self._for_permutation = np.random.SeedSequence(seed).spawn(2)
        self.observed = self.finish(self.counts.sum(axis=0)[None])[0]  # responses, metrics

    def finish(self, sums: Array) -> Array:
        """Return the scores of summed counts: rounds x responses x numbers -> rounds x responses x metrics."""
        scores = {}
        start = 0
        for name in self.settings.metrics:
            metric = get_metric(name, self.settings.rules)
            end = start + WIDTH * len(metric.parts)
            columns: Any = tuple(sums[..., column] for column in range(start, end))
            scores[name] = metric.finish(Counts(columns))
            start = end
        values = [getattr(score, self.measure) for score in scores.values()]
        conll = mean_conll(scores) if self.measure == "f1" else None
        return np.stack(values if conll is None else [*values, cast(Array, conll)], axis=-1)

    def bootstrap(self, rounds: int) -> Array:
        """Return the scores of units drawn with replacement, the same units for all responses."""
        random = np.random.default_rng(self._for_bootstrap)

        def draw(size: int) -> Array:
            drawn = random.integers(0, self.units, (size, self.units)) + self.units * np.arange(size)[:, None]
            counted = np.bincount(drawn.ravel(), minlength=size * self.units)
            return counted.reshape(size, self.units).astype(float)

        return np.concatenate([self.finish(self._sum(weights)) for weights in self._blocks(draw, rounds)])

    def bootstrap_test(self, pairs: Pairs, drawn: Array) -> Array:
        """Return the p-value of each pair and metric, given the scores of the bootstrap."""
        extreme = np.zeros((len(pairs), self.observed.shape[-1]))
        for number, (first, other) in enumerate(pairs):
            gap = self.observed[first] - self.observed[other]
            extreme[number] = _count_as_large(drawn[:, first] - drawn[:, other] - gap, gap)
        return (1 + extreme) / (1 + len(drawn))

    def permutation_test(self, pairs: Pairs, rounds: int) -> tuple[Array, bool]:
        """Return the p-value of each pair and metric, and whether it is exact."""
        is_exact = 2**self.units <= rounds
        blocks = self._blocks(_AllSwaps(self.units).take, 2**self.units) if is_exact else self._draw_swaps(rounds)
        extreme = np.zeros((len(pairs), self.observed.shape[-1]))
        for swap in blocks:
            # Only sums, no subtraction: a result of zero must not become a rounding error.
            swapped, kept = self._sum(swap), self._sum(1 - swap)
            for number, (first, other) in enumerate(pairs):
                sums = np.stack([kept[:, first] + swapped[:, other], kept[:, other] + swapped[:, first]], axis=1)
                scores = self.finish(sums)
                gap = self.observed[first] - self.observed[other]
                extreme[number] += _count_as_large(scores[:, 0] - scores[:, 1], gap)
        return (extreme / 2**self.units if is_exact else (1 + extreme) / (1 + rounds)), is_exact

    def _draw_swaps(self, rounds: int) -> Iterator[Array]:
        random = np.random.default_rng(self._for_permutation)
        return self._blocks(lambda size: random.integers(0, 2, (size, self.units)).astype(float), rounds)

    def _sum(self, weights: Array) -> Array:
        flat: Array = weights @ self.counts.reshape(self.units, -1)
        return flat.reshape(len(weights), *self.counts.shape[1:])

    def _blocks(self, draw: Callable[[int], Array], rounds: int) -> Iterator[Array]:
        size = max(1, BLOCK // self.units)
        for start in range(0, rounds, size):
            yield draw(min(size, rounds - start))


class _AllSwaps:
    """All ways to swap units, in order."""

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
    """Return for each metric how many differences are at least as far from 0 as the observed one."""
    is_large = np.abs(differences) >= np.abs(observed) - TOLERANCE
    return np.asarray(is_large.sum(axis=0), dtype=float)


def find_interval(values: Array, confidence: float) -> Array:
    """Return the lower and upper end of the central interval of the values of all rounds."""
    return np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)


FEW_UNITS = 10
"""The bootstrap issues a warning with fewer units."""


def compare(
    results: Mapping[str, Result],
    *,
    rounds: int = 10_000,
    seed: int = 0,
    test: Test = "bootstrap",
    confidence: float = 0.95,
    measure: Measure = "f1",
    correction: Correction = "none",
) -> Comparison:
    """Compare the results of responses to the same key.

    The same seed gives the same numbers. The comparison of two responses does not depend on which others are compared.

    Parameters:
        results: Results by the name of the response; a single result gets confidence intervals only.
        rounds: The number of random rounds.
        seed: The seed of the random numbers.
        test: "bootstrap" or "permutation".
        confidence: The level of the confidence intervals.
        measure: The number that is compared: "f1", "recall" or "precision".
        correction: "holm" to correct p-values for several pairs of responses.

    Returns:
        The scores with intervals, and the differences of all pairs with intervals and p-values.
    """
    _check_options(rounds, confidence, test=test, measure=measure, correction=correction)
    settings = common_settings(results)
    _check_units(results, test)

    names = list(results)
    pairs = list(combinations(range(len(names)), 2))
    sample = Resampler(list(results.values()), settings, measure, seed)
    drawn = sample.bootstrap(rounds)  # rounds, responses, metrics
    if test == "permutation":
        p_values, exact = sample.permutation_test(pairs, rounds)
    else:
        p_values, exact = sample.bootstrap_test(pairs, drawn), False
    ends = find_interval(drawn, confidence)
    scores = {}
    differences = {}
    for column, metric in enumerate([*settings.metrics, "conll"][: sample.observed.shape[-1]]):
        observed = sample.observed[:, column].tolist()
        scores[metric] = {
            name: Estimate(observed[row], _interval(ends[:, row, column])) for row, name in enumerate(names)
        }
        raw = p_values[:, column].tolist()
        adjusted = holm(raw) if correction == "holm" else raw
        differences[metric] = [
            Difference(
                first=names[first],
                second=names[other],
                difference=observed[first] - observed[other],
                interval=_interval(find_interval(drawn[:, first, column] - drawn[:, other, column], confidence)),
                p_value=p_value,
                p_adjusted=p_adjusted,
            )
            for (first, other), p_value, p_adjusted in zip(pairs, raw, adjusted, strict=True)
        ]
    return Comparison(
        signature=_sign(settings, measure, f"{test}-exact" if exact else test, rounds, seed, confidence, correction),
        measure=measure,
        test=test,
        correction=correction,
        rounds=rounds,
        seed=seed,
        confidence=confidence,
        units=sample.units,
        exact=exact,
        scores=scores,
        differences=differences,
    )


def _interval(ends: Array) -> Interval:
    low, high = ends.tolist()
    return Interval(low, high)


def _sign(
    settings: Settings, measure: str, test: str, rounds: int, seed: int, confidence: float, correction: str
) -> str:
    return signature(
        settings,
        package_version(),
        *([] if measure == "f1" else [f"measure:{measure}"]),
        f"test:{test}",
        f"rounds:{rounds}",
        f"seed:{seed}",
        f"conf:{confidence:g}",
        *([] if correction == "none" else [f"corr:{correction}"]),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of several tests, corrected for the family-wise error rate (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _check_options(rounds: int, confidence: float, **names: str) -> None:
    if rounds < 1:
        raise CoindexError(
            f"invalid number of rounds: {rounds}; expected at least 1 (default: 10,000)", code="invalid-option"
        )
    if not 0 < confidence < 1:
        raise CoindexError(
            f"invalid confidence: {confidence}; expected a number between 0 and 1, such as 0.95", code="invalid-option"
        )
    for (what, name), known in zip(names.items(), (Test, Measure, Correction), strict=True):
        if name not in get_args(known):
            raise UnknownNameError(what, name, get_args(known))


def _check_units(results: Mapping[str, Result], test: Test) -> None:
    (name, first), *others = results.items()
    ids = [unit.id for unit in first.units]
    for other_name, other in others:
        other_ids = [unit.id for unit in other.units]
        if ids != other_ids:
            raise CoindexError(_describe_different_units(name, ids, other_name, other_ids), code="different-documents")
    if len(ids) < 2:
        raise CoindexError(
            f"only {len(ids)} {first.settings.unit} to compare responses on; expected at least 2; "
            "add documents, or score by document",
            code="too-few-documents",
        )
    if len(ids) < FEW_UNITS and test == "bootstrap":
        message = f"the bootstrap is unreliable with only {len(ids)} units; use the permutation test"
        warnings.warn(DataWarning(message, code="few-units"), stacklevel=3)


def _describe_different_units(name: str, ids: list[str | None], other: str, other_ids: list[str | None]) -> str:
    place, (mine, theirs) = next(
        ((number, pair) for number, pair in enumerate(zip(ids, other_ids, strict=False), 1) if pair[0] != pair[1]),
        (0, (None, None)),
    )
    what = f"{len(ids)} and {len(other_ids)} units"
    if place:
        what = f"as unit {place} {quote(str(mine))} and {quote(str(theirs))}"
    return f"{quote(name)} and {quote(other)} have {what}; expected the same documents; score both against the same key"
