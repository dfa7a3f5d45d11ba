"""Which documents of a training corpus a cell has: drawn at random, or ranked by their overlap with the key.

The overlap of a document is the share of its words that are in the vocabulary of the key (PreCo, section 4.2: documents
"ranked by their overlaps with the development set vocabulary").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ...analysis.vocabulary import Vocabulary, words_of
from ...document import Document
from ...errors import CoindexError

Pick = Literal["random", "low", "high"]
PICKS: tuple[Pick, ...] = ("random", "low", "high")
"""How a subset of some size is picked: at random, or the documents with the lowest or highest overlap."""
HALVINGS = 4
"""Without sizes there are this many before the whole corpus, each half of the next."""


def key_overlap(doc: Document, key: Vocabulary) -> float:
    """The share of the document's words that the key has too; 0 where it has no words."""
    words = words_of(doc)
    return sum(word in key.counts for word in words) / len(words) if words else 0.0


def shuffled(total: int, seed: int) -> list[int]:
    """The numbers of all documents in an order that the seed alone says."""
    return [int(number) for number in np.random.default_rng((seed, 5)).permutation(total)]


def ranked(docs: Sequence[Document], key: Vocabulary, seed: int) -> list[int]:
    """The numbers of documents, those with the lowest overlap first; of equal ones as the seed says."""
    overlaps = [key_overlap(doc, key) for doc in docs]
    return sorted(shuffled(len(docs), seed), key=lambda number: overlaps[number])


def ordered(pick: Pick, docs: Sequence[Document], key: Vocabulary, seed: int) -> list[int]:
    """The order in which documents are picked: a subset is the beginning, so that each holds all smaller ones."""
    if pick == "random":
        return shuffled(len(docs), seed)
    found = ranked(docs, key, seed)
    return found if pick == "low" else found[::-1]


def default_sizes(total: int) -> tuple[int, ...]:
    """The whole corpus, half of it, a quarter and so on, the smallest first."""
    return tuple(sorted({max(1, total >> halvings) for halvings in range(HALVINGS + 1)}))


def check_sizes(sizes: Sequence[int], total: int, corpus: str) -> tuple[int, ...]:
    """The sizes in order, each once; none of them may be larger than the corpus."""
    if not sizes:
        raise CoindexError("no sizes; expected numbers of documents; give at least one")
    for size in sizes:
        if not 1 <= size <= total:
            raise CoindexError(
                f"a subset of {size} documents; expected 1 to {total}, which is what {corpus} has; choose other sizes"
            )
    return tuple(sorted(set(sizes)))


def groups(order: Sequence[int], number: int, size: int | None, corpus: str) -> list[list[int]]:
    """So many groups of one size, from the beginning of the order to its end, none with a document of another."""
    total = len(order)
    if number < 2:
        raise CoindexError(f"{number} groups; expected at least 2 to compare; choose more")
    most = total // number
    if size is None and most:
        size = most
    if size is None or not 1 <= size <= most:
        raise CoindexError(
            f"{number} groups of {size or 1} documents; expected at most {total} documents in all, which is what "
            f"{corpus} has; choose fewer or smaller groups"
        )
    starts = [round(place * (total - size) / (number - 1)) for place in range(number)]
    return [list(order[start : start + size]) for start in starts]
