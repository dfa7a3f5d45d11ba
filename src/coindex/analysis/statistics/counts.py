"""Count sentences, words, entities and mentions. Counts can be added, so files, processes and genres can be combined.

Lengths and sizes are stored as frequencies, which yield totals, means, maxima and distributions.
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
    """Counts of mentions by length, head and form."""

    lengths: Counter[int] = field(default_factory=Counter)
    """Mentions by the number of their words, without empty nodes."""
    heads: Counter[str] = field(default_factory=Counter)
    """Mentions by the universal tag of their head; "_" for no tag."""
    with_empty: int = 0
    """Mentions with an empty node."""
    with_gap: int = 0
    """Discontinuous mentions."""
    in_trees: int = 0
    """Mentions in documents with dependency trees."""
    non_treelet: int = 0
    """Those of them that are not a connected part of the tree."""

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
        """The number of mentions."""
        return self.lengths.total()

    @property
    def longest(self) -> int | None:
        """The length of the longest mention."""
        return max(self.lengths, default=None)

    @property
    def words(self) -> int:
        """The total length of all mentions."""
        return total_of(self.lengths)


@dataclass(slots=True)
class Counts:
    """Counts of documents, words and entities, with separate counts of the mentions of singletons and others."""

    documents: int = 0
    sentences: int = 0
    words: int = 0
    """Words without empty nodes."""
    zeros: int = 0
    """Empty nodes, whether they are mentions or not."""
    sizes: Counter[int] = field(default_factory=Counter)
    """Entities by the number of their mentions."""
    singletons: MentionCounts = field(default_factory=MentionCounts)
    others: MentionCounts = field(default_factory=MentionCounts)
    """Mentions of entities with at least two mentions."""
    shared: dict[str, MentionCounts] = field(default_factory=dict)
    """Mentions of entities that may span documents, by entity; their sizes are known after the last document."""

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
        """Return the final counts after the last document, in which entities that span documents count once."""
        if not self.shared:
            return self
        total = Counts()
        total += self
        for mentions in total.shared.values():
            total.add_entity(mentions)
        total.shared = {}
        return total

    def add_entity(self, mentions: MentionCounts) -> None:
        """Count an entity whose mentions are all known."""
        self.sizes[mentions.total] += 1
        if mentions.total == 1:
            self.singletons += mentions
        else:
            self.others += mentions

    def mentions(self, *, singletons: bool) -> MentionCounts:
        """Return the mentions of all entities, or without singletons."""
        return self.singletons + self.others if singletons else self.others

    def entity_sizes(self, *, singletons: bool) -> Counter[int]:
        """Return the number of entities by size, with or without singletons."""
        return Counter({size: number for size, number in self.sizes.items() if singletons or size > 1})


def total_of(numbers: Mapping[int, int]) -> int:
    """Return the sum of values, given their frequencies."""
    return sum(value * times for value, times in numbers.items())


def ratio(part: float, whole: float) -> float | None:
    """Return part / whole, or None if the whole is 0.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, None)
    """
    return part / whole if whole else None


def count(docs: Document | Iterable[Document]) -> Counts:
    """Return the counts of all documents, read one by one."""
    total = Counts()
    for doc in [docs] if isinstance(docs, Document) else docs:
        total += count_document(doc)
    return total.settled()


def count_document(doc: Document) -> Counts:
    """Return the counts of one document; entities that may span documents are not settled yet."""
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
    """Return whether entities may span documents: ids are shared, and the document has a topic.

    CorefUD also shares ids within a file, but annotates each document separately.
    """
    return doc.shared_ids and doc.topic is not None


class MentionLooker:
    """Counts the mentions of one document; its trees are built once."""

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
        """Return the number of words without empty nodes."""
        if not self.empty:
            return len(mention)
        return len(mention) - sum(position in self.empty for position in mention.positions)

    def head_tag(self, mention: Mention) -> str:
        """Return the universal tag of the head: the annotated head, the highest word of the tree, or the first word."""
        head = find_head(mention, self.trees) if mention.head is None else mention.head
        return self.tokens[head].upos

    def is_treelet(self, mention: Mention) -> bool:
        """Return whether at most one position has its parent outside the mention.

        Words have a basic parent. Empty nodes do not: they are inside if any of their enhanced parents is.
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
    """Return how a number was counted; `sing` specifies whether singletons are included: yes, no or apart."""
    return f"coindex|stats@1|sing:{sing}|v:{package_version()}"
