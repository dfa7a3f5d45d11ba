"""Training data for pair scorers: mentions with their entities, pairs of mentions, and projected vectors.

The projection of vectors is learned from entities, by linear discriminant analysis of mentions within topics. With S
the scatter of mentions around the mean of their topic and W that around the mean of their entity, the directions are
the generalised eigenvectors of S and W with the largest eigenvalues. W is shrunk towards a multiple of the identity,
since there are too few mentions to estimate it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ...document import Document, Kind, Mention
from ...document.heads import Trees
from ...resolvers.clusters import with_clusters
from ...resolvers.cross.collection import KINDS, Collection, Floats, Ints
from ...resolvers.cross.features import FeatureMaker
from ...resolvers.cross.neighbours import Projection, Vectors, all_pairs, concatenate_vectors, group_means
from ...resolvers.cross.scorer import VectorMaker
from ...resolvers.cross.topics import find_topics
from ...resolvers.cross.vectors import DocumentVectors, WordEncoder
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
        """Return the mentions of a kind."""
        return np.flatnonzero(self.collection.kind == KINDS.index(kind))

    def pairs(self, kind: Kind) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Return all pairs of mentions of a kind within a topic, and whether they corefer."""
        left, right = all_pairs(np.where(self.collection.kind == KINDS.index(kind), self.topic, -1))
        return left, right, self.entity[left] == self.entity[right]


def make_examples(key: Sequence[Document], response: Sequence[Document] | None, vectors: VectorMaker) -> Examples:
    """Return examples of the mentions of the key, or of a response with the same documents."""
    docs = [split_entities(doc) for doc in (key if response is None else response)]
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


def split_entities(doc: Document) -> Document:
    """Return the document with each mention as an entity of its own, as before linking."""
    mentions = [(mention, entity.kind) for mention, entity in doc.mentions()]
    return with_clusters(doc, ([mention] for mention, _ in mentions), kinds=[kind for _, kind in mentions])


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
        """Return the entity of a mention with the same words, otherwise with the same head; -1 if there is none."""
        return self.spans.get((kind, mention.positions), self.heads.get((kind, head), -1))


def draw_pairs(same: NDArray[np.bool_], negatives: float, random: np.random.Generator) -> Ints:
    """Return all positive pairs, and up to a number of negative ones for each of them."""
    unlike = np.flatnonzero(~same)
    number = min(len(unlike), round(negatives * max(1, int(same.sum()))))
    return np.sort(np.concatenate([np.flatnonzero(same), random.choice(unlike, number, replace=False)]))


def pair_weights(examples: Examples, left: Ints, same: NDArray[np.bool_]) -> Floats:
    """Return pair weights that give mentions of an entity and of a topic the same weight.

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


Half = NDArray[np.float16]


@dataclass(frozen=True, eq=False, slots=True)
class Kept:
    """The vectors of a document with half the bits."""

    half: tuple[Half, Half, Half]

    @classmethod
    def of(cls, encoded: DocumentVectors) -> Kept:
        words, lower, sentences = (
            part.astype(np.float16) for part in (encoded.words, encoded.lower, encoded.sentences)
        )
        return cls((words, lower, sentences))

    @property
    def words(self) -> Vectors:
        return self.half[0].astype(np.float32)

    @property
    def lower(self) -> Vectors:
        return self.half[1].astype(np.float32)

    @property
    def sentences(self) -> Vectors:
        return self.half[2].astype(np.float32)


class CachedEncoder:
    """The same vectors whenever the same words in the same sentences come again."""

    def __init__(self, encoder: WordEncoder) -> None:
        self.encoder = encoder
        self._kept: dict[tuple[tuple[str, ...], tuple[int, ...]], Kept] = {}

    @property
    def size(self) -> int:
        return self.encoder.size

    def encode(self, docs: Sequence[Document]) -> list[DocumentVectors]:
        names = [(tuple(doc.tokens.forms), tuple(sentence.end for sentence in doc.sentences)) for doc in docs]
        new = {name: doc for name, doc in zip(names, docs, strict=True) if name not in self._kept}
        for name, encoded in zip(new, self.encoder.encode(list(new.values())), strict=True):
            self._kept[name] = Kept.of(encoded)
        return [self._kept[name] for name in names]


NAMES = ("span", "lower", "phrase", "document")
"""The vectors that are projected."""
SHRINKAGE = 0.3


def fit_projection(examples: Examples, kind: Kind, size: int, *, without: Ints | None = None) -> Projection | None:
    """Fit the projection to the entities of a kind outside some topics; None if nothing can be learned."""
    names = tuple(name for name in NAMES if name in examples.vectors)
    rows = examples.rows(kind)
    if without is not None:
        rows = rows[~np.isin(examples.topic[rows], without)]
    if not size or not names or not len(rows):
        return None
    vectors = concatenate_vectors({name: examples.vectors[name][rows] for name in names})
    vectors = vectors - group_means(vectors, _number_labels(examples.topic[rows]))
    entity = _number_labels(examples.entity[rows])
    shared = np.bincount(entity)[entity] > 1
    around = vectors[shared] - group_means(vectors[shared], _number_labels(entity[shared]))
    scatter = _scatter(vectors, len(vectors))
    level = float(np.trace(scatter)) / len(scatter)
    if not shared.any() or level <= 0:
        return None
    freedom = int(shared.sum()) - len(np.unique(entity[shared]))
    within = (1 - SHRINKAGE) * _scatter(around, freedom) + SHRINKAGE * level * np.eye(len(scatter))
    first = max(0, len(scatter) - size)
    values, directions = eigh(scatter, within, subset_by_index=(first, len(scatter) - 1))
    # a direction counts by the share of it that is not within entities
    weights = np.sqrt(np.maximum(1 - 1 / np.maximum(values, 1.0001), 0))
    return Projection(names, (directions * weights).astype(np.float16).astype(np.float32))


def _scatter(vectors: Vectors, number: int) -> Floats:
    wide = vectors.astype(np.float64)
    scatter: Floats = wide.T @ wide / max(1, number)
    return scatter


def _number_labels(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def project_parts(examples: Examples, fitted: Mapping[int, Projection | None], part: Ints) -> Vectors | None:
    """Return vectors projected by the projection of each mention's part, trained without the part's topics."""
    first = next((projection for projection in fitted.values() if projection is not None), None)
    if first is None or any(projection is None for projection in fitted.values()):
        return None
    result = np.zeros((len(examples.entity), first.matrix.shape[1]), dtype=np.float32)
    for number, projection in fitted.items():
        rows = part == number
        if projection is not None and rows.any():
            result[rows] = projection({name: examples.vectors[name][rows] for name in projection.names})
    return result
