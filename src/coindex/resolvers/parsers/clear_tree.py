"""A sentence whose tree is being changed: heads and relations that can be moved, children kept in step."""

from __future__ import annotations

from collections.abc import Sequence

from .words import ROOT, Word

VERBAL = frozenset({"VERB", "AUX"})
PREDICATES = VERBAL | {"ADJ", "ADV"}


class Tree:
    """The words of a sentence, by index, with the tree that becomes UD."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.forms = [word.form.lower() for word in words]
        self.heads = [ROOT if word.head is None else word.head for word in words]
        self.rels = [word.deprel for word in words]
        self.children: list[list[int]] = [[] for _ in words]
        for index, head in enumerate(self.heads):
            if head != ROOT:
                self.children[head].append(index)

    def __len__(self) -> int:
        return len(self.words)

    def attach(self, index: int, head: int, rel: str) -> None:
        """Hang a word elsewhere, with all that hangs on it."""
        if self.heads[index] != ROOT:
            self.children[self.heads[index]].remove(index)
        self.heads[index] = head
        self.rels[index] = rel
        if head != ROOT:
            self.children[head].append(index)
            self.children[head].sort()

    def replace(self, old: int, new: int, *, rel: str, old_rel: str) -> None:
        """Put a child in the place of its parent, under `rel`; the parent and its other children hang on it."""
        head = self.heads[old]
        self.attach(new, head, rel)
        for child in list(self.children[old]):
            self.attach(child, new, self.rels[child])
        self.attach(old, new, old_rel)

    def with_rel(self, index: int, *rels: str) -> list[int]:
        """The children of a word that have one of these relations."""
        return [child for child in self.children[index] if self.rels[child] in rels]

    def depth(self, index: int) -> int:
        depth = 0
        while index != ROOT and depth <= len(self.words):
            index = self.heads[index]
            depth += 1
        return depth

    def is_verbal(self, index: int) -> bool:
        return self.words[index].upos in VERBAL

    def takes_obliques(self, index: int) -> bool:
        """Whether what hangs on the word by a preposition is oblique, not a noun's modifier."""
        if index == ROOT:
            return False
        if self.words[index].upos in PREDICATES:
            return True
        return any(self.rels[child] in ("cop", "nsubj") for child in self.children[index])
