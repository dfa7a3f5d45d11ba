"""The dependency trees of a document in terms of positions."""

from __future__ import annotations

from functools import cached_property

from .documents import Document

Dependency = tuple[int | None, str]
"""The position of a parent (None: the root of the sentence) and the relation to it."""


class Trees:
    """Basic and enhanced dependencies; a parent that the columns do not give, or that is not there, is None."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc

    @cached_property
    def parents(self) -> list[int | None]:
        """The basic parent of each token; None for roots, empty nodes and tokens without a tree."""
        parents: list[int | None] = []
        for sentence in self.doc.sentences:
            where = self._positions(sentence.start, sentence.end)
            parents += [where.get(token.head) for token in sentence.tokens]
        return parents

    @cached_property
    def children(self) -> list[list[int]]:
        """The basic children of each token, in order."""
        children: list[list[int]] = [[] for _ in self.doc.tokens]
        for position, parent in enumerate(self.parents):
            if parent is not None:
                children[parent].append(position)
        return children

    @cached_property
    def has_trees(self) -> bool:
        """Whether any token says its parent, if only that it is a root."""
        return any(token.head not in ("_", "") for token in self.doc.tokens)

    def enhanced(self, position: int) -> list[Dependency]:
        """The dependencies in DEPS; the basic one where DEPS is empty."""
        token = self.doc.tokens[position]
        if token.deps == "_":
            return [] if token.head == "_" else [(self.parents[position], token.deprel)]
        sentence = self.doc.sentence_at(position)
        where = self._positions(sentence.start, sentence.end)
        pairs = (item.partition(":") for item in token.deps.split("|"))
        return [(where.get(parent), relation) for parent, _, relation in pairs]

    def path_to_root(self, position: int) -> list[int]:
        """The token and its ancestors in the basic tree; a cycle in bad data ends the path."""
        path = [position]
        seen = {position}
        while (parent := self.parents[path[-1]]) is not None and parent not in seen:
            path.append(parent)
            seen.add(parent)
        return path

    def _positions(self, start: int, end: int) -> dict[str, int]:
        return {self.doc.tokens[position].id: position for position in range(start, end)}
