"""Decision trees as arrays, walked for many rows at once.

All trees stand one after another. Node i asks whether the column `feature[i]` is at most `threshold[i]` and goes to
`left[i]` or else to `right[i]`; a value that is not a number goes left where `missing_left[i]` says so. A leaf has -1
as its feature and is worth `value[i]`. `roots` are the numbers of the first nodes. These are the nodes of
scikit-learn's histogram gradient boosting, with the children counted over all trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .collection import Flags, Floats, Ints

ROWS = 2048
"""How many rows walk together."""
LEAF = -1


@dataclass(frozen=True, eq=False)
class Trees:
    """The arrays of all nodes."""

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    missing_left: Flags

    def arrays(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], columns: int) -> Trees:
        """Trees from arrays of a file, once it is known that walking them ends and stays inside the columns."""
        kinds = {"threshold": np.float64, "value": np.float64, "missing_left": np.bool_}
        trees = cls(**{name: arrays[name].astype(kinds.get(name, np.int64)) for name in cls.__dataclass_fields__})
        trees._check(columns)
        return trees

    def _check(self, columns: int) -> None:
        number = len(self.feature)
        if any(len(column) != number for name, column in self.arrays().items() if name != "roots"):
            raise ValueError("arrays of different lengths")
        inner = np.flatnonzero(self.feature != LEAF)
        if len(inner) and (self.feature[inner].min() < 0 or self.feature[inner].max() >= columns):
            raise ValueError("a node that asks for a column that is not there")
        # a child stands behind its parent, so that every walk ends
        for side in (self.left, self.right):
            if (side[inner] <= inner).any() or (side[inner] >= number).any():
                raise ValueError("a node whose children do not stand behind it")
        if len(self.roots) and (self.roots.min() < 0 or self.roots.max() >= number):
            raise ValueError("a root that is not there")

    def sums(self, rows: NDArray[np.float32]) -> Floats:
        """For each row the sum of the values of the leaves that it comes to."""
        parts = [self._sums(rows[start : start + ROWS]) for start in range(0, len(rows), ROWS)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _sums(self, rows: NDArray[np.float32]) -> Floats:
        feature, children, depths = self._walk
        total = np.zeros(len(rows))
        values = rows.astype(np.float64)
        unknown = np.isnan(values)
        has_unknown = bool(unknown.any())
        flat, before = values.ravel(), np.arange(len(rows)) * rows.shape[1]
        for root, depth in zip(self.roots.tolist(), depths, strict=True):
            nodes = np.full(len(rows), root)
            for _ in range(depth):
                places = before + feature[nodes]
                goes_right = ~(flat[places] <= self.threshold[nodes])
                if has_unknown:
                    goes_right &= ~(unknown.ravel()[places] & self.missing_left[nodes])
                nodes = children[2 * nodes + goes_right]
            total += self.value[nodes]
        return total

    @cached_property
    def _walk(self) -> tuple[Ints, Ints, list[int]]:
        """Where nodes look and go to, left and right side by side, and the depth of each tree.

        A leaf leads to itself, so that all rows walk on until the deepest leaf is reached: no row is singled out.
        """
        is_leaf = self.feature == LEAF
        own = np.arange(len(self.feature))
        children = np.stack([np.where(is_leaf, own, self.left), np.where(is_leaf, own, self.right)], axis=1)
        depths = np.zeros(len(self.roots), dtype=np.int64)
        for tree, root in enumerate(self.roots.tolist()):
            reached, depth = np.array([root]), 0
            while len(inner := reached[~is_leaf[reached]]):
                reached, depth = children[inner].ravel(), depth + 1
            depths[tree] = depth
        return np.where(is_leaf, 0, self.feature), children.ravel(), depths.tolist()
