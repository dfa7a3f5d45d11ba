"""What is counted in documents. Counts only add, so that files, processes and genres can be put together as needed.

Lengths and sizes are kept as how often each was met: from that come totals, means, the longest, and distributions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class MentionCounts:
    """Mentions: how long they are, what kind of word is their head, of what form they are."""

    lengths: Counter[int] = field(default_factory=Counter)
    """Mentions by the number of their words, empty nodes not counted."""
    heads: Counter[str] = field(default_factory=Counter)
    """Mentions by the universal tag of their head; "_" where it has none."""
    with_empty: int = 0
    """Mentions with an empty node."""
    with_gap: int = 0
    """Mentions with a gap: discontinuous ones."""
    in_trees: int = 0
    """Mentions in documents with dependency trees."""
    non_treelet: int = 0
    """Those of them that are no connected part of the tree."""

    def __iadd__(self, other: MentionCounts) -> MentionCounts:
        self.lengths.update(other.lengths)
        self.heads.update(other.heads)
        self.with_empty += other.with_empty
        self.with_gap += other.with_gap
        self.in_trees += other.in_trees
        self.non_treelet += other.non_treelet
        return self

    def __add__(self, other: MentionCounts) -> MentionCounts:
        total = MentionCounts()
        total += self
        total += other
        return total

    @property
    def total(self) -> int:
        return self.lengths.total()

    @property
    def longest(self) -> int | None:
        return max(self.lengths, default=None)

    @property
    def words(self) -> int:
        """The lengths of all mentions together."""
        return total_of(self.lengths)


@dataclass(slots=True)
class Counts:
    """Documents with their words and entities; mentions apart for entities of one mention and of several."""

    documents: int = 0
    sentences: int = 0
    words: int = 0
    """Without empty nodes."""
    zeros: int = 0
    """Empty nodes, whether they are mentions or not."""
    sizes: Counter[int] = field(default_factory=Counter)
    """Entities by the number of their mentions."""
    singletons: MentionCounts = field(default_factory=MentionCounts)
    others: MentionCounts = field(default_factory=MentionCounts)
    """Mentions of entities with two mentions or more."""
    shared: dict[str, MentionCounts] = field(default_factory=dict)
    """Mentions of entities that may go on in other documents, by entity; how large these are is known at the end."""

    def __iadd__(self, other: Counts) -> Counts:
        self.documents += other.documents
        self.sentences += other.sentences
        self.words += other.words
        self.zeros += other.zeros
        self.sizes.update(other.sizes)
        self.singletons += other.singletons
        self.others += other.others
        for name, mentions in other.shared.items():
            self.shared[name] = self.shared[name] + mentions if name in self.shared else mentions
        return self

    def __add__(self, other: Counts) -> Counts:
        total = Counts()
        total += self
        total += other
        return total

    def settled(self) -> Counts:
        """The same, after which no document is to come: each entity over documents counts once, by its whole size."""
        if not self.shared:
            return self
        total = Counts()
        total += self
        for mentions in total.shared.values():
            total.add_entity(mentions)
        total.shared = {}
        return total

    def add_entity(self, mentions: MentionCounts) -> None:
        """Count an entity all of whose mentions are known."""
        self.sizes[mentions.total] += 1
        if mentions.total == 1:
            self.singletons += mentions
        else:
            self.others += mentions

    def mentions(self, *, singletons: bool) -> MentionCounts:
        """The mentions of all entities, or of those with several."""
        return self.singletons + self.others if singletons else self.others

    def entity_sizes(self, *, singletons: bool) -> Counter[int]:
        """Entities by their number of mentions, all of them or those with several."""
        return Counter({size: number for size, number in self.sizes.items() if singletons or size > 1})


def total_of(numbers: Mapping[int, int]) -> int:
    """The sum of values that were met so often."""
    return sum(value * times for value, times in numbers.items())


def ratio(part: float, whole: float) -> float | None:
    """A share or mean; None where there is nothing to divide by.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, None)
    """
    return part / whole if whole else None
