"""The text of a collection as numbers: terms of all words, how rare each is, documents as weighted rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ...document import Mention
from .collection import Collection, Floats
from .terms import (
    SILENT,
    Matrix,
    Vocabulary,
    count_matrix,
    document_frequency,
    document_terms,
    inverse_frequency,
    weighted,
)


class Texts:
    """The terms of a collection, numbered. Weights are those of this very collection."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
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
