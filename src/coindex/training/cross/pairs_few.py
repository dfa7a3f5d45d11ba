"""How much sooner mentions are taken for the same in a collection of few documents, by small ones drawn from dev."""

from __future__ import annotations

import numpy as np

from ...document import Kind
from ...resolvers.cross.collection import Collection, Ints
from ...resolvers.cross.neighbours import Pairs
from ...resolvers.cross.scorer import BoostedTrees, logits, sigmoid
from .pairs_data import Examples
from .pairs_tuning import Dev, score_clusters, scored_pairs

SIZES = (2, 3, 5, 8)
DRAWN = 40
SHIFTS = (0.0, 0.5, 1.0, 1.5)
SEED = 7


def best_few(scorer: BoostedTrees, kind: Kind, dev: Dev) -> float:
    """What is added to logits: the best mean of CoNLL over collections of one subtopic; of ties the least."""
    parts = [part for part in _parts(dev) if len(part.examples.rows(kind)) > 1]
    scored = [(part, scored_pairs(scorer, kind, part.examples)) for part in parts]
    choice = (scorer.threshold, 0.0)
    totals = {}
    for shift in SHIFTS:
        rows = [score_clusters(kind, part, _shifted(pairs, shift), choice) for part, pairs in scored]
        totals[shift] = sum(row["conll"] for row in rows)
    return max(totals, key=lambda shift: totals[shift])


def _shifted(pairs: Pairs, shift: float) -> Pairs:
    return Pairs(pairs.left, pairs.right, sigmoid(logits(pairs.probability) + shift))


def _parts(dev: Dev) -> list[Dev]:
    groups: dict[str | None, list[int]] = {}
    for number, doc in enumerate(dev.key):
        groups.setdefault(doc.subtopic or doc.topic, []).append(number)
    random = np.random.default_rng(SEED)
    drawn: dict[tuple[int, ...], None] = {}  # each once, in order
    for turn in range(DRAWN):
        size = SIZES[turn % len(SIZES)]
        large = [group for group in groups.values() if len(group) >= size]
        if large:
            group = large[int(random.integers(len(large)))]
            drawn[tuple(sorted(random.choice(group, size, replace=False).tolist()))] = None
    return [_part(dev, np.array(numbers)) for numbers in drawn]


def _part(dev: Dev, numbers: Ints) -> Dev:
    examples = dev.examples
    rows = np.flatnonzero(np.isin(examples.collection.document, numbers))
    collection = Collection.of(examples.collection.documents[number] for number in numbers)
    vectors = {name: part[rows] for name, part in examples.vectors.items()}
    topics = np.zeros(len(numbers), dtype=np.int64)
    return Dev([dev.key[number] for number in numbers], Examples(collection, topics, examples.entity[rows], vectors))
