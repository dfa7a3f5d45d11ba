"""Nearest neighbours and projections of vectors in numpy, and pairs of mentions as arrays.

Neighbours are searched with a forest of random projection trees: the vectors are split at the median of a random
direction until at most LEAF are left, and only these are compared. Several trees find neighbours that one of them
separated. Each tree takes n log n time. The random seed is fixed, so that the neighbours are the same in every run.
Graph indexes such as HNSW find a few more neighbours, but need compiled packages and depend on the order of threads.

A trained scorer can include a projection: the vectors of a mention are concatenated with equal weight and multiplied
by a matrix, which gives one more vector with the name LEARNED. In it, mentions of an entity are similar and other
mentions of a topic are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...errors import CoindexError
from .collection import Floats, Ints
from .terms import Matrix

PairScores = Callable[[Ints, Ints], Floats]
"""The probability of each pair, given by two arrays of mentions."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Sorted, distinct pairs of mentions, the earlier one first, with their probabilities."""

    left: Ints
    right: Ints
    probability: Floats

    def __len__(self) -> int:
        return len(self.left)

    def join(self, other: Pairs, number: int) -> Pairs:
        """Return the sorted union with other pairs."""
        left, right = np.concatenate([self.left, other.left]), np.concatenate([self.right, other.right])
        order = np.argsort(codes(left, right, number), kind="stable")
        return Pairs(left[order], right[order], np.concatenate([self.probability, other.probability])[order])


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Pairs by their earlier mention: those of mention m are at `starts[m]` to `starts[m + 1]`, sorted by the later."""

    starts: Ints
    right: NDArray[np.int32]
    probability: Floats

    @classmethod
    def of(cls, counts: Ints, right: NDArray[np.int32], probability: Floats) -> PairTable:
        """Return the table; `counts` are the numbers of pairs of all mentions."""
        return cls(np.append(0, np.cumsum(counts)), right, probability)

    def __len__(self) -> int:
        return len(self.right)

    @property
    def number(self) -> int:
        """The number of mentions."""
        return len(self.starts) - 1

    def pairs(self, start: int = 0, end: int | None = None) -> Pairs:
        """Return the pairs whose earlier mention is in a range."""
        end = self.number if end is None else end
        own = slice(int(self.starts[start]), int(self.starts[end]))
        left = np.repeat(np.arange(start, end), np.diff(self.starts[start : end + 1]))
        return Pairs(left, self.right[own].astype(np.int64), self.probability[own])

    def pairs_of(self, members: Ints) -> Pairs:
        """Return the pairs whose earlier mention is one of these."""
        starts = self.starts[members]
        places, owner = ranges(starts, self.starts[members + 1] - starts)
        return Pairs(members[owner], self.right[places].astype(np.int64), self.probability[places])


def ranges(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Return the concatenated numbers of many ranges, and the index of the range of each."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    offsets = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return starts[owner] + offsets, owner


def all_pairs(blocks: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of indices with the same block, the earlier one first; block -1 is ignored."""
    places = np.flatnonzero(blocks >= 0)
    order = places[np.argsort(blocks[places], kind="stable")]
    own = blocks[order]
    ends = np.searchsorted(own, own, side="right")
    at = np.arange(len(order))
    partners, owner = ranges(at + 1, ends - at - 1)
    return order[owner], order[partners]


def codes(left: Ints, right: Ints, number: int) -> Ints:
    """Encode each pair as a number with the same sort order."""
    return left * number + right


