"""LEA (Moosavi and Strube 2016): how much of an entity's links is found, larger entities weighing more."""

from __future__ import annotations

from ..alignment import Alignment, Counts, Table
from ..sides import Side
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Size times the share of links found; a singleton is found if it is one on the other side too."""
    key, response = alignment.key, alignment.response
    return Counts(
        (
            *_resolved(key, alignment.key_table, response),
            *_resolved(response, alignment.response_table, key),
        )
    )


def _resolved(side: Side, table: Table, other: Side) -> tuple[float, int]:
    found = 0.0
    for cluster, row in zip(side.clusters, table, strict=True):
        size = len(cluster)
        if size == 1:
            found += any(len(other.clusters[number]) == 1 for number in row)
        else:  # size * links / all links, with all links = size * (size - 1) / 2
            found += sum(n * (n - 1) for n in row.values()) / (size - 1)
    return found, sum(map(len, side.clusters))


METRIC = Metric("lea", "LEA", count)
