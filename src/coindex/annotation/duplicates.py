"""Near-duplicate documents by the similarity of PreCo (Chen et al. 2018, section 3.1).

Documents are bags of words, in which a word counts as often as it occurs. Two are similar as far as the smaller lies
in the larger: max(|S1∩S2| / |S1|, |S1∩S2| / |S2|). Of two whose similarity is over a threshold the shorter goes.

The index finds exactly the pairs that comparing all with all would find. Let a bag have s words, of which more than
t·s have to be common, so that at most d may be missing. Then of its d + k rarest words at least k are in the other
bag, whatever k is. So only the rarest words of each bag are indexed, larger bags look all their words up, and only
pairs with enough hits are compared word by word. Rare words are in few documents, so few hits are counted; frequent
words, on which all the work of a full index would be spent, are not indexed at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..document import Document
from ..errors import CoindexError

Items = NDArray[np.int32]
"""A bag as numbers, each of a word and of the how-manieth it is, sorted: so bags are sets."""
THRESHOLD = Fraction(9, 10)
EXTRA = 8
"""How many hits more are asked for than the least, at the cost of as many words more in the index."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two documents, by their numbers, of which the first is the shorter and should go; of equal ones the later."""

    dropped: int
    kept: int
    common: int
    """How many words both have."""
    size: int
    """How many words the shorter one has."""

    @property
    def similarity(self) -> float:
        return self.common / self.size


def parse_threshold(text: str) -> Fraction:
    """A threshold as it is written, without the rounding of binary fractions."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise CoindexError(
            f"threshold {text!r}: not a number; expected one from 0 to 1; give one such as 0.9", code="invalid-option"
        ) from error
    if not 0 <= value < 1:
        raise CoindexError(
            f"threshold {text}; expected one from 0 on and below 1; give one such as 0.9", code="invalid-option"
        )
    return value


class Bags:
    """Bags of words, added one by one and kept as numbers; the documents themselves are not kept."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int], int] = {}
        self._bags: list[Items] = []

    def add(self, words: Iterable[str]) -> None:
        """One bag more."""
        numbers = self._numbers
        found = [
            numbers.setdefault((word, times), len(numbers))
            for word, many in Counter(words).items()
            for times in range(many)
        ]
        self._bags.append(np.sort(np.array(found, dtype=np.int32)))

    def add_document(self, doc: Document) -> None:
        """The words of a document as they are written; empty nodes are none."""
        empty = doc.tokens.empty_positions
        self.add(form for position, form in enumerate(doc.tokens.forms) if position not in empty)

    def __len__(self) -> int:
        return len(self._bags)

    def duplicates(self, threshold: Fraction = THRESHOLD) -> Iterator[Duplicate]:
        """All pairs whose similarity is over the threshold, by the shorter one's size."""
        order = sorted(range(len(self)), key=lambda number: (len(self._bags[number]), -number))
        order = [number for number in order if len(self._bags[number])]
        index = _Index([self._bags[number] for number in order], len(self._numbers), threshold)
        for larger in range(len(order)):
            for smaller, common in index.smaller_ones(larger):
                yield Duplicate(order[smaller], order[larger], common, len(index.bags[smaller]))


class _Index:
    """Bags by their rarest words; they are numbered from the smallest to the largest."""

    def __init__(self, bags: Sequence[Items], words: int, threshold: Fraction) -> None:
        sizes = np.array([len(bag) for bag in bags], dtype=np.int64)
        self.bags = bags
        self.least = sizes * threshold.numerator // threshold.denominator + 1
        """How many words have to be common."""
        missing = sizes - self.least
        indexed = np.minimum(sizes, 2 * missing + EXTRA)
        self.hits = indexed - missing
        """How many of the words that are indexed have to be common."""
        frequency = np.bincount(np.concatenate(bags), minlength=words) if bags else np.zeros(words, dtype=np.int64)
        rare = [bag[np.lexsort((bag, frequency[bag]))[:many]] for bag, many in zip(bags, indexed.tolist(), strict=True)]
        flat = np.concatenate(rare) if bags else np.zeros(0, dtype=np.int32)
        owners = np.repeat(np.arange(len(bags), dtype=np.int32), indexed)
        by_word = np.argsort(flat, kind="stable")
        self.owners = owners[by_word]
        self.starts = np.searchsorted(flat[by_word], np.arange(words + 1))

    def smaller_ones(self, larger: int) -> list[tuple[int, int]]:
        """The smaller bags that lie in this one as far as they have to, and how many words are common."""
        if not larger:
            return []
        bag = self.bags[larger]
        starts, ends = self.starts[bag], self.starts[bag + 1]
        found = [
            self.owners[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True) if end > start
        ]
        if not found:
            return []
        counts = np.bincount(np.concatenate(found), minlength=larger)[:larger]
        pairs = []
        for smaller in np.flatnonzero(counts >= self.hits[:larger]).tolist():
            common = len(np.intersect1d(self.bags[smaller], bag, assume_unique=True))
            if common >= self.least[smaller]:
                pairs.append((smaller, common))
        return pairs
