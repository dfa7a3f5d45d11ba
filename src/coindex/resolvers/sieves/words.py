"""The columns of a document as lists, made once: everything that sieves look at, word by word."""

from __future__ import annotations

from functools import lru_cache

from ...document import Document
from ...document.tokens import Token
from ..languages import Language
from ..rules.word_classes import ZERO_RELATIONS

NONE = -1
"""The position of a word that is not there."""
MANY = 100
"""Children of a word that are looked at: no real word has more, and a broken tree must not cost more."""
Features = dict[str, str]


class Words:
    """One list a column, empty nodes included; they hang where DEPS says, else at the word before them.

    Bad trees are made harmless here: a parent outside the sentence is no parent, and words of a cycle stay alone.
    """

    def __init__(self, doc: Document, language: Language) -> None:
        self.language = language
        self.size = len(doc.tokens)
        tokens = doc.tokens[:]
        self.forms = [token.form for token in tokens]
        self.lower = [form.lower() for form in self.forms]
        self.lemmas = [
            low if token.lemma == "_" else token.lemma.lower() for token, low in zip(tokens, self.lower, strict=True)
        ]
        self.upos = [token.upos for token in tokens]
        self.features = [features_of(token.feats) for token in tokens]
        self.has_articles = any(features.get("PronType") == "Art" for features in self.features)
        self.empty = doc.tokens.empty_positions
        self.relations = ["_"] * self.size
        self.parents = [NONE] * self.size
        self.sentences = [0] * self.size
        self.starts = [sentence.start for sentence in doc.sentences] or [0]
        self.ends = [sentence.end for sentence in doc.sentences] or [self.size]
        for number, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            self._hang(tokens[start:end], start)
            self.sentences[start:end] = [number] * (end - start)
        self.bases = [relation.partition(":")[0] for relation in self.relations]
        self.children: list[list[int]] = [[] for _ in range(self.size)]
        for position, parent in enumerate(self.parents):
            if parent != NONE:
                self.children[parent].append(position)
        self.left = list(range(self.size))
        self.right = list(range(self.size))
        self._measure()

    def _hang(self, tokens: tuple[Token, ...], start: int) -> None:
        """Parents and relations of one sentence."""
        where = {token.id: start + offset for offset, token in enumerate(tokens)}
        last = NONE
        for position, token in enumerate(tokens, start):
            if token.is_empty:
                parent, relation = empty_parent(token, where, last)
            else:
                parent, relation = where.get(token.head, NONE), token.deprel
                last = position
            self.parents[position] = NONE if parent == position else parent
            self.relations[position] = relation

    def _measure(self) -> None:
        """The first and last word under each word, from the leaves up."""
        order = [position for position, parent in enumerate(self.parents) if parent == NONE]
        for position in order:
            order += self.children[position]
        for position in reversed(order):
            parent = self.parents[position]
            if parent != NONE:
                self.left[parent] = min(self.left[parent], self.left[position])
                self.right[parent] = max(self.right[parent], self.right[position])

    def child(self, position: int, *bases: str) -> int:
        """The first child with one of these relations, NONE where there is none."""
        for child in self.children[position][:MANY]:
            if self.bases[child] in bases:
                return child
        return NONE

    def has(self, position: int, *bases: str) -> bool:
        """Whether a word has a child with one of these relations."""
        return self.child(position, *bases) != NONE


@lru_cache(maxsize=1 << 16)
def features_of(column: str) -> Features:
    """The FEATS column as a dictionary; shared between words, so not to be changed."""
    if column in ("_", ""):
        return {}
    return {name: value for name, _, value in (pair.partition("=") for pair in column.split("|"))}


def empty_parent(token: Token, where: dict[str, int], last: int) -> tuple[int, str]:
    """What an empty node depends on, by DEPS, else the word that it stands behind."""
    for item in token.deps.split("|"):
        parent, _, relation = item.partition(":")
        if parent in where:
            return where[parent], relation
    return last, ZERO_RELATIONS.get(token.form, "dep")
