"""Rows that are kept from block to block of a document, however long it is."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from .words import Ints

Number = TypeVar("Number", bound=np.generic)


class Memory(Generic[Number]):
    """Rows in one array that doubles when it is full, so that time stays linear."""

    def __init__(self) -> None:
        self._rows: NDArray[Number] | None = None
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, rows: NDArray[Number]) -> None:
        needed = self._length + len(rows)
        if self._rows is None or needed > len(self._rows):
            grown = np.zeros((max(needed, 2 * self._length), *rows.shape[1:]), dtype=rows.dtype)
            if self._rows is not None:
                grown[: self._length] = self._rows[: self._length]
            self._rows = grown
        self._rows[self._length : needed] = rows
        self._length = needed

    def __getitem__(self, index: Ints) -> NDArray[Number]:
        assert self._rows is not None
        found: NDArray[Number] = self._rows[: self._length][index]
        return found
