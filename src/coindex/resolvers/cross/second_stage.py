"""Second-stage features of a pair: what the neighbours of both mentions have in common.

The context of one mention is short; that of all mentions that the first stage found similar to it is long. *Foiled* and
*thwarted* share little, but nine mentions of the first and seven of the second occur with the same ship, sea and crew.
So each mention is described by the mean of itself and of its neighbours: the MOST mentions with the highest probability
in the first stage, weighted by that probability. Pairs are then compared by these means.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .collection import Floats, Ints
from .features import FeatureMaker, dots
from .neighbours import Pairs, Vectors, group_means, row_products, unit_rows
from .terms import Matrix

LIKE = 0.15
"""The least probability of a neighbour."""
MOST = 10
FIRST, LEAST, LARGEST, BETWEEN = "first", "company_least", "company_most", "between"
WORDS = ("arguments_within", "window_within", "sentence_within")
"""The rows of `ContextFeatures` that are averaged."""
MEANT = "meaning"
"""What the words of mentions can mean, which is averaged too where a scorer asks for it."""
VECTORS = ("lower", "span", "phrase", "rest", "sentence", "learned")
"""The vectors that are averaged, as far as there are any."""
PREFIX = "company:"
"""The start of the names of averaged features, as model files have it."""


def feature_names(vectors: Sequence[str], *, meanings: bool = False) -> tuple[str, ...]:
    """The features of the second stage where mentions have these vectors, and perhaps what their words can mean."""
    averaged = (*WORDS, *([MEANT] if meanings else ()), *(name for name in VECTORS if name in vectors))
    return (FIRST, LEAST, LARGEST, BETWEEN, *(f"{PREFIX}{name}" for name in averaged))


class SecondStageFeatures:
    """The mentions of a kind, `rows` of a collection, with the pairs of the first stage, by places among these."""

    def __init__(self, maker: FeatureMaker, rows: Ints, pairs: Pairs) -> None:
        self.maker, self.rows = maker, rows
        self.topic = np.unique(maker.topic[rows], return_inverse=True)[1].astype(np.int64)
        self.near = _nearest(len(rows), pairs)
        with_itself = (self.near + sparse.identity(len(rows), format="csr")).tocsr()
        self.size: Floats = np.asarray(with_itself.sum(axis=1), dtype=np.float64).ravel()
        self.share = _scale_rows(with_itself, 1 / self.size)
        self._reached = (self.share @ self.near).tocsr()
        self._rows: dict[str, Matrix] = {}
        self._vectors: dict[str, Vectors] = {}

    def __call__(self, left: Ints, right: Ints, logits: Floats, names: Sequence[str]) -> NDArray[np.float32]:
        """[pairs, features], where the first stage gave these logits."""
        made = np.empty((len(left), len(names)), dtype=np.float32)
        for column, name in enumerate(names):
            made[:, column] = self._feature(name, left, right, logits)
        return made

    def _feature(self, name: str, left: Ints, right: Ints, logits: Floats) -> NDArray[np.floating]:
        if name == FIRST:
            return logits
        if name in (LEAST, LARGEST):
            choose = np.minimum if name == LEAST else np.maximum
            return choose(self.size[left], self.size[right])
        if name == BETWEEN:
            forward, backward = (self._between(*sides) for sides in ((left, right), (right, left)))
            return (forward + backward) / 2
        what = name.removeprefix(PREFIX)
        if what in (*WORDS, MEANT):
            return dots(self._average_rows(what), left, right)
        return row_products(self._average_vectors(what), left, right)

    def _between(self, left: Ints, right: Ints) -> Floats:
        """The mean probability between the neighbours of one and those of the other."""
        products: Floats = np.asarray(self._reached[left].multiply(self.share[right]).sum(axis=1)).ravel()
        return products

    def _average_rows(self, name: str) -> Matrix:
        if name not in self._rows:
            averaged = (self.share @ self._words(name)[self.rows]).tocsr()
            lengths = np.sqrt(np.asarray(averaged.multiply(averaged).sum(axis=1)).ravel())
            self._rows[name] = _scale_rows(averaged, 1 / np.where(lengths > 0, lengths, 1))
        return self._rows[name]

    def _words(self, name: str) -> Matrix:
        """A row for each mention of the collection."""
        if name == MEANT:
            return self.maker.words.meant.wide[self.maker.words.meant.row]
        return getattr(self.maker.context, name)

    def _average_vectors(self, name: str) -> Vectors:
        if name not in self._vectors:
            vectors = unit_rows(self.maker.vectors[name][self.rows])
            vectors = vectors - group_means(vectors, self.topic)
            self._vectors[name] = unit_rows((self.share @ vectors).astype(np.float32))
        return self._vectors[name]


def _nearest(number: int, pairs: Pairs) -> Matrix:
    """For each mention its neighbours by probability; of several equally near the first."""
    like = pairs.probability >= LIKE
    left = np.concatenate([pairs.left[like], pairs.right[like]])
    right = np.concatenate([pairs.right[like], pairs.left[like]])
    probability = np.round(np.concatenate([pairs.probability[like]] * 2), 9)
    order = np.lexsort((right, -probability, left))
    left, right, probability = left[order], right[order], probability[order]
    kept = np.arange(len(left)) - np.searchsorted(left, left) < MOST
    return sparse.csr_matrix((probability[kept], (left[kept], right[kept])), shape=(number, number))


def _scale_rows(matrix: Matrix, factors: Floats) -> Matrix:
    """Each row by its factor."""
    return (sparse.diags(factors) @ matrix).tocsr()
