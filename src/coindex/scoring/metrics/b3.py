"""B³ (Bagga and Baldwin 1998): for every mention, the share of its entity that is in one entity of the other side."""

from __future__ import annotations

from ..alignment import Alignment, Counts, Table
from ..sides import Side
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Count m / n for each of the m mentions that an entity of n mentions shares with an entity of the other side."""
    return Counts(
        (
            *_sum_shares(alignment.key, alignment.key_table),
            *_sum_shares(alignment.response, alignment.response_table),
        )
    )


def _sum_shares(side: Side, table: Table) -> tuple[float, int]:
    total = 0.0
    for cluster, row in zip(side.clusters, table, strict=True):
        total += sum(n * n for n in row.values()) / len(cluster)
    return total, sum(map(len, side.clusters))


METRIC = Metric("b3", "B³", count)
