"""B³ (Bagga and Baldwin 1998): for every mention, how much of its entity is found, and with how much else."""

from __future__ import annotations

from ..alignment import Alignment, Counts, Table
from ..sides import Side
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Of n mentions of an entity those m in one entity of the other side each see m / n of it."""
    return Counts(
        (
            *_shares(alignment.key, alignment.key_table),
            *_shares(alignment.response, alignment.response_table),
        )
    )


def _shares(side: Side, table: Table) -> tuple[float, int]:
    found = 0.0
    for cluster, row in zip(side.clusters, table, strict=True):
        found += sum(n * n for n in row.values()) / len(cluster)
    return found, sum(map(len, side.clusters))


METRIC = Metric("b3", "B³", count)
