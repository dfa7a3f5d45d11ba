"""Vectors of words and sentences from an encoder as it came, untouched by training.

Cosines between them tell what two mentions have in common beyond words. Each sentence is encoded alone: that is what
encoders of sentences were made for, and so a sentence has the same vector wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...document import Document
from ..neural.windows import Batch
from ..neural.words import Floats
from .model import LOWER, LOWER_OUTPUTS, PLAIN, PLAIN_OUTPUTS, open_model
from .windows import Text, Window, group_by_length, read_text, text_windows, window_batch

LIMIT = 256
"""Pieces: longer sentences are cut."""


@dataclass(frozen=True, eq=False, slots=True)
class Encoded:
    """The vectors of a document: of its tokens by position, zeros for empty nodes, and of its sentences."""

    words: Floats  # [tokens, size]
    lower: Floats  # [tokens, size]: the same from the middle of the encoder
    sentences: Floats  # [sentences, size]: the mean of all pieces


class Encoder:
    """The plain part of a model folder."""

    def __init__(self, folder: str | Path, *, threads: int = 0) -> None:
        self.model = open_model(folder, threads=threads)

    def encode(self, docs: Sequence[Document]) -> list[Encoded]:
        """The vectors of each document."""
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
    """[words, size]: the mean of the pieces of each word."""
    pieces = states.reshape(-1, states.shape[-1])[batch.piece_index]
    means: Floats = np.einsum("wps,wp->ws", pieces, batch.piece_weight)
    return means


class _Gathered:
    """The vectors of one document as they come, window by window."""

    def __init__(self, doc: Document, text: Text, size: int) -> None:
        self.text = text
        # sentences without words are left out in a text: their number in the document
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
