"""The text of a collection as numbers: terms of all words, how rare each is, documents as weighted rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from ...document import Mention
from .collection import Collection, Floats, Ints
from .document_groups import DocumentGroups
from .terms import (
    SILENT,
    Matrix,
    Vocabulary,
    count_matrix,
    document_frequency,
    document_terms,
    inverse_frequency,
    weighted,
    weighted_within,
)


class Texts:
    """The terms of a collection, numbered; weights are those of this very collection.

    `topics` are the numbers of documents, `topic` the same for mentions.
    """

    def __init__(self, collection: Collection, topics: Ints | None = None) -> None:
        self.collection = collection
        self.topics = np.zeros(len(collection.documents), dtype=np.int64) if topics is None else topics
        self.topic = self.topics[collection.document]
        self.vocabulary = Vocabulary()
        self.silent = self.vocabulary.number(SILENT)
        self.numbers = [[self.vocabulary.number(term) for term in document_terms(doc)] for doc in collection.documents]

    @cached_property
    def terms(self) -> list[str]:
        """The terms by their numbers."""
        return list(self.vocabulary.numbers)

    @cached_property
    def _counts(self) -> Matrix:
        return self.rows([self.said(numbers) for numbers in self.numbers])

    @cached_property
    def rarity(self) -> Floats:
        """The weight of each term: how few documents have it."""
        return inverse_frequency(document_frequency(self._counts), len(self.numbers))

    @cached_property
    def documents(self) -> Matrix:
        """Documents as TF-IDF rows."""
        return weighted(self._counts, self.rarity)

    @cached_property
    def documents_within(self) -> Matrix:
        """The same with the weights that terms have in the topic."""
        return weighted_within(self._counts, self.topics, self._counts, self.topics)

    @cached_property
    def groups(self) -> DocumentGroups:
        """How far up documents of a topic are joined."""
        return DocumentGroups(self.documents_within, self.topics)

    def within(self, rows: Matrix) -> Matrix:
        """Rows of mentions with the weights that terms have in their topic."""
        return weighted_within(rows, self.topic, self._counts, self.topics)

    @cached_property
    def spans(self) -> list[tuple[int, int, int]]:
        """For each mention the number of its document, and where its sentence begins and ends."""
        spans = []
        for number, mention in self.mentions():
            sentence = self.collection.documents[number].sentence_at(mention.start)
            spans.append((number, sentence.start, sentence.end))
        return spans

    def mentions(self) -> Iterator[tuple[int, Mention]]:
        """Each mention after the number of its document."""
        return zip(self.collection.document.tolist(), self.collection.mentions, strict=True)

    def heads(self) -> Iterator[tuple[int, int]]:
        """The position of each head after the number of its document."""
        return zip(self.collection.document.tolist(), self.collection.head.tolist(), strict=True)

    def said(self, numbers: Iterable[int]) -> list[int]:
        """Those that say something."""
        return [number for number in numbers if number != self.silent]

    def rows(self, bags: Sequence[Iterable[int]]) -> Matrix:
        """A row of counts for each bag of terms."""
        return count_matrix(bags, len(self.vocabulary))


def interned(words: Iterable[str]) -> tuple[list[int], list[str]]:
    """Words as numbers, and the words by their numbers."""
    vocabulary = Vocabulary()
    numbers = [vocabulary.number(word) for word in words]
    return numbers, list(vocabulary.numbers)
