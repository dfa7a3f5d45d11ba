"""Significance tests over documents: bootstrap, permutation, intervals, Holm's correction.

What is drawn or swapped are units, usually documents, and in each round their counts are summed and finished anew, so
the statistic is the corpus score itself, not a mean over documents. The choices, all two-sided:

- **bootstrap** (Efron and Tibshirani 1993; Koehn 2004): units are drawn with replacement, the same for all responses.
  The p-value is the share of rounds whose difference is at least as far from the observed difference as that is from
  0: the distribution is moved to the null hypothesis (Berg-Kirkpatrick et al. 2012).
- **permutation** (approximate randomisation; Noreen 1989): in each unit the two responses are swapped or not, as if it
  did not matter whose is whose. The p-value is the share of rounds with a difference at least as large as the
  observed one. With at most as many ways to swap as rounds each way is taken once, and the p-value is exact.
- Drawn rounds count the observed data as one more: p = (1 + hits) / (1 + rounds), so it is never 0.
- Intervals are the percentiles of the bootstrap, whichever test is chosen.
- With several pairs of responses, Holm's correction, if asked for, is over the pairs of one metric.

With few units the bootstrap sees too little that is different and finds too much; a warning then names the permutation.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, get_args

from ..errors import CoindexError, DataWarning, UnknownNameError, quote
from .comparison import Comparison, Correction, Difference, Estimate, Interval, Measure, Test
from .profiles import Settings, signature
from .result import Result, common_settings, package_version

if TYPE_CHECKING:
    from .resampling import Array

__all__ = ["Comparison", "Difference", "Estimate", "Interval", "compare", "holm"]

FEW_UNITS = 10
"""With fewer the bootstrap is warned of."""


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
    """Compare the results of responses to one key, by the responses' names; of a single one only intervals are found.

    The same seed gives the same numbers. What is said of two responses does not depend on which others are compared.
    """
    _check_options(rounds, confidence, test=test, measure=measure, correction=correction)
    settings = common_settings(results)
    _check_units(results, test)
    from .resampling import Resampler, find_interval  # loads numpy

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
                first=names[one],
                second=names[other],
                difference=observed[one] - observed[other],
                interval=_interval(find_interval(drawn[:, one, column] - drawn[:, other, column], confidence)),
                p_value=p_value,
                p_adjusted=p_adjusted,
            )
            for (one, other), p_value, p_adjusted in zip(pairs, raw, adjusted, strict=True)
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
    """P-values of several tests, corrected so that the chance of any false finding stays at the level (Holm 1979).

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
            f"{rounds} rounds; expected at least 1; leave the option out for 10,000", code="invalid-option"
        )
    if not 0 < confidence < 1:
        raise CoindexError(
            f"a confidence of {confidence}; expected a number between 0 and 1, such as 0.95", code="invalid-option"
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
            raise CoindexError(_units_apart(name, ids, other_name, other_ids), code="different-documents")
    if len(ids) < 2:
        raise CoindexError(
            f"{len(ids)} {first.settings.unit} to compare responses on; expected at least 2, as they are drawn at "
            "random; give more documents, or score them by document",
            code="too-few-documents",
        )
    if len(ids) < FEW_UNITS and test == "bootstrap":
        message = f"the bootstrap over {len(ids)} units finds too much significant; choose the permutation test"
        warnings.warn(DataWarning(message, code="few-units"), stacklevel=3)


def _units_apart(name: str, ids: list[str | None], other: str, other_ids: list[str | None]) -> str:
    place, (mine, theirs) = next(
        ((number, pair) for number, pair in enumerate(zip(ids, other_ids, strict=False), 1) if pair[0] != pair[1]),
        (0, (None, None)),
    )
    what = f"{len(ids)} and {len(other_ids)} units"
    if place:
        what = f"as unit {place} {quote(str(mine))} and {quote(str(theirs))}"
    return f"{quote(name)} and {quote(other)} have {what}; expected the same documents; score both against one key"
