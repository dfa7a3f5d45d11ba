"""One pass over documents. Heads that nobody said are found in the tree, as `coindex heads` does."""

from __future__ import annotations

from collections.abc import Iterable

from ...document import Document, Mention
from ...document.heads import find_head
from ...document.trees import Trees
from .counts import Counts, MentionCounts


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
