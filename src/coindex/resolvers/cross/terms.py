"""Words as terms, how rare each is, and documents as weighted sparse rows.

Groups of documents in a topic: two that are joined early tell of one happening, even if they share few words.

The documents of a topic are joined by average linkage over the cosines of their terms. How alike the two groups were in
which two documents met says more than how alike the two themselves are: those in between speak for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import average, cophenet
from scipy.spatial.distance import squareform

from ...document import Document, Mention
from ..linguistics.english import AUXILIARIES
from ..linguistics.languages import language, language_of
from ..linguistics.noun_phrases import CLOSED
from ..linguistics.stems import lemma
from .collection import Collection, Floats, Ints

Matrix = Any
"""A scipy.sparse.csr_matrix, which has no types."""
ENGLISH = CLOSED | AUXILIARIES | language("en").common
LEAST = 0.1
"""The weight of a term that a whole group has."""
SILENT = ""
"""The term of a word that says nothing."""


class Vocabulary:
    """Terms as numbers, in the order in which they came."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, term: str) -> int:
        return self.numbers.setdefault(term, len(self.numbers))


def document_terms(doc: Document) -> list[str]:
    """For each word its lemma, else its stem; nothing for function words, signs and empty nodes."""
    words = language_of(doc)
    silent = words.common | words.pronouns.keys() | (ENGLISH if words.code in ("", "en") else frozenset())
    empty = doc.tokens.empty_positions
    terms = []
    for position, form in enumerate(doc.tokens.forms):
        lower = form.lower()
        says = position not in empty and lower not in silent and any(map(str.isalnum, lower))
        terms.append(lemma(doc, position) if says else SILENT)
    return terms


def count_matrix(rows: Sequence[Iterable[int]], width: int) -> Matrix:
    """A row of counts for each bag of numbers."""
    lists = [list(row) for row in rows]
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    columns = np.fromiter((number for row in lists for number in row), dtype=np.int64, count=int(lengths.sum()))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    matrix = sparse.csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(lists), max(1, width)))
    matrix.sum_duplicates()
    return matrix


def document_frequency(counts: Matrix) -> Ints:
    """In how many rows each column is."""
    return np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.int64)


def inverse_frequency(frequency: Ints, documents: int) -> Floats:
    """How telling a term is: 1 for one that every document has, more for rarer ones, never nothing."""
    weights: Floats = np.log((1 + documents) / (1 + frequency)) + 1
    return weights


def weigh_terms(counts: Matrix, weights: Floats) -> Matrix:
    """Rows of length 1: a term counts with the logarithm of its number and with its weight. Empty rows stay so."""
    matrix = counts.copy()
    matrix.data = (1 + np.log(matrix.data)) * weights[matrix.indices]
    return normalise_rows(matrix)


def weigh_terms_within(counts: Matrix, groups: Ints, bags: Matrix, bag_groups: Ints) -> Matrix:
    """As `weigh_terms`, but a term has a weight in each group of rows: how few bags of that very group have it.

    What all of a group have says nothing of which of them are alike, and weighs next to nothing.
    """
    width = counts.shape[1]
    terms, frequency = np.unique(_group_columns(bags, bag_groups, width), return_counts=True)
    own = _group_columns(counts, groups, width)
    places = np.minimum(np.searchsorted(terms, own), max(0, len(terms) - 1))
    known = np.where(terms[places] == own, frequency[places], 0) if len(terms) else np.zeros(len(own))
    sizes = np.bincount(bag_groups, minlength=int(groups.max(initial=0)) + 1)
    matrix = counts.copy()
    rarity = np.log((1 + sizes[own // width]) / (1 + known)) + LEAST
    matrix.data = (1 + np.log(matrix.data)) * rarity
    return normalise_rows(matrix)


def _group_columns(matrix: Matrix, groups: Ints, width: int) -> Ints:
    """Each entry of a matrix as a number for its column in its row's group."""
    places: Ints = np.repeat(groups, np.diff(matrix.indptr)) * width + matrix.indices
    return places


def normalise_rows(matrix: Matrix) -> Matrix:
    """The rows with length 1."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1
    return sparse.csr_matrix(sparse.diags(1 / lengths) @ matrix)


def tf_idf(documents: Sequence[Sequence[str]]) -> Matrix:
    """Documents as rows by their terms, weighted by how rare a term is among these documents."""
    vocabulary = Vocabulary()
    counts = count_matrix(
        [[vocabulary.number(term) for term in terms if term != SILENT] for terms in documents], len(vocabulary)
    )
    return weigh_terms(counts, inverse_frequency(document_frequency(counts), len(documents)))


MOST = 1000
"""In a topic of more documents each pair is compared by itself, since a table of all pairs would be too large."""


class DocumentGroups:
    """For pairs of documents of one topic the mean cosine at which they were joined; `rows` have length 1."""

    def __init__(self, rows: Matrix, topics: Ints) -> None:
        self.rows = rows
        sizes = np.bincount(topics, minlength=1)
        order = np.argsort(topics, kind="stable")
        starts = np.cumsum(sizes) - sizes
        self.width = sizes[topics]
        self.place = np.empty(len(topics), dtype=np.int64)
        self.place[order] = np.arange(len(topics)) - starts[topics[order]]
        squares = np.where(sizes <= MOST, sizes**2, 0)
        self.start = (np.cumsum(squares) - squares)[topics]
        tables = [_join_documents(rows[order[start : start + size]]) for start, size in zip(starts, sizes, strict=True)]
        self.table = np.concatenate([np.zeros(0), *tables])

    def __call__(self, left: Ints, right: Ints) -> Floats:
        result = np.zeros(len(left))
        known = self.width[left] <= MOST
        first, second = left[known], right[known]
        result[known] = self.table[self.start[first] + self.place[first] * self.width[first] + self.place[second]]
        if not known.all():
            first, second = left[~known], right[~known]
            result[~known] = np.asarray(self.rows[first].multiply(self.rows[second]).sum(axis=1)).ravel()
        return result


def _join_documents(rows: Matrix) -> Floats:
    """[documents * documents]; nothing for too many."""
    number = rows.shape[0]
    if number > MOST:
        return np.zeros(0)
    if number < 2:
        return np.ones(number)
    distances = 1 - (rows @ rows.T).toarray()
    np.fill_diagonal(distances, 0)
    # rounded, so that ties do not depend on the order of sums
    tree = average(squareform(np.round(np.maximum(distances, 0), 9), checks=False))
    result: Floats = (1 - squareform(cophenet(tree))).ravel()
    return result


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
        return weigh_terms(self._counts, self.rarity)

    @cached_property
    def documents_within(self) -> Matrix:
        """The same with the weights that terms have in the topic."""
        return weigh_terms_within(self._counts, self.topics, self._counts, self.topics)

    @cached_property
    def groups(self) -> DocumentGroups:
        """How far up documents of a topic are joined."""
        return DocumentGroups(self.documents_within, self.topics)

    def within(self, rows: Matrix) -> Matrix:
        """Rows of mentions with the weights that terms have in their topic."""
        return weigh_terms_within(rows, self.topic, self._counts, self.topics)

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


def number_words(words: Iterable[str]) -> tuple[list[int], list[str]]:
    """Words as numbers, and the words by their numbers."""
    vocabulary = Vocabulary()
    numbers = [vocabulary.number(word) for word in words]
    return numbers, list(vocabulary.numbers)
