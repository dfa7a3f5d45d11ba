"""Pairs as arrays: all pairs inside blocks, pairs as single numbers, ranges laid out one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .collection import Floats, Ints

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

    def joined(self, other: Pairs, number: int) -> Pairs:
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


def distinct(left: Ints, right: Ints, number: int) -> tuple[Ints, Ints]:
    """Each pair once, the smaller place first, in order; none of a place with itself."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    low, high = low[low != high], high[low != high]
    unique = np.unique(codes(low, high, max(number, 1)))
    return unique // max(number, 1), unique % max(number, 1)
