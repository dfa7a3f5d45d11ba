"""Vectors of mentions from those of words and sentences that an encoder gives.

`head` is the vector of the head in its sentence, `lower` the same from the middle of the encoder, where the word counts
for more and the sentence for less, `span` the mean of the words of the mention, `rest` that of the other words of its
sentence. `phrase` is the vector of the mention's words by themselves, as if they were a sentence. `sentence` is that of
the sentence, `document` the mean of those of all sentences of the document. Where there is nothing to take a mean of, a
vector is zeros and its cosine 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from ...document import Document, Token, Tokens
from .collection import Collection
from .neighbours import Vectors
from .scorer import VectorMaker

NAMES = ("head", "lower", "span", "rest", "phrase", "sentence", "document")
OF_WORDS = ("head", "lower")
"""Those of a single word."""
AT_ONCE = 256
"""How many documents are encoded at once."""
PHRASES = 512
"""How many phrases make a document."""


class Encoded(Protocol):
    """The vectors of one document, see `encoder.Encoded`."""

    @property
    def words(self) -> Vectors: ...
    @property
    def lower(self) -> Vectors: ...
    @property
    def sentences(self) -> Vectors: ...


class WordEncoder(Protocol):
    """What gives the vectors of words and sentences, see `encoder.Encoder`."""

    @property
    def size(self) -> int: ...

    def encode(self, docs: Sequence[Document]) -> Sequence[Encoded]: ...


def make_vectors(encoder: WordEncoder) -> VectorMaker:
    """What makes the vectors of all mentions of a collection."""

    def vectors(collection: Collection) -> Mapping[str, Vectors]:
        made = {name: np.zeros((len(collection), encoder.size), dtype=np.float32) for name in NAMES}
        ends = np.searchsorted(collection.document, np.arange(len(collection.documents)), side="right").tolist()
        row = 0
        for (doc, encoded), end in zip(_encode_batches(collection.documents, encoder), ends, strict=True):
            total = _mean(encoded.sentences)
            for at in range(row, end):
                _fill(made, at, collection, doc, encoded)
                made["document"][at] = total
            row = end
        made["phrase"] = _phrases(collection, encoder)
        return made

    return vectors


def _encode_batches(docs: Sequence[Document], encoder: WordEncoder) -> Iterator[tuple[Document, Encoded]]:
    for start in range(0, len(docs), AT_ONCE):
        some = docs[start : start + AT_ONCE]
        yield from zip(some, encoder.encode(some), strict=True)


def _fill(made: Mapping[str, Vectors], row: int, collection: Collection, doc: Document, encoded: Encoded) -> None:
    mention, head = collection.mentions[row], int(collection.head[row])
    sentence = doc.sentence_at(mention.start)
    own = np.zeros(len(encoded.words), dtype=bool)
    own[list(mention.positions)] = True
    made["head"][row], made["lower"][row] = encoded.words[head], encoded.lower[head]
    made["span"][row] = _mean(encoded.words[own])
    around = slice(sentence.start, sentence.end)
    made["rest"][row] = _mean(encoded.words[around][~own[around]])
    if len(encoded.sentences):
        made["sentence"][row] = encoded.sentences[max(0, doc.sentence_index(mention.start))]


def _phrases(collection: Collection, encoder: WordEncoder) -> Vectors:
    """The vectors of the words of each mention; those with the same words are encoded once."""
    numbers: dict[tuple[str, ...], int] = {}
    rows = []
    for mention, document in zip(collection.mentions, collection.document.tolist(), strict=True):
        forms = collection.documents[document].tokens.forms
        rows.append(numbers.setdefault(tuple(forms[at] for at in mention.positions), len(numbers)))
    phrases = list(numbers)
    docs = [_make_sentences(phrases[start : start + PHRASES]) for start in range(0, len(phrases), PHRASES)]
    parts = [encoded.sentences for _, encoded in _encode_batches(docs, encoder)]
    vectors = np.concatenate([np.zeros((0, encoder.size), dtype=np.float32), *parts])
    result: Vectors = vectors[np.array(rows, dtype=np.int64)].astype(np.float32)
    return result


def _make_sentences(phrases: Sequence[tuple[str, ...]]) -> Document:
    tokens = Tokens(Token(str(at), form) for phrase in phrases for at, form in enumerate(phrase, 1))
    return Document.from_sentences(tokens, map(len, phrases))


def _mean(vectors: Vectors) -> Vectors:
    mean: Vectors = vectors.mean(axis=0) if len(vectors) else np.zeros(vectors.shape[1], dtype=np.float32)
    return mean
