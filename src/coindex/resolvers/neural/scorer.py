"""What a model computes, whatever computes it: torch in training, onnxruntime in the shipped package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from .mentions import Mentions
from .pairs import Pairs
from .windows import Batch
from .words import Floats, Ints

PAIRS = 4096
"""Pairs that are scored at once: their vectors stay in the processor's cache."""


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


def some_pairs(query: Floats, pairs: Pairs) -> Iterator[tuple[Floats, Pairs]]:
    """Pairs in turn, so many at once as memory is for, with the queries of their anaphors alone."""
    for begin in range(0, len(pairs), PAIRS):
        some = slice(begin, begin + PAIRS)
        anaphor = pairs.anaphor[some]
        first, last = int(anaphor[0]), int(anaphor[-1]) + 1  # they are sorted
        yield query[first:last], Pairs(anaphor - first, pairs.candidate[some], pairs.features[some])