def distinct_pairs(left: Ints, right: Ints, number: int) -> tuple[Ints, Ints]:
    """Return the distinct pairs in order, the smaller index first, without pairs of an index with itself."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    low, high = low[low != high], high[low != high]
    # a sort, because `np.unique` hashes the numbers first, which takes several times as long
    every = np.sort(codes(low, high, max(number, 1)))
    unique = every[np.append(True, every[1:] != every[:-1])[: len(every)]]
    return unique // max(number, 1), unique % max(number, 1)


Vectors = NDArray[np.float32]
LEAF = 256
TREES = 4
EXACT = 4096
"""Up to this number, all vectors are compared with each other."""
ROWS = 1024
"""Number of rows that are multiplied at the same time."""
PAIRS = 1 << 10
"""Number of pairs of vectors that are multiplied at the same time."""
FREQUENT = 200
"""Terms in more documents are ignored, because they do not indicate similar documents."""
SEED = 20210


def near_rows(rows: Matrix, most: int) -> tuple[Ints, Ints]:
    """Return each TF-IDF row with a limited number of its nearest rows, as two arrays of indices.

    Terms that very many rows have are left out, so that time grows with the words and not with the pairs.
    """
    frequency = np.bincount(rows.indices, minlength=rows.shape[1])
    kept = rows.copy()
    kept.data[(frequency > max(FREQUENT, 0.02 * rows.shape[0]))[kept.indices] & (rows.shape[0] > FREQUENT)] = 0
    kept.eliminate_zeros()
    turned = kept.T.tocsr()
    sources, targets = [], []
    for start in range(0, rows.shape[0], ROWS):
        products = (kept[start : start + ROWS] @ turned).tocsr()
        row = np.repeat(np.arange(products.shape[0]), np.diff(products.indptr))
        order = np.lexsort((products.indices, -np.round(products.data, 9), row))
        lengths = np.minimum(np.diff(products.indptr), most + 1)  # and one for the row itself
        places, owner = ranges(products.indptr[:-1].astype(np.int64), lengths.astype(np.int64))
        sources.append(owner + start)
        targets.append(products.indices[order[places]].astype(np.int64))
    if not sources:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    source, target = np.concatenate(sources), np.concatenate(targets)
    return source[source != target], target[source != target]


def unit_rows(vectors: Vectors) -> Vectors:
    """Return the vectors scaled to length 1; zero vectors are unchanged."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def group_means(vectors: Vectors, groups: Ints) -> Vectors:
    """Return the mean of its group for each row."""
    number = int(groups.max(initial=-1)) + 1
    members = sparse.csr_matrix(
        (np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(number, len(groups)), dtype=np.float64
    )
    means = (members @ vectors) / np.maximum(np.bincount(groups, minlength=number), 1)[:, None]
    result: Vectors = means.astype(np.float32)[groups]
    return result


def row_products(vectors: Vectors, left: Ints, right: Ints) -> Vectors:
    """Return the products of pairs of rows, in chunks that fit into the cache, which is much faster."""
    products = np.empty(len(left), dtype=np.float32)
    for start in range(0, len(left), PAIRS):
        part = slice(start, start + PAIRS)
        np.einsum("ij,ij->i", vectors[left[part]], vectors[right[part]], out=products[part])
    return products


def near_vectors(vectors: Vectors, most: int, tree: int) -> tuple[Ints, Ints]:
    """Return the nearest vectors by cosine, like `near_rows`; the vectors have length 1.

    More than EXACT vectors are searched with a tree: one of TREES.
    """
    if len(vectors) <= EXACT:
        return near_among(vectors, np.arange(len(vectors)), vectors, np.arange(len(vectors)), most)
    pairs = [
        near_among(vectors[leaf], leaf, vectors[leaf], leaf, most)
        for leaf in _leaves(vectors, np.random.default_rng(SEED + tree))
    ]
    return np.concatenate([left for left, _ in pairs]), np.concatenate([right for _, right in pairs])


def near_among(vectors: Vectors, names: Ints, others: Vectors, other_names: Ints, most: int) -> tuple[Ints, Ints]:
    """Return the nearest of other vectors for each vector, as pairs of their names."""
    sources, targets = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    width = min(most, len(others))
    for start in range(0, len(vectors) if width else 0, ROWS):
        own = names[start : start + ROWS]
        cosines: Vectors = np.round(vectors[start : start + ROWS] @ others.T, 5)
        cosines[own[:, None] == other_names[None, :]] = -2
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :width]
        near = other_names[order]
        kept = near != own[:, None]
        sources.append(np.broadcast_to(own[:, None], near.shape)[kept])
        targets.append(near[kept])
    return np.concatenate(sources), np.concatenate(targets)


def _leaves(vectors: Vectors, random: np.random.Generator) -> list[Ints]:
    """Build one tree and return its leaves: groups of at most LEAF vectors."""
    todo, leaves = [np.arange(len(vectors))], []
    while todo:
        members = todo.pop()
        if len(members) <= LEAF:
            leaves.append(np.sort(members))
            continue
        direction = random.standard_normal(vectors.shape[1], dtype=np.float32)
        sides = np.argsort(vectors[members] @ direction, kind="stable")
        middle = len(members) // 2
        todo += [members[sides[:middle]], members[sides[middle:]]]
    return leaves


LEARNED = "learned"


@dataclass(frozen=True, eq=False)
class Projection:
    """A projection: the names of the vectors, and the matrix [sum of their sizes, size]."""

    names: tuple[str, ...]
    matrix: Vectors

    def __call__(self, vectors: Mapping[str, Vectors]) -> Vectors:
        joined = concatenate_vectors({name: vectors[name] for name in self.names})
        if joined.shape[1] != len(self.matrix):
            raise CoindexError(
                f"the vectors have {joined.shape[1]} dimensions; the pair scorer was trained with "
                f"{len(self.matrix)}; use the encoder that it was trained with",
                code="invalid-model",
            )
        projected: Vectors = joined @ self.matrix
        return projected


def concatenate_vectors(vectors: Mapping[str, Vectors]) -> Vectors:
    """Concatenate the vectors of each mention with equal weight, and scale the result to length 1."""
    return unit_rows(np.concatenate([unit_rows(part) for part in vectors.values()], axis=1))
