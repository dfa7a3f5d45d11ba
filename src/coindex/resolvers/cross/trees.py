"""Decision trees as arrays, walked for many rows at once.

All trees stand one after another. Node i asks whether the column `feature[i]` is at most `threshold[i]` and goes to
`left[i]` or else to `right[i]`; a value that is not a number goes left where `missing_left[i]` says so. A leaf has -1
as its feature and is worth `value[i]`. `roots` are the numbers of the first nodes. These are the nodes of
scikit-learn's histogram gradient boosting, with the children counted over all trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .collection import Flags, Floats, Ints

ROWS = 8192
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
        total = np.zeros(len(rows))
        values = rows.astype(np.float64)
        everyone = np.arange(len(rows))
        for root in self.roots.tolist():
            nodes = np.full(len(rows), root)
            going = everyone if self.feature[root] != LEAF else everyone[:0]
            while len(going):
                at = nodes[going]
                asked = values[going, self.feature[at]]
                goes_left = (asked <= self.threshold[at]) | (np.isnan(asked) & self.missing_left[at])
                nodes[going] = np.where(goes_left, self.left[at], self.right[at])
                going = going[self.feature[nodes[going]] != LEAF]
            total += self.value[nodes]
        return total
