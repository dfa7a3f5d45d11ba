"""CEAF-m (Luo 2005): the best pairing of entities, each pair worth the mentions in common."""

from __future__ import annotations

from ..alignment import Alignment
from ..assignment import best_total
from ..counts import Counts
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """The mentions that the best pairing keeps together (phi 3), of all mentions."""
    best = best_total(alignment.overlap)
    return Counts(
        (
            best,
            sum(map(len, alignment.key.clusters)),
            best,
            sum(map(len, alignment.response.clusters)),
        )
    )


METRIC = Metric("ceafm", "CEAF-m", count)
