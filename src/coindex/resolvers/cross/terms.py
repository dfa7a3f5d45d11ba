"""Words as terms with their rarity, documents as weighted sparse rows, and groups of similar documents in a topic.

The documents of a topic are joined by average linkage over the cosines of their terms. The similarity at which two
documents are joined indicates the same event better than their own similarity, because it includes the documents
between them.
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
from ..linguistics.languages import language, language_of
from ..linguistics.noun_phrases import CLOSED
from ..linguistics.stems import lemma
from ..linguistics.word_classes import AUXILIARIES
from .collection import Collection, Floats, Ints

Matrix = Any
"""A scipy.sparse.csr_matrix, which has no type annotations."""
ENGLISH = CLOSED | AUXILIARIES | language("en").common
LEAST = 0.1
"""The weight of a term that all rows of a group have."""
SILENT = ""
"""The term of function words."""


class Vocabulary:
    """Numbers terms in order of appearance."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, term: str) -> int:
        return self.numbers.setdefault(term, len(self.numbers))


def document_terms(doc: Document) -> list[str]:
    """Return the lemma or stem of each word; empty for function words, punctuation and empty nodes."""
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
    """Return a matrix with the counts of each bag of numbers."""
    lists = [list(row) for row in rows]
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    columns = np.fromiter((number for row in lists for number in row), dtype=np.int64, count=int(lengths.sum()))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    matrix = sparse.csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(lists), max(1, width)))
    matrix.sum_duplicates()
    return matrix


def document_frequency(counts: Matrix) -> Ints:
    """Return the number of rows with each column."""
    return np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.int64)


def inverse_frequency(frequency: Ints, documents: int) -> Floats:
    """Return the weights of terms: 1 for terms of every document, and more for rarer ones."""
    weights: Floats = np.log((1 + documents) / (1 + frequency)) + 1
    return weights


def weigh_terms(counts: Matrix, weights: Floats) -> Matrix:
    """Return rows of length 1, in which terms have their weight times the logarithm of their count."""
    matrix = counts.copy()
    matrix.data = (1 + np.log(matrix.data)) * weights[matrix.indices]
    return normalise_rows(matrix)


def weigh_terms_within(counts: Matrix, groups: Ints, bags: Matrix, bag_groups: Ints) -> Matrix:
    """Weigh terms as `weigh_terms` does, but separately in each group of rows, by how few of its bags have them.

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
    """Return a number for the column and the group of the row of each entry."""
    places: Ints = np.repeat(groups, np.diff(matrix.indptr)) * width + matrix.indices
    return places


def normalise_rows(matrix: Matrix) -> Matrix:
    """Scale the rows to length 1."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1
    return sparse.csr_matrix(sparse.diags(1 / lengths) @ matrix)


def tf_idf(documents: Sequence[Sequence[str]]) -> Matrix:
    """Return the TF-IDF rows of documents, with term rarity in these documents."""
    vocabulary = Vocabulary()
    counts = count_matrix(
        [[vocabulary.number(term) for term in terms if term != SILENT] for terms in documents], len(vocabulary)
    )
    return weigh_terms(counts, inverse_frequency(document_frequency(counts), len(documents)))


MOST = 1000
"""In larger topics, documents are compared directly, because a table of all pairs would be too large."""


class DocumentGroups:
    """Returns the mean cosine at which two documents of a topic were joined; `rows` have length 1."""

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
    """Return the cosines of joins [documents * documents]; empty if there are too many documents."""
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
        """The terms by number."""
        return list(self.vocabulary.numbers)

    @cached_property
    def _counts(self) -> Matrix:
        return self.rows([self.drop_function_words(numbers) for numbers in self.numbers])

    @cached_property
    def rarity(self) -> Floats:
        """The weight of each term by its rarity in documents."""
        return inverse_frequency(document_frequency(self._counts), len(self.numbers))

    @cached_property
    def documents(self) -> Matrix:
        """The TF-IDF rows of documents."""
        return weigh_terms(self._counts, self.rarity)

    @cached_property
    def documents_within(self) -> Matrix:
        """The same with term weights within the topic."""
        return weigh_terms_within(self._counts, self.topics, self._counts, self.topics)

    @cached_property
    def groups(self) -> DocumentGroups:
        """The groups of documents within topics."""
        return DocumentGroups(self.documents_within, self.topics)

    def within(self, rows: Matrix) -> Matrix:
        """Return rows of mentions with term weights within their topic."""
        return weigh_terms_within(rows, self.topic, self._counts, self.topics)

    @cached_property
    def spans(self) -> list[tuple[int, int, int]]:
        """The document number and the start and end of the sentence of each mention."""
        spans = []
        for number, mention in self.mentions():
            sentence = self.collection.documents[number].sentence_at(mention.start)
            spans.append((number, sentence.start, sentence.end))
        return spans

    def mentions(self) -> Iterator[tuple[int, Mention]]:
        """Yield each mention with the number of its document."""
        return zip(self.collection.document.tolist(), self.collection.mentions, strict=True)

    def heads(self) -> Iterator[tuple[int, int]]:
        """Yield the position of each head with the number of its document."""
        return zip(self.collection.document.tolist(), self.collection.head.tolist(), strict=True)

    def drop_function_words(self, numbers: Iterable[int]) -> list[int]:
        """Return the terms without those of function words."""
        return [number for number in numbers if number != self.silent]

    def rows(self, bags: Sequence[Iterable[int]]) -> Matrix:
        """Return a matrix with the counts of each bag of terms."""
        return count_matrix(bags, len(self.vocabulary))


def number_words(words: Iterable[str]) -> tuple[list[int], list[str]]:
    """Number the words, and return the numbers and the distinct words."""
    vocabulary = Vocabulary()
    numbers = [vocabulary.number(word) for word in words]
    return numbers, list(vocabulary.numbers)
