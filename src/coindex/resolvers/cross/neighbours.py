"""Vectors and neighbours in numpy, and pairs of mentions as arrays.

A learned view of vectors: directions in which mentions of one entity differ little and those of a topic much.

Several vectors of a mention are put side by side, each with the same say, and multiplied by one matrix. The result is
one more vector of the mention, under the name LEARNED. The matrix comes with a scorer.

The forest cuts the vectors in two at the median of a random direction, again and again, until at most LEAF are
together, and compares only those; several such trees find what one of them cut apart. Each tree takes n log n time,
and its cuts come from a fixed seed, so the neighbours are the same in every run. No package is needed for it: graph
indexes such as HNSW find a few more neighbours, but they are compiled packages of their own and depend on the order
of threads.
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
    """Pairs of mentions, each once, the earlier first, in order; and their probabilities."""

    left: Ints
    right: Ints
    probability: Floats

    def __len__(self) -> int:
        return len(self.left)

    def join(self, other: Pairs, number: int) -> Pairs:
        """These pairs and others, in order."""
        left, right = np.concatenate([self.left, other.left]), np.concatenate([self.right, other.right])
        order = np.argsort(codes(left, right, number), kind="stable")
        return Pairs(left[order], right[order], np.concatenate([self.probability, other.probability])[order])


def ranges(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """The numbers of many ranges one after another, and which range each is of."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    offsets = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return starts[owner] + offsets, owner


def all_pairs(blocks: Ints) -> tuple[Ints, Ints]:
    """Every pair of places with the same block, the earlier first; the block -1 has none."""
    places = np.flatnonzero(blocks >= 0)
    order = places[np.argsort(blocks[places], kind="stable")]
    own = blocks[order]
    ends = np.searchsorted(own, own, side="right")
    at = np.arange(len(order))
    partners, owner = ranges(at + 1, ends - at - 1)
    return order[owner], order[partners]


def codes(left: Ints, right: Ints, number: int) -> Ints:
    """Each pair as one number that sorts as the pair does."""
    return left * number + right


def distinct_pairs(left: Ints, right: Ints, number: int) -> tuple[Ints, Ints]:
    """Each pair once, the smaller place first, in order; none of a place with itself."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    low, high = low[low != high], high[low != high]
    unique = np.unique(codes(low, high, max(number, 1)))
    return unique // max(number, 1), unique % max(number, 1)


Vectors = NDArray[np.float32]
LEAF = 256
TREES = 4
EXACT = 4096
"""Up to so many vectors are all compared."""
ROWS = 1024
"""How many rows are multiplied at once."""
PAIRS = 1 << 10
"""How many pairs of vectors are multiplied at once."""
FREQUENT = 200
"""A term that more documents have says nothing of which two are near."""
SEED = 20210


def near_rows(rows: Matrix, most: int) -> tuple[Ints, Ints]:
    """For TF-IDF rows, each with at most so many of those that it is most like: two arrays, of a row and of one near.

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
    """The vectors with length 1; nothing stays nothing."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def group_means(vectors: Vectors, groups: Ints) -> Vectors:
    """For each row the mean of its group."""
    number = int(groups.max(initial=-1)) + 1
    members = sparse.csr_matrix(
        (np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(number, len(groups)), dtype=np.float64
    )
    means = (members @ vectors) / np.maximum(np.bincount(groups, minlength=number), 1)[:, None]
    result: Vectors = means.astype(np.float32)[groups]
    return result


def row_products(vectors: Vectors, left: Ints, right: Ints) -> Vectors:
    """The products of pairs of rows of an array, few at a time: what fits the cache is many times faster."""
    products = np.empty(len(left), dtype=np.float32)
    for start in range(0, len(left), PAIRS):
        part = slice(start, start + PAIRS)
        np.einsum("ij,ij->i", vectors[left[part]], vectors[right[part]], out=products[part])
    return products


def near_vectors(vectors: Vectors, most: int) -> tuple[Ints, Ints]:
    """The same for vectors of length 1, by their cosine."""
    if len(vectors) <= EXACT:
        return near_among(vectors, np.arange(len(vectors)), vectors, np.arange(len(vectors)), most)
    pairs = [
        near_among(vectors[leaf], leaf, vectors[leaf], leaf, most)
        for tree in range(TREES)
        for leaf in _leaves(vectors, np.random.default_rng(SEED + tree))
    ]
    return np.concatenate([left for left, _ in pairs]), np.concatenate([right for _, right in pairs])


def near_among(vectors: Vectors, names: Ints, others: Vectors, other_names: Ints, most: int) -> tuple[Ints, Ints]:
    """For each vector the nearest of others that is not itself, under the names of both."""
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
    """One tree: groups of at most LEAF vectors on the same side of every cut."""
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
    """The names of the vectors, and the matrix: [sum of their sizes, size]."""

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
    """All vectors of a mention as one of length 1, each with the same say."""
    return unit_rows(np.concatenate([unit_rows(part) for part in vectors.values()], axis=1))
