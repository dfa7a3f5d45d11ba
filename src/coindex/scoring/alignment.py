"""The result of matching key and response mentions (the input to every metric), and counts (the output)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..document import Mention
from .sides import Side

WIDTH = 4
"""The numbers in one part of the counts: numerator and denominator of recall, then of precision."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a metric for one unit or the sum over several; `values` has four numbers for each part.

    >>> Counts((1, 2, 1, 4)) + Counts((0, 2, 0, 1))
    Counts(values=(1, 4, 1, 5))
    """

    values: tuple[float, ...]

    def __add__(self, other: Counts) -> Counts:
        return Counts(tuple(a + b for a, b in zip(self.values, other.values, strict=True)))

    @classmethod
    def total(cls, many: Iterable[Counts], parts: int = 1) -> Counts:
        """Return the sum of many counts.

        The sum is rounded once, so the result does not depend on the order or the grouping of the units.
        """
        columns = zip(*(counts.values for counts in many), strict=True)
        return cls(tuple(math.fsum(column) for column in columns) or (0.0,) * (WIDTH * parts))

    def part(self, number: int) -> tuple[float, ...]:
        """Return the four numbers of a part."""
        return self.values[WIDTH * number : WIDTH * (number + 1)]


def _ratio(part: float, whole: float) -> float:
    """Return part / whole, or 0 if the whole is 0. There is no branch, so that this also works on arrays."""
    return part / (whole + (whole == 0)) * (whole != 0)


@dataclass(frozen=True, slots=True)
class Score:
    """Recall, precision and their harmonic mean as fractions; `parts` holds the scores of its parts, if any."""

    recall: float
    precision: float
    f1: float
    parts: Mapping[str, Score] = field(default_factory=dict)

    @classmethod
    def from_counts(cls, correct_key: float, all_key: float, correct_response: float, all_response: float) -> Score:
        """Return the score of four counts; recall and precision are 0 if their denominator is 0."""
        recall = _ratio(correct_key, all_key)
        precision = _ratio(correct_response, all_response)
        return cls(recall, precision, _ratio(2 * precision * recall, recall + precision))

    def to_dict(self) -> dict[str, float]:
        """Return recall, precision and F1 by name."""
        return {"recall": self.recall, "precision": self.precision, "f1": self.f1}

    def __str__(self) -> str:
        return f"R {self.recall:.2%}  P {self.precision:.2%}  F1 {self.f1:.2%}"


Table = list[dict[int, int]]
"""For each entity, the number of its mentions in each entity of the other side."""


class Remark(NamedTuple):
    """A problem with some mentions of a side; its code and the name of the side are a key of `result.TEXTS`."""

    name: str
    side: Side
    mentions: list[Mention]
    code: str


@dataclass(frozen=True, slots=True)
class Alignment:
    """The result of matching the key and response mentions of one unit; the input to every metric."""

    key: Side
    response: Side
    key_table: Table
    """For each key entity, the response entities that contain its mentions."""
    response_table: Table
    """For each response entity, the key entities that contain its mentions."""
    overlap: Table
    """For each key entity, the number of mentions it has in common with each response entity."""
    partner: Callable[[int], int | None]
    """Returns the response mention matched to a key mention, or None."""
    found_key: frozenset[int]
    """The key mentions that are matched."""
    found_response: frozenset[int]
    """The response mentions that are matched."""
    weighted: bool = False
    """Whether the metrics of ARE 2007 weight a match by the share of common words."""
    remarks: tuple[Remark, ...] = ()


def count_links(side: Side, target: Mapping[int, int]) -> Table:
    """Return the table of a side, given the entity of the other side that contains each mention."""
    table: Table = []
    find = target.get
    for cluster in side.clusters:
        row: dict[int, int] = {}
        for mention in cluster:
            entity = find(mention)
            if entity is not None:
                row[entity] = row.get(entity, 0) + 1
        table.append(row)
    return table


def count_overlap(key: Side, targets: Callable[[int], Iterable[int]]) -> Table:
    """Return the common mentions of entities, where a mention may be in several response entities."""
    table: Table = []
    for cluster in key.clusters:
        row: dict[int, int] = {}
        for mention in cluster:
            for other in targets(mention):
                row[other] = row.get(other, 0) + 1
        table.append(row)
    return table


def align_pairs(key: Side, response: Side, pairs: Iterable[tuple[int, int]]) -> Alignment:
    """Return the alignment in which exactly these pairs of mentions match, one to one."""
    to_response = dict(pairs)
    to_key = {r: k for k, r in to_response.items()}
    key_table = count_links(key, {k: response.cluster_of[r] for k, r in to_response.items()})
    overlap = key_table
    if response.repeated:
        members = response.clusters_with()
        overlap = count_overlap(key, lambda m: members[to_response[m]] if m in to_response else ())
    return Alignment(
        key,
        response,
        key_table,
        count_links(response, {r: key.cluster_of[k] for r, k in to_key.items()}),
        overlap,
        to_response.get,
        frozenset(to_response),
        frozenset(to_key),
    )
