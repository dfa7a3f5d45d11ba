"""Words as terms: the lemma or stem of each word that says something, and weighted bags of them as sparse rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ...document import Document
from ..languages import language, language_of
from ..rules.english import AUXILIARIES
from ..rules.head_lemma import lemma
from ..rules.shallow import CLOSED
from .collection import Floats, Ints

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


def weighted(counts: Matrix, weights: Floats) -> Matrix:
    """Rows of length 1: a term counts with the logarithm of its number and with its weight. Empty rows stay so."""
    matrix = counts.copy()
    matrix.data = (1 + np.log(matrix.data)) * weights[matrix.indices]
    return normalised(matrix)


def weighted_within(counts: Matrix, groups: Ints, bags: Matrix, bag_groups: Ints) -> Matrix:
    """As `weighted`, but a term has a weight in each group of rows: how few bags of that very group have it.

    What all of a group have says nothing of which of them are alike, and weighs next to nothing.
    """
    width = counts.shape[1]
    terms, frequency = np.unique(_grouped(bags, bag_groups, width), return_counts=True)
    own = _grouped(counts, groups, width)
    places = np.minimum(np.searchsorted(terms, own), max(0, len(terms) - 1))
    known = np.where(terms[places] == own, frequency[places], 0) if len(terms) else np.zeros(len(own))
    sizes = np.bincount(bag_groups, minlength=int(groups.max(initial=0)) + 1)
    matrix = counts.copy()
    rarity = np.log((1 + sizes[own // width]) / (1 + known)) + LEAST
    matrix.data = (1 + np.log(matrix.data)) * rarity
    return normalised(matrix)


def _grouped(matrix: Matrix, groups: Ints, width: int) -> Ints:
    """Each entry of a matrix as a number for its column in its row's group."""
    places: Ints = np.repeat(groups, np.diff(matrix.indptr)) * width + matrix.indices
    return places


def normalised(matrix: Matrix) -> Matrix:
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
    return weighted(counts, inverse_frequency(document_frequency(counts), len(documents)))
