"""The threshold of clusters that is best on development topics, by coindex's own scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...document import Document, Kind
from ...resolvers.cross.clustering import ClusterOptions, cluster
from ...resolvers.cross.collection import with_entities
from ...resolvers.cross.neighbours import Pairs
from ...resolvers.cross.pipeline import look, prepared
from ...resolvers.cross.scorer import BoostedTrees
from ...scoring import make_settings, score_documents
from .pairs_data import Examples

THRESHOLDS = tuple(number / 100 for number in range(10, 80, 4))
SMALL = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
DEFAULT = 0.5
Choice = tuple[float, float]
"""The threshold of all clusters, and that of small ones."""
PROFILE = "ecb-topic"


@dataclass(frozen=True, eq=False)
class Dev:
    """Documents of the key, and their mentions as they are given or were found."""

    key: Sequence[Document]
    examples: Examples


@dataclass(frozen=True, slots=True)
class Tuned:
    """The thresholds, and the scores of each set of mentions with them: CoNLL in per cent, without singletons."""

    threshold: float = DEFAULT
    small: float = 0.0
    scores: list[dict[str, Any]] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return float(sum(row["conll"] for row in self.scores)) / max(1, len(self.scores))


def best_threshold(scorer: BoostedTrees, kind: Kind, dev: Sequence[Dev]) -> Tuned:
    """The thresholds with the best mean over all sets of mentions; of several equally good the middle ones."""
    scored = [(one, scored_pairs(scorer, kind, one.examples)) for one in dev]
    scored = [(one, pairs) for one, pairs in scored if len(pairs)]
    if not scored:
        return Tuned()
    choices = [(at, small) for at in THRESHOLDS for small in SMALL if not small or small > at]
    results = {choice: [score_clusters(kind, one, pairs, choice) for one, pairs in scored] for choice in choices}
    means = {choice: sum(row["conll"] for row in rows) for choice, rows in results.items()}
    equal = [choice for choice in choices if means[choice] == max(means.values())]
    chosen = equal[len(equal) // 2]
    return Tuned(*chosen, results[chosen])


def scored_pairs(scorer: BoostedTrees, kind: Kind, examples: Examples) -> Pairs:
    """All pairs within topics, by the places of mentions among those of the kind."""
    left, right, _ = examples.pairs(kind)
    maker, rows = prepared(examples.maker(), scorer), examples.rows(kind)
    pairs = np.searchsorted(rows, left), np.searchsorted(rows, right)
    looked_at, _ = look(maker, rows, pairs, scorer, np.zeros(len(rows)))
    return looked_at


def score_clusters(kind: Kind, dev: Dev, pairs: Pairs, choice: Choice) -> dict[str, Any]:
    threshold, small = choice
    collection, rows = dev.examples.collection, dev.examples.rows(kind)
    found, _ = cluster(len(rows), pairs, ClusterOptions(threshold=threshold, small=small))
    labels = len(rows) + np.arange(len(collection))
    labels[rows] = found
    response = with_entities(collection, labels, by="pairs")
    result = score_documents(dev.key, response, make_settings(PROFILE, kind=kind))
    return {"conll": round(100 * (result.conll or 0.0), 2), "signature": result.signature}
