"""Group documents by topic: given topics, topics predicted from the words, or one topic for all.

For predicted topics, documents are TF-IDF rows, with terms weighted by their rarity in the collection. They are joined
by average linkage as long as the mean cosine between two groups is at least THRESHOLD, so that the number of topics
need not be specified. A document without words is its own topic. THRESHOLD was chosen on the training topics of ECB+
(news of about 300 words per document). Long documents are more similar by chance, so that collections of novels get
few, large topics.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from ...document import Document
from ...document.naming import count
from ...errors import CoindexError, CoindexWarning
from .clustering import ROUNDING, in_reading_order, link_dense
from .collection import Ints
from .terms import Matrix, document_terms, tf_idf

Topics = Literal["auto", "given", "subtopic", "predicted", "none"]
TOPICS: tuple[Topics, ...] = ("auto", "given", "subtopic", "predicted", "none")
THRESHOLD = 0.08
CHUNK = 2000
"""Number of groups of documents that are compared at the same time."""


def find_topics(documents: Sequence[Document], how: Topics) -> Ints:
    """Return the topic number of each document, in order of appearance."""
    how = choose_topics(documents, how)
    if how == "none":
        return np.zeros(len(documents), dtype=np.int64)
    if how == "predicted":
        return predict_topics(tf_idf([document_terms(doc) for doc in documents]))
    return _number_given_topics(documents, how)


def wider_topics(documents: Sequence[Document], how: Topics, topics: Ints) -> Ints:
    """Return the groups in which words are weighed and means are computed: topics, even if subtopics are separate.

    The other subtopics show what is specific to one.
    """
    if how != "subtopic" or all(doc.topic is None for doc in documents):
        return topics
    names: dict[tuple[str, object], int] = {}
    keys: list[tuple[str, object]] = [
        ("subtopic", number) if doc.topic is None else ("topic", doc.topic)
        for doc, number in zip(documents, topics.tolist(), strict=True)
    ]
    return np.array([names.setdefault(key, len(names)) for key in keys], dtype=np.int64)


def choose_topics(documents: Sequence[Document], how: Topics) -> Topics:
    """Resolve `auto`: given topics if every document has one, otherwise predicted topics."""
    if how != "auto":
        return how
    return "given" if documents and all(doc.topic is not None for doc in documents) else "predicted"


def _number_given_topics(documents: Sequence[Document], how: Topics) -> Ints:
    name: Callable[[Document], str | None] = _subtopic if how == "subtopic" else _topic
    lacking = [doc for doc in documents if name(doc) is None]
    if len(documents) > 1 and len(lacking) == len(documents):
        raise CoindexError(
            f"none of {count(len(documents), 'document')} has a topic (the first: {lacking[0].id or 'document 1'}); "
            "use documents with topics, such as those of ECB+, predict topics with --topics predicted, or resolve all "
            "documents together with --topics none",
            code="missing-topic",
        )
    if lacking and len(documents) > 1:
        message = (
            f"{len(lacking):,} of {count(len(documents), 'document')} without a topic (the first: "
            f"{lacking[0].id or 'a document without a name'}), resolved one by one; to predict topics for all "
            "documents, use --topics predicted"
        )
        warnings.warn(CoindexWarning(message, code="missing-topic"), stacklevel=2)
    keys: list[tuple[str, object]] = [
        ("document", number) if (topic := name(doc)) is None else ("topic", topic)
        for number, doc in enumerate(documents)
    ]
    numbers: dict[tuple[str, object], int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _topic(doc: Document) -> str | None:
    return doc.topic


def _subtopic(doc: Document) -> str | None:
    return doc.subtopic or doc.topic


def predict_topics(rows: Matrix, threshold: float = THRESHOLD) -> Ints:
    """Return the topics of TF-IDF rows. The mean cosine of two groups is the product of the sums of their rows."""
    labels = np.arange(rows.shape[0])
    while True:
        sums, sizes = _sum_rows(rows, labels)
        joined = labels
        for chunk in _chunks(sums):
            products = (sums[chunk] @ sums[chunk].T).toarray()
            own = chunk[link_dense(products, sizes[chunk], threshold)]
            joined = joined.copy()
            joined[np.isin(labels, chunk)] = own[np.searchsorted(chunk, labels[np.isin(labels, chunk)])]
        before, labels = len(sizes), in_reading_order(joined)
        after = int(labels.max(initial=-1)) + 1
        if before <= CHUNK or after > 0.9 * before:
            return labels


def _sum_rows(rows: Matrix, labels: Ints) -> tuple[Matrix, Ints]:
    number = int(labels.max(initial=-1)) + 1
    members = sparse.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(number, len(labels)))
    return sparse.csr_matrix(members @ rows), np.bincount(labels, minlength=number).astype(np.int64)


def _chunks(sums: Matrix) -> list[Ints]:
    """Return the groups to compare with each other: all, or, if there are too many, those with the same main term."""
    number = sums.shape[0]
    if number <= CHUNK:
        return [np.arange(number)] if number else []
    main = np.asarray(sums.argmax(axis=1)).ravel()
    order = np.argsort(main, kind="stable")
    return [np.sort(order[start : start + CHUNK]) for start in range(0, number, CHUNK)]


def assign_topics(rows: Matrix, old: Ints, threshold: float = THRESHOLD) -> Ints:
    """Assign new documents to the topics of the first ones, or to new topics."""
    if not len(old):
        return predict_topics(rows, threshold)
    sums, sizes = _sum_rows(rows[: len(old)], old)
    new = rows[len(old) :]
    means = (new @ sums.T).toarray() / sizes
    labels = means.argmax(axis=1).astype(np.int64)
    rest = np.flatnonzero(means.max(axis=1, initial=0) < threshold - ROUNDING)
    labels[rest] = len(sizes) + predict_topics(new[rest], threshold)
    return np.concatenate([old, labels])
