"""Coarse to fine: of all candidates only those that a product finds best are looked at closely (Lee et al. 2018)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from .words import Floats, Ints

Choice = Callable[[Ints, Ints], Ints]
"""From the anaphors and candidates of pairs to the rows that are kept."""


class Rows(Protocol):
    """Vectors of the mentions so far: an array, or a memory."""

    def __getitem__(self, index: Ints) -> Floats: ...


def coarse_size(linking: str, query: int) -> int:
    """How many first columns of queries and keys have the coarse score as their product; 0 where there is none."""
    return query + 1 if linking == "ranking" else 0


def coarse_choice(query: Floats, keys: Rows, *, size: int, limit: int, before: int = 0) -> Choice | None:
    """The `limit` candidates of the best products; None where all are kept. The first query is that of `before`."""
    if not size or not limit:
        return None

    def choose(anaphor: Ints, candidate: Ints) -> Ints:
        used, column = np.unique(candidate, return_inverse=True)
        # [anaphors, candidates that occur]
        products = query[:, :size] @ keys[used][:, :size].T
        return best_rows(anaphor, products[anaphor - before, column], limit)

    return choose


def best_rows(anaphor: Ints, scores: Floats, limit: int) -> Ints:
    """The rows of the `limit` best scores of each anaphor, in the order in which they stand."""
    order = np.lexsort((-scores, anaphor))
    owner = anaphor[order]
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    return np.sort(order[rank < limit])
