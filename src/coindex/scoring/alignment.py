"""What matching two sides gives: all that a metric looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..document import Mention
from .sides import Side

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
