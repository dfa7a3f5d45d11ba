"""Mentions of training documents with what they mean, and pairs of them to learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...document import Document, Kind, Mention
from ...document.trees import Trees
from ...resolvers.clusters import with_clusters
from ...resolvers.cross.collection import KINDS, Collection, Floats, Ints
from ...resolvers.cross.features import FeatureMaker
from ...resolvers.cross.neighbours import Vectors, all_pairs
from ...resolvers.cross.scorer import VectorMaker
from ...resolvers.cross.topics import find_topics
from ...resolvers.linguistics.word_classes import head_word

Place = tuple[Kind, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Examples:
    """A collection in which each mention stands alone, the entity of each by its number, and its vectors."""

    collection: Collection
    topics: Ints
    """Of documents."""
    entity: Ints
    """Of mentions: the same number for the same thing. A mention that the key does not have is a thing by itself."""
    vectors: Mapping[str, Vectors]

    @property
    def topic(self) -> Ints:
        """Of mentions."""
        return self.topics[self.collection.document]

    def maker(self) -> FeatureMaker:
        return FeatureMaker(self.collection, self.topics, self.vectors)

    def rows(self, kind: Kind) -> Ints:
        """The mentions of a kind."""
        return np.flatnonzero(self.collection.kind == KINDS.index(kind))

    def pairs(self, kind: Kind) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """All pairs of mentions of a kind within a topic, and whether both are the same thing."""
        left, right = all_pairs(np.where(self.collection.kind == KINDS.index(kind), self.topic, -1))
        return left, right, self.entity[left] == self.entity[right]


def make_examples(key: Sequence[Document], response: Sequence[Document] | None, vectors: VectorMaker) -> Examples:
    """Examples of the mentions of the key, or of a response to it: the same documents with other mentions."""
    docs = [alone(doc) for doc in (key if response is None else response)]
    collection = Collection.of(docs)
    numbers: dict[tuple[str, object, str], int] = {}
    known = [_Known(doc, number, numbers) for number, doc in enumerate(key)]
    entity = np.full(len(collection), -1)
    for row, mention in enumerate(collection.mentions):
        kind, head = KINDS[int(collection.kind[row])], int(collection.head[row])
        entity[row] = known[int(collection.document[row])].entity(kind, mention, head)
    unknown = np.flatnonzero(entity < 0)
    entity[unknown] = len(numbers) + np.arange(len(unknown))
    return Examples(collection, find_topics(docs, "auto"), entity, vectors(collection))


def alone(doc: Document) -> Document:
    """The document with each mention as an entity by itself: what is known before anything is linked."""
    found = [(mention, entity.kind) for mention, entity in doc.mentions()]
    return with_clusters(doc, ([mention] for mention, _ in found), kinds=[kind for _, kind in found])


class _Known:
    """The entities of a document of the key, by the words and by the head of a mention."""

    def __init__(self, doc: Document, number: int, numbers: dict[tuple[str, object, str], int]) -> None:
        self.spans: dict[Place, int] = {}
        self.heads: dict[tuple[Kind, int], int] = {}
        trees = Trees(doc)
        for mention, entity in doc.mentions():
            place = ("topic", doc.topic, entity.id) if doc.shared_ids else ("document", number, entity.id)
            name = numbers.setdefault(place, len(numbers))
            self.spans.setdefault((entity.kind, mention.positions), name)
            self.heads.setdefault((entity.kind, head_word(mention, trees)), name)

    def entity(self, kind: Kind, mention: Mention, head: int) -> int:
        """That of the same words, else that of the same head; -1 for none."""
        return self.spans.get((kind, mention.positions), self.heads.get((kind, head), -1))


def drawn(same: NDArray[np.bool_], negatives: float, random: np.random.Generator) -> Ints:
    """All pairs that are the same, and so many others for each of them, as far as there are any."""
    unlike = np.flatnonzero(~same)
    number = min(len(unlike), round(negatives * max(1, int(same.sum()))))
    return np.sort(np.concatenate([np.flatnonzero(same), random.choice(unlike, number, replace=False)]))


def pair_weights(examples: Examples, left: Ints, same: NDArray[np.bool_]) -> Floats:
    """How much each pair counts: not the pairs but the mentions of an entity, and of a topic, count alike.

    An entity of ten mentions has 45 pairs, one of two has 1; unweighted, a few large entities are all that is learned.
    """
    weights = np.ones(len(left))
    sizes = np.bincount(examples.entity)
    weights[same] = 1 / np.maximum(sizes[examples.entity[left[same]]] - 1, 1)
    topic = examples.topic[left[~same]]
    pairs, mentions = np.bincount(topic, minlength=1), np.bincount(examples.topic, minlength=1)
    weights[~same] = mentions[topic] / np.maximum(pairs[topic], 1)
    for part in (same, ~same):
        weights[part] *= part.sum() / max(weights[part].sum(), 1e-9)
    return weights
