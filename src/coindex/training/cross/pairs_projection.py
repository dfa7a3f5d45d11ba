"""The projection of vectors, learned from entities: linear discriminants of mentions within their topics.

With S the scatter of mentions around the mean of their topic and W that around the mean of their entity, the directions
are the generalised eigenvectors of S and W with the largest values. W is drawn towards a multiple of the identity, for
there are fewer mentions than it has numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.linalg import eigh

from ...document import Kind
from ...resolvers.cross.collection import Floats, Ints
from ...resolvers.cross.neighbours import Projection, Vectors, group_means, side_by_side
from .pairs_data import Examples

NAMES = ("span", "lower", "phrase", "document")
"""The vectors that are projected."""
SHRINKAGE = 0.3


def fit_projection(examples: Examples, kind: Kind, size: int, *, without: Ints | None = None) -> Projection | None:
    """The projection by the entities of a kind, but for those of some topics; None where nothing can be learned."""
    names = tuple(name for name in NAMES if name in examples.vectors)
    rows = examples.rows(kind)
    if without is not None:
        rows = rows[~np.isin(examples.topic[rows], without)]
    if not size or not names or not len(rows):
        return None
    vectors = side_by_side({name: examples.vectors[name][rows] for name in names})
    vectors = vectors - group_means(vectors, _numbered(examples.topic[rows]))
    entity = _numbered(examples.entity[rows])
    shared = np.bincount(entity)[entity] > 1
    around = vectors[shared] - group_means(vectors[shared], _numbered(entity[shared]))
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


def _numbered(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def cross_fitted(examples: Examples, fitted: Mapping[int, Projection | None], part: Ints) -> Vectors | None:
    """Projected vectors of mentions, each by the projection of its part, which has not seen the part's topics."""
    first = next((projection for projection in fitted.values() if projection is not None), None)
    if first is None or any(projection is None for projection in fitted.values()):
        return None
    result = np.zeros((len(examples.entity), first.matrix.shape[1]), dtype=np.float32)
    for number, projection in fitted.items():
        rows = part == number
        if projection is not None and rows.any():
            result[rows] = projection({name: examples.vectors[name][rows] for name in projection.names})
    return result
