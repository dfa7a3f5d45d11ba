"""Vectors of mentions from the word and sentence vectors of a frozen encoder.

Their cosines show similarities beyond words. Each sentence is encoded separately, as sentence encoders are trained, so
that a sentence has the same vector in any context.

`head` is the vector of the head in its sentence; `lower` is the same from the middle of the encoder, which depends more
on the word and less on the sentence; `span` is the mean of the words of the mention, and `rest` the mean of the other
words of the sentence. `phrase` is the vector of the words of the mention encoded as a sentence. `sentence` is the
vector of the sentence, and `document` the mean of the sentences of the document. A mean of nothing is a zero vector,
with cosine 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from ...document import Document, Token, Tokens
from ...engines import Workers, map_documents
from ..neural.windows import Batch
from ..neural.words import Floats
from .collection import Collection, Ints
from .model import (
    LOWER,
    LOWER_OUTPUTS,
    PLAIN,
    PLAIN_OUTPUTS,
    Text,
    Window,
    group_by_length,
    open_model,
    read_text,
    text_windows,
    window_batch,
)
from .neighbours import Vectors
from .scorer import VectorMaker
from .sharing import zeros_on_disk

LIMIT = 256
"""Maximum number of pieces; longer sentences are cut."""


@dataclass(frozen=True, eq=False, slots=True)
class Encoded:
    """The vectors of the tokens (zeros for empty nodes) and of the sentences of a document."""

    words: Floats  # [tokens, size]
    lower: Floats  # [tokens, size]: the same from the middle of the encoder
    sentences: Floats  # [sentences, size]: the mean of all pieces


class Encoder:
    """The frozen encoder of a model folder."""

    def __init__(self, folder: str | Path, *, threads: int = 0) -> None:
        self.model = open_model(folder, threads=threads)

    def __reduce__(self) -> tuple[type[Encoder], tuple[Path]]:
        return Encoder, (self.model.folder.resolve(),)

    def encode(self, docs: Sequence[Document]) -> list[Encoded]:
        """Return the vectors of each document."""
        texts = [read_text(doc, self.model.pieces, "sentence", LIMIT) for doc in docs]
        gathered = [_Gathered(doc, text, self.size) for doc, text in zip(docs, texts, strict=True)]
        for group in group_by_length(text_windows(texts)):
            batch = window_batch(texts, group, self.model.pieces)
            self._add(group, batch, gathered)
        return [vectors.finish() for vectors in gathered]

    @property
    def size(self) -> int:
        """The length of a vector."""
        return int(self.model.sessions[PLAIN].get_outputs()[0].shape[-1])

    def _add(self, group: Sequence[Window], batch: Batch, gathered: Sequence[_Gathered]) -> None:
        sessions = self.model.sessions
        # [windows, pieces, size]
        (lower,) = sessions.run(LOWER, LOWER_OUTPUTS, {"ids": batch.ids, "mask": batch.mask})
        (states,) = sessions.run(PLAIN, PLAIN_OUTPUTS, {"states": lower, "mask": batch.mask})
        words, below = _word_means(states, batch), _word_means(lower, batch)
        totals = np.einsum("wps,wp->ws", states, batch.mask.astype(np.float32))
        at = 0
        for window, total in zip(group, totals, strict=True):
            own = slice(at, at + window.span[1] - window.span[0])
            gathered[window.text].add(window, words[own], below[own], total)
            at = own.stop


def _word_means(states: Floats, batch: Batch) -> Floats:
    """Return the mean of the pieces of each word [words, size]."""
    pieces = states.reshape(-1, states.shape[-1])[batch.piece_index]
    means: Floats = np.einsum("wps,wp->ws", pieces, batch.piece_weight)
    return means


class _Gathered:
    """Collects the vectors of a document window by window."""

    def __init__(self, doc: Document, text: Text, size: int) -> None:
        self.text = text
        # a text has no sentences without words, so map its sentences to those of the document
        starts = np.array([sentence.start for sentence in doc.sentences], dtype=np.int64)
        firsts = [text.words.positions[start] for start, _ in text.words.sentences]
        self.numbers = np.searchsorted(starts, firsts, side="right") - 1
        self.words, self.lower = (np.zeros((len(doc.tokens), size), dtype=np.float32) for _ in range(2))
        self.totals = np.zeros((len(doc.sentences), size), dtype=np.float32)
        self.pieces = np.zeros(len(doc.sentences), dtype=np.int64)

    def add(self, window: Window, words: Floats, lower: Floats, total: Floats) -> None:
        start, end = window.span
        positions = self.text.words.positions[start:end]
        self.words[positions], self.lower[positions] = words, lower
        sentence = self.numbers[self.text.words.sentence_of[start]]
        self.totals[sentence] += total
        self.pieces[sentence] += window.size

    def finish(self) -> Encoded:
        sizes = np.maximum(self.pieces, 1).astype(np.float32)
        means: Floats = self.totals / sizes[:, None]
        return Encoded(self.words, self.lower, means)


NAMES = ("head", "lower", "span", "rest", "phrase", "sentence", "document")
OF_WORDS = ("head", "lower")
"""Names of the vectors of single words."""
AT_ONCE = 32
"""Number of documents that are encoded at the same time."""
PHRASES = 512
"""Number of phrases that are encoded as one document."""


class DocumentVectors(Protocol):
    """The vectors of a document (see `Encoded`)."""

    @property
    def words(self) -> Vectors: ...
    @property
    def lower(self) -> Vectors: ...
    @property
    def sentences(self) -> Vectors: ...


class WordEncoder(Protocol):
    """Computes the vectors of words and sentences (see `Encoder`)."""

    @property
    def size(self) -> int: ...

    def encode(self, docs: Sequence[Document]) -> Sequence[DocumentVectors]: ...


def make_vectors(encoder: WordEncoder) -> VectorMaker:
    """Return a function that computes the vectors of all mentions of a collection."""

    def vectors(collection: Collection, workers: Workers | int = 1) -> Mapping[str, Vectors]:
        phrases, rows = _find_phrases(collection)
        docs = collection.documents
        items = [(docs[at : at + AT_ONCE], True) for at in range(0, len(docs), AT_ONCE)]
        items += [((_make_sentences(phrases[at : at + PHRASES]),), False) for at in range(0, len(phrases), PHRASES)]
        made = {name: zeros_on_disk((len(collection), encoder.size)) for name in NAMES}
        phrase_vectors = [np.zeros((0, encoder.size), dtype=np.float32)]
        row = 0
        encoded = map_documents(partial(_encode, encoder=encoder), items, workers)
        for (_, has_mentions), part in zip(items, encoded, strict=True):
            if not has_mentions:
                phrase_vectors.append(part["sentence"])
                continue
            end = row + len(part["head"])
            for name, own in part.items():
                made[name][row:end] = own
            row = end
        np.take(np.concatenate(phrase_vectors), rows, axis=0, out=made["phrase"])
        return made

    return vectors


def _encode(item: tuple[Sequence[Document], bool], encoder: WordEncoder) -> dict[str, Vectors]:
    """Return the vectors of all mentions of some documents, or those of the sentences."""
    docs, has_mentions = item
    encoded = encoder.encode(docs)
    if not has_mentions:
        return {"sentence": np.concatenate([part.sentences for part in encoded]).astype(np.float32)}
    collection = Collection.of(docs)
    made = {name: np.zeros((len(collection), encoder.size), dtype=np.float32) for name in NAMES if name != "phrase"}
    totals = [_mean(part.sentences) for part in encoded]
    for row, document in enumerate(collection.document.tolist()):
        _fill(made, row, collection, docs[document], encoded[document])
        made["document"][row] = totals[document]
    return made


def _fill(
    made: Mapping[str, Vectors], row: int, collection: Collection, doc: Document, encoded: DocumentVectors
) -> None:
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


def _find_phrases(collection: Collection) -> tuple[list[tuple[str, ...]], Ints]:
    """Return the distinct phrases of mentions, and the phrase of each mention."""
    numbers: dict[tuple[str, ...], int] = {}
    rows = []
    for mention, document in zip(collection.mentions, collection.document.tolist(), strict=True):
        forms = collection.documents[document].tokens.forms
        rows.append(numbers.setdefault(tuple(forms[at] for at in mention.positions), len(numbers)))
    return list(numbers), np.array(rows, dtype=np.int64)


def _make_sentences(phrases: Sequence[tuple[str, ...]]) -> Document:
    tokens = Tokens(Token(str(at), form) for phrase in phrases for at, form in enumerate(phrase, 1))
    return Document.from_sentences(tokens, map(len, phrases))


def _mean(vectors: Vectors) -> Vectors:
    mean: Vectors = vectors.mean(axis=0) if len(vectors) else np.zeros(vectors.shape[1], dtype=np.float32)
    return mean
