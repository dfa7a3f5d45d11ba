"""MUC (Vilain et al. 1995): how many of the links that hold an entity together are found."""

from __future__ import annotations

from ..alignment import Alignment, Counts, Table
from ..sides import Side
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """An entity of n mentions needs n - 1 links; each piece it falls into on the other side costs one."""
    return Counts(
        (
            *_links(alignment.key, alignment.key_table),
            *_links(alignment.response, alignment.response_table),
        )
    )


def _links(side: Side, table: Table) -> tuple[int, int]:
    found = sum(sum(row.values()) - len(row) for row in table)
    return found, sum(len(cluster) - 1 for cluster in side.clusters)


METRIC = Metric("muc", "MUC", count)
