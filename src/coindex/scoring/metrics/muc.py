"""MUC (Vilain et al. 1995): the share of the links of an entity that is found."""

from __future__ import annotations

from ..alignment import Alignment, Counts, Table
from ..sides import Side
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Count n - 1 links for an entity of n mentions, minus one for each further part on the other side."""
    return Counts(
        (
            *_count_links(alignment.key, alignment.key_table),
            *_count_links(alignment.response, alignment.response_table),
        )
    )


def _count_links(side: Side, table: Table) -> tuple[int, int]:
    common = sum(sum(row.values()) - len(row) for row in table)
    return common, sum(len(cluster) - 1 for cluster in side.clusters)


METRIC = Metric("muc", "MUC", count)
