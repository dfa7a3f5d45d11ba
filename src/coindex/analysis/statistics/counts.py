"""Count what is in documents. Counts only add, so files, processes and genres can be combined.

Lengths and sizes are kept as how often each was met: from that come totals, means, the longest, and distributions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...document import Document, Mention
from ...document.heads import Trees, find_head
from ...scoring.result import package_version


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


def count(docs: Document | Iterable[Document]) -> Counts:
    """All documents together, read one by one."""
    total = Counts()
    for doc in [docs] if isinstance(docs, Document) else docs:
        total += count_document(doc)
    return total.settled()


def count_document(doc: Document) -> Counts:
    """What one document has; entities that go over documents are not settled yet."""
    empty = len(doc.tokens.empty_positions)
    counts = Counts(1, len(doc.sentences), len(doc.tokens) - empty, empty)
    looker = MentionLooker(doc)
    for entity in doc.entities:
        if not entity.mentions:
            continue
        mentions = MentionCounts()
        for mention in entity.mentions:
            looker.count(mention, mentions)
        if goes_over_documents(doc):
            before = counts.shared.get(entity.id)
            counts.shared[entity.id] = mentions if before is None else before + mentions
        else:
            counts.add_entity(mentions)
    return counts


def goes_over_documents(doc: Document) -> bool:
    """Whether entities may go on in other documents: ids are shared, and a topic says with which documents.

    CorefUD has ids that are shared within a file too, but annotates each document by itself.
    """
    return doc.shared_ids and doc.topic is not None


class MentionLooker:
    """Looks at the mentions of one document; its trees are built once."""

    def __init__(self, doc: Document) -> None:
        self.tokens = doc.tokens
        self.empty = doc.tokens.empty_positions
        self.trees = Trees(doc)
        self.has_trees = bool(doc.entities) and self.trees.has_trees

    def count(self, mention: Mention, counts: MentionCounts) -> None:
        """Add a mention to the counts."""
        length = self.length(mention)
        counts.lengths[length] += 1
        counts.heads[self.head_tag(mention)] += 1
        counts.with_empty += length < len(mention)
        counts.with_gap += not mention.is_contiguous
        if self.has_trees:
            counts.in_trees += 1
            counts.non_treelet += not self.is_treelet(mention)

    def length(self, mention: Mention) -> int:
        """The number of words, without empty nodes."""
        if not self.empty:
            return len(mention)
        return len(mention) - sum(position in self.empty for position in mention.positions)

    def head_tag(self, mention: Mention) -> str:
        """The universal tag of the head: the given one, else the highest word of the tree, else the first word."""
        head = find_head(mention, self.trees) if mention.head is None else mention.head
        return self.tokens[head].upos

    def is_treelet(self, mention: Mention) -> bool:
        """Whether at most one position hangs on something outside the mention.

        A word hangs on its basic parent. An empty node has none: it is inside if any of its enhanced parents is.
        """
        if len(mention) == 1:
            return True
        inside = set(mention.positions)
        outside = 0
        for position in mention.positions:
            if position in self.empty:
                outside += all(parent not in inside for parent, _ in self.trees.enhanced(position))
            else:
                outside += self.trees.parents[position] not in inside
        return outside <= 1


def signature(sing: str) -> str:
    """By which definitions a number was counted; `sing` says whether singletons are in it: yes, no or apart."""
    return f"coindex|stats@1|sing:{sing}|v:{package_version()}"
