"""LEA (Moosavi and Strube 2016): the share of the links of an entity that is found, weighted by its size."""

from __future__ import annotations

from ..alignment import Alignment, Counts, Table
from ..sides import Side
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Count size times share of links found; a singleton is found if it is a singleton on the other side too."""
    key, response = alignment.key, alignment.response
    return Counts(
        (
            *_count_resolved(key, alignment.key_table, response),
            *_count_resolved(response, alignment.response_table, key),
        )
    )


def _count_resolved(side: Side, table: Table, other: Side) -> tuple[float, int]:
    total = 0.0
    for cluster, row in zip(side.clusters, table, strict=True):
        size = len(cluster)
        if size == 1:
            total += any(len(other.clusters[number]) == 1 for number in row)
        else:  # size * links / all links, with all links = size * (size - 1) / 2
            total += sum(n * (n - 1) for n in row.values()) / (size - 1)
    return total, sum(map(len, side.clusters))


METRIC = Metric("lea", "LEA", count)
