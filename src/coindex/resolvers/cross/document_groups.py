"""Groups of documents in a topic: two that are joined early tell of one happening, even if they share few words.

The documents of a topic are joined by average linkage over the cosines of their terms. How alike the two groups were in
which two documents met says more than how alike the two themselves are: those in between speak for them.
"""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import average, cophenet
from scipy.spatial.distance import squareform

from .collection import Floats, Ints
from .terms import Matrix

MOST = 1000
"""In a topic of more documents each pair is compared by itself, since a table of all pairs would be too large."""


class DocumentGroups:
    """For pairs of documents of one topic the mean cosine at which they were joined; `rows` have length 1."""

    def __init__(self, rows: Matrix, topics: Ints) -> None:
        self.rows = rows
        sizes = np.bincount(topics, minlength=1)
        order = np.argsort(topics, kind="stable")
        starts = np.cumsum(sizes) - sizes
        self.width = sizes[topics]
        self.place = np.empty(len(topics), dtype=np.int64)
        self.place[order] = np.arange(len(topics)) - starts[topics[order]]
        squares = np.where(sizes <= MOST, sizes**2, 0)
        self.start = (np.cumsum(squares) - squares)[topics]
        tables = [_joined_at(rows[order[start : start + size]]) for start, size in zip(starts, sizes, strict=True)]
        self.table = np.concatenate([np.zeros(0), *tables])

    def __call__(self, left: Ints, right: Ints) -> Floats:
        result = np.zeros(len(left))
        known = self.width[left] <= MOST
        one, other = left[known], right[known]
        result[known] = self.table[self.start[one] + self.place[one] * self.width[one] + self.place[other]]
        if not known.all():
            one, other = left[~known], right[~known]
            result[~known] = np.asarray(self.rows[one].multiply(self.rows[other]).sum(axis=1)).ravel()
        return result


def _joined_at(rows: Matrix) -> Floats:
    """[documents * documents]; nothing for too many."""
    number = rows.shape[0]
    if number > MOST:
        return np.zeros(0)
    if number < 2:
        return np.ones(number)
    distances = 1 - (rows @ rows.T).toarray()
    np.fill_diagonal(distances, 0)
    # rounded, so that ties do not depend on the order of sums
    tree = average(squareform(np.round(np.maximum(distances, 0), 9), checks=False))
    result: Floats = (1 - squareform(cophenet(tree))).ravel()
    return result
