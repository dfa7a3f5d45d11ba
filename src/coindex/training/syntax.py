"""The trees of a document as numbers: what each word is, and on which it hangs."""

from __future__ import annotations

import numpy as np

from ..document import Document
from ..document.trees import Trees
from ..resolvers.neural.words import Ints, Words, with_columns

TAGS = ("upos", "deprel")
NO_VALUE = -1
"""The parent of a word, or the type of a mention, that nobody knows."""


def word_syntax(doc: Document, words: Words) -> Ints:
    """[words, 3]: part of speech, relation, parent; the parent of a root is the root itself."""
    tags = with_columns(words, doc, TAGS).columns
    assert tags is not None
    trees = Trees(doc)
    parents = np.full(len(words), NO_VALUE, dtype=np.int64)
    for word, position in enumerate(words.positions):
        parent = trees.parents[position]
        if parent is None:
            parents[word] = word if doc.tokens[position].deprel == "root" else NO_VALUE
        else:
            parents[word] = words.word_at.get(parent, NO_VALUE)
    return np.column_stack([tags, parents])


def moved(syntax: Ints, start: int) -> Ints:
    """With parents that are counted from another word."""
    parents = syntax[:, -1]
    return np.column_stack([syntax[:, :-1], np.where(parents == NO_VALUE, NO_VALUE, parents - start)])
