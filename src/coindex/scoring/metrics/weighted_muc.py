"""MUC weighted by overlap (ARE 2007, task 4): a link counts by the overlap of its mentions.

The paper only specifies that "the overlap between entities identified automatically and those in the gold standard is
taken into consideration when the score is calculated". The definition used here: mentions are matched one to one with
the greatest total overlap (`lenient.overlap`); MUC counts n - 1 links for n mentions of an entity that are together on
the other side, and each of these links has the mean overlap of the n mentions as its weight. The reasons: it equals MUC
if all overlaps are 1, and as MUC does not define which n - 1 links these are, the weight must not depend on the choice.
It is the average over all trees that connect the n mentions if the weight of a link is the mean of its two ends. As in
MUC, recall and precision have the same numerator and are divided by the links of the key and of the response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..alignment import Alignment, Counts
from ..lenient import overlap
from ..sides import Side
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Count the links found, weighted by the overlap of their mentions."""
    key, response = alignment.key, alignment.response
    pairs = {k: r for k in alignment.found_key if (r := alignment.partner(k)) is not None}
    words = key.table.words
    weights = {k: overlap(words[k], words[r]) for k, r in pairs.items()}
    entity_of_key = {k: (response.cluster_of[r], weights[k]) for k, r in pairs.items()}
    entity_of_response = {r: (key.cluster_of[k], weights[k]) for k, r in pairs.items()}
    return Counts((*_count_links(key, entity_of_key), *_count_links(response, entity_of_response)))


def _count_links(side: Side, matches: Mapping[int, tuple[int, float]]) -> tuple[float, int]:
    worth = sum(
        sum(weights) * (len(weights) - 1) / len(weights)
        for cluster in side.clusters
        for weights in _group_weights(cluster, matches)
    )
    return worth, sum(len(cluster) - 1 for cluster in side.clusters)


def _group_weights(cluster: list[int], matches: Mapping[int, tuple[int, float]]) -> Iterator[list[float]]:
    """Yield the overlaps of the mentions of an entity, grouped by their entity on the other side."""
    pieces: dict[int, list[float]] = {}
    for mention in cluster:
        if mention in matches:
            entity, weight = matches[mention]
            pieces.setdefault(entity, []).append(weight)
    yield from pieces.values()


METRIC = Metric("muc", "MUC weighted by overlap", count)
