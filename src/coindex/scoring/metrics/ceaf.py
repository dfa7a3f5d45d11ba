"""CEAF (Luo 2005): the best one-to-one pairing of key and response entities, by similarity or by common mentions."""

from __future__ import annotations

from ..alignment import Alignment, Counts
from ..assignment import best_total
from .registry import Metric


def count_entities(alignment: Alignment) -> Counts:
    """Count a pair of entities with n common mentions as 2n over the sum of their sizes (phi 4), per entity."""
    key, response = alignment.key.clusters, alignment.response.clusters
    sizes = list(map(len, response))
    best = best_total(
        {other: 2 * common / (len(entity) + sizes[other]) for other, common in row.items()}
        for entity, row in zip(key, alignment.overlap, strict=True)
    )
    return Counts((best, len(key), best, len(response)))


def count_mentions(alignment: Alignment) -> Counts:
    """Count the mentions that the best pairing keeps together (phi 3), out of all mentions."""
    best = best_total(alignment.overlap)
    key, response = alignment.key.clusters, alignment.response.clusters
    return Counts((best, sum(map(len, key)), best, sum(map(len, response))))


CEAF_E = Metric("ceafe", "CEAF-e", count_entities)
CEAF_M = Metric("ceafm", "CEAF-m", count_mentions)
