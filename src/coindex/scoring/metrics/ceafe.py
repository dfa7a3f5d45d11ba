"""CEAF-e (Luo 2005): the best pairing of entities, each pair worth how alike the two are, each entity counted once."""

from __future__ import annotations

from ..alignment import Alignment
from ..assignment import best_total
from ..counts import Counts
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Two entities with n mentions in common are alike by 2n over the sum of their sizes (phi 4)."""
    key, response = alignment.key.clusters, alignment.response.clusters
    sizes = list(map(len, response))
    best = best_total(
        {other: 2 * common / (len(entity) + sizes[other]) for other, common in row.items()}
        for entity, row in zip(key, alignment.overlap, strict=True)
    )
    return Counts((best, len(key), best, len(response)))


METRIC = Metric("ceafe", "CEAF-e", count)
