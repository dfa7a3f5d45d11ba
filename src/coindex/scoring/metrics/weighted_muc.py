"""MUC weighted by overlap (ARE 2007, task 4): a link found counts as much as the mentions it joins are found.

The paper only says that "the overlap between entities identified automatically and those in the gold standard is taken
into consideration when the score is calculated". The definition here: mentions are matched one to one by greatest
total overlap (`overlap`); MUC counts n - 1 links for n mentions of an entity that are together on the other side, and
each of these links is worth the mean overlap of the n mentions. Reasons: it is MUC where all overlaps are 1; MUC does
not say which n - 1 links those are, so their worth must not depend on the choice. It is what comes out on average over
all trees that join the n mentions when a link is worth the mean of its two ends. Numerators are the same for recall
and precision, as in MUC, and divide by the links of the key and of the response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..alignment import Alignment, Counts
from ..lenient import overlap
from ..sides import Side
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Links found, each by the overlap of its mentions."""
    key, response = alignment.key, alignment.response
    pairs = {k: r for k in alignment.found_key if (r := alignment.partner(k)) is not None}
    words = key.table.words
    weights = {k: overlap(words[k], words[r]) for k, r in pairs.items()}
    entity_of_key = {k: (response.cluster_of[r], weights[k]) for k, r in pairs.items()}
    entity_of_response = {r: (key.cluster_of[k], weights[k]) for k, r in pairs.items()}
    return Counts((*_links(key, entity_of_key), *_links(response, entity_of_response)))


def _links(side: Side, found: Mapping[int, tuple[int, float]]) -> tuple[float, int]:
    worth = sum(
        sum(weights) * (len(weights) - 1) / len(weights)
        for cluster in side.clusters
        for weights in _pieces(cluster, found)
    )
    return worth, sum(len(cluster) - 1 for cluster in side.clusters)


def _pieces(cluster: list[int], found: Mapping[int, tuple[int, float]]) -> Iterator[list[float]]:
    """The overlaps of an entity's mentions, by the entity that they are in on the other side."""
    pieces: dict[int, list[float]] = {}
    for mention in cluster:
        if mention in found:
            entity, weight = found[mention]
            pieces.setdefault(entity, []).append(weight)
    yield from pieces.values()


METRIC = Metric("muc", "MUC weighted by overlap", count)
