"""The result of matching key and response mentions (the input to every metric), and counts (the output)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..document import Mention
from .sides import Side

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


Table = list[dict[int, int]]
"""For each entity, how many of its mentions are found in which entity of the other side."""


class Remark(NamedTuple):
    """An oddity of some mentions of a side; its code and the name of the side are a key of `notes.TEXTS`."""

    name: str
    side: Side
    mentions: list[Mention]
    code: str


@dataclass(frozen=True, slots=True)
class Alignment:
    """Key and response of one unit, with the mentions that correspond."""

    key: Side
    response: Side
    key_table: Table
    """Which response entities the mentions of each key entity are found in."""
    response_table: Table
    """Which key entities the mentions of each response entity are found in."""
    overlap: Table
    """How many mentions each key entity has in common with which response entities."""
    partner: Callable[[int], int | None]
    """The response mention that stands for a key mention; None where there is none."""
    found_key: frozenset[int]
    """The key mentions that the response found."""
    found_response: frozenset[int]
    """The response mentions that are in the key."""
    weighted: bool = False
    """Whether the metrics of ARE 2007 count a match by the share of words that both have."""
    remarks: tuple[Remark, ...] = ()


def count_links(side: Side, target: Mapping[int, int]) -> Table:
    """The table of a side, given the entity of the other side that each mention is found in."""
    table: Table = []
    find = target.get
    for cluster in side.clusters:
        row: dict[int, int] = {}
        for mention in cluster:
            found = find(mention)
            if found is not None:
                row[found] = row.get(found, 0) + 1
        table.append(row)
    return table


def count_overlap(key: Side, targets: Callable[[int], Iterable[int]]) -> Table:
    """Common mentions, where a mention may be found in several response entities."""
    table: Table = []
    for cluster in key.clusters:
        row: dict[int, int] = {}
        for mention in cluster:
            for other in targets(mention):
                row[other] = row.get(other, 0) + 1
        table.append(row)
    return table


def align_pairs(key: Side, response: Side, pairs: Iterable[tuple[int, int]]) -> Alignment:
    """The alignment in which just these mentions correspond, each to one of the other side."""
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
