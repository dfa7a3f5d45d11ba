"""What a model computes, whatever computes it: torch in training, onnxruntime in the shipped package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .mentions import Mentions
from .pairs import Pairs
from .windows import Batch
from .words import Floats, Ints


@dataclass(frozen=True, slots=True)
class MentionScores:
    """The model's view of mentions: heads, and vectors kept for linking."""

    head: Ints  # [mentions]: words, counted as the mentions are
    query: Floats  # [mentions, query]
    key: Floats  # [mentions, query]
    new: Floats  # [mentions]: the score of beginning an entity
    probability: Floats  # [mentions]: that it is a mention

    def __len__(self) -> int:
        return len(self.head)


class Scorer(Protocol):
    """The three parts of a model, arrays in and out."""

    def words(self, batch: Batch, corpus: int) -> tuple[Floats, Floats]:
        """Word vectors [words, hidden] and tag scores [words, tags]."""
        ...

    def mentions(self, vectors: Floats, mentions: Mentions) -> MentionScores:
        """Mentions whose words are counted from the first vector."""
        ...

    def links(self, query: Floats, key: Floats, pairs: Pairs) -> Floats:
        """The scores of pairs that point into the rows of `query` and `key`."""
        ...


class Memory:
    """Rows kept from block to block, in one array that doubles when it is full."""

    def __init__(self) -> None:
        self._rows: Floats | None = None
        self._length = 0

    def add(self, rows: Floats) -> None:
        needed = self._length + len(rows)
        if self._rows is None or needed > len(self._rows):
            grown = np.zeros((max(needed, 2 * self._length), rows.shape[1]), dtype=np.float32)
            if self._rows is not None:
                grown[: self._length] = self._rows[: self._length]
            self._rows = grown
        self._rows[self._length : needed] = rows
        self._length = needed

    def __getitem__(self, index: Ints) -> Floats:
        assert self._rows is not None
        found: Floats = self._rows[: self._length][index]
        return found
