"""Inter-annotator agreement: scores of each pair, and Krippendorff's alpha with set distances (Passonneau 2004).

A unit is a mention that at least one annotator marked. Its value, for an annotator, is the set of all mentions of its
entity, including the mention itself. The distance between two sets is

    0    if they are equal,
    1/3  if one contains the other,
    2/3  if they overlap, and each has other mentions,
    1    if they are disjoint.

Alpha is 1 - observed / expected: the mean distance between the values of the same unit, divided by the mean distance
between all values. 1 is perfect agreement, 0 is chance level, and below 0 is worse than chance.

There are two ways to treat a mention that an annotator did not mark. As "null", its value is the empty set, at distance
1 from every other set; alpha then measures both finding and linking mentions. As "missing", it has no value, and a unit
with a single value is left out, as in Krippendorff; alpha then measures linking alone.

Entities do not cross documents, so the expected distances are computed within documents; observed and expected sums are
added over documents before they are divided.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from ..document import Document
from ..errors import warning_about
from ..scoring import Locate, MismatchError, Result, Settings, describe_place, make_settings, score_documents
from ..scoring.result import mean_conll
from .versions import NotOneTextError

Unmarked = Literal["null", "missing"]
Members = frozenset[tuple[int, ...]]
"""An entity as the positions of its mentions; the empty set for a mention that was not marked."""
Distance = Callable[[int, int, int], float]
"""The distance of two sets, from the size of their intersection and the sizes of both."""


def passonneau(common: int, first: int, other: int) -> float:
    """Return the distance of Passonneau (2004)."""
    if common == first == other:
        return 0.0
    if not common:
        return 1.0
    return 1 / 3 if common in (first, other) else 2 / 3


def masi(common: int, first: int, other: int) -> float:
    """Return the distance of Passonneau (2006), which also takes the Jaccard overlap into account."""
    if common == first == other:
        return 0.0
    return 1 - common / (first + other - common) * (1 - passonneau(common, first, other))


DISTANCES: dict[str, Distance] = {"passonneau": passonneau, "masi": masi}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Observed and expected disagreement, each summed over values; documents can be added."""

    observed: float = 0.0
    expected: float = 0.0

    def __add__(self, other: Disagreement) -> Disagreement:
        return Disagreement(self.observed + other.observed, self.expected + other.expected)

    @property
    def alpha(self) -> float | None:
        """Return alpha; None if the expected disagreement is 0 because there is at most one value."""
        return 1 - self.observed / self.expected if self.expected else None


def disagreement(
    docs: Sequence[Document], distance: Distance = passonneau, unmarked: Unmarked = "null"
) -> Disagreement:
    """Return the disagreement on one document; `docs` are the versions of the annotators over the same words."""
    by_annotator = [_values(doc) for doc in docs]
    units: Counter[tuple[Members, ...]] = Counter()  # equal units are counted together
    for place in dict.fromkeys(place for values in by_annotator for place in values):
        values_here = tuple(values.get(place, frozenset()) for values in by_annotator)
        units[values_here if unmarked == "null" else tuple(filter(None, values_here))] += 1
    observed = 0.0
    values: Counter[Members] = Counter()
    for unit, times in units.items():
        if len(unit) > 1:
            apart = sum(distance(len(first & other), len(first), len(other)) for first, other in combinations(unit, 2))
            observed += 2 * times * apart / (len(unit) - 1)
            for value in unit:
                values[value] += times
    return Disagreement(observed, _sum_distances(values, distance))


def _values(doc: Document) -> dict[tuple[int, ...], Members]:
    """Return the value of each mention; for one in several entities, the mentions of all of them."""
    by_positions: dict[tuple[int, ...], Members] = {}
    for entity in doc.entities:
        members = frozenset(mention.positions for mention in entity.mentions)
        for place in members:
            by_positions[place] = by_positions[place] | members if place in by_positions else members
    return by_positions


def _sum_distances(values: Counter[Members], distance: Distance) -> float:
    """Return the sum of all distances between values; only overlapping sets need a look, the others have distance 1."""
    total = values.total()
    if total < 2:
        return 0.0
    numbers = {members: number for number, members in enumerate(values)}
    sizes = [len(members) for members in values]
    times = list(values.values())
    pairs = total * total - sum(many * many for many in times)
    nearer = 0.0
    for (first, other), common in _common(numbers).items():
        nearer += 2 * times[first] * times[other] * (1 - distance(common, sizes[first], sizes[other]))
    return (pairs - nearer) / (total - 1)


def _common(numbers: dict[Members, int]) -> Counter[tuple[int, int]]:
    """Return the sizes of all non-empty intersections of two sets."""
    holding: dict[tuple[int, ...], list[int]] = {}
    for members, number in numbers.items():
        for place in members:
            holding.setdefault(place, []).append(number)
    pairs: Iterable[tuple[int, int]] = (pair for holders in holding.values() for pair in combinations(holders, 2))
    return Counter(pairs)


METRICS = ("mentions", "muc", "b3", "ceafm", "ceafe", "lea")
Pair = tuple[str, str]


def scorer_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scorer options for agreement: by default exact matching, with singletons and zeros.

    A profile has its own options. With exact matching it does not matter which of the two is the key.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if "profile" in given:
        return given
    return {"match": "exact", "singletons": True, "zeros": "linear", "metrics": METRICS, **given}


def score_pairs(
    versions: Mapping[str, Iterable[Document]],
    settings: Settings | None = None,
    *,
    locate: Locate = describe_place,
) -> dict[Pair, Result]:
    """Score each pair of annotators; the first one is the key."""
    wanted = settings or make_settings(**scorer_options({}))
    scores = {}
    for first, other in combinations(versions, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                scores[first, other] = score_documents(versions[first], versions[other], wanted, locate=locate)
            except MismatchError as error:
                raise NotOneTextError(error, first, other) from error
        warn_about_pair(first, other, caught)
    return scores


def warn_about_pair(first: str, other: str, caught: Iterable[warnings.WarningMessage]) -> None:
    """Repeat the warnings of scoring a pair with the names of the annotators."""
    for warning in caught:
        named = f"{first} (as the key) and {other} (as the response)"
        warnings.warn(warning_about(named, warning.message), stacklevel=3)


def trust(versions: Mapping[str, Iterable[Document]], *, locate: Locate = describe_place) -> list[float]:
    """Return how well each annotator agrees with the others: the mean CoNLL score over the pairs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about the data do not matter for ties
        pairs = score_pairs(versions, locate=locate)
    conll = {pair: mean_conll(result.scores) or 0.0 for pair, result in pairs.items()}
    return [mean(value for pair, value in conll.items() if name in pair) for name in versions]


def mean(values: Iterable[float]) -> float:
    """Return the mean, or 0 if there are no values."""
    ratings = list(values)
    return sum(ratings) / len(ratings) if ratings else 0.0
