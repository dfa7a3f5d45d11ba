"""Split documents into windows, and batch windows of similar length from many documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...document import Document, Span
from ...document.documents import is_validated
from ..neural.windows import Batch, Context, join_batches, make_batch, make_windows
from ..neural.words import DocumentWords, Pieces, document_words

Windows = Literal["sentence", "document", "validated"]
"""Each sentence alone; with as much context as fits; or with context from validated sentences only."""
AT_ONCE = 4096
"""Number of pieces in a batch, including padding."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document as the input of an encoder."""

    words: DocumentWords
    pieces: list[tuple[int, ...]]
    windows: list[Span]
    sentences: list[Span]
    """The requested sentences; each is covered by one or several windows."""


@dataclass(frozen=True, slots=True)
class Window:
    """A span of words of a text, and its number of pieces including the special tokens."""

    text: int
    span: Span
    size: int


def read_text(doc: Document, table: Pieces, windows: Windows, limit: int, *, validated: bool = False) -> Text:
    """Return the words, pieces and windows of a document; a window has at most `limit` pieces.

    With `validated`, sentences that the document says are context alone are at most in windows of others.
    """
    words = document_words(doc)
    if windows == "validated":
        words = _keep_validated_words(doc, words)
    pieces = table.of(words.forms)
    alone = Context(limit, 0) if windows == "sentence" else None
    spans = make_windows(words, pieces, limit, alone)
    sentences = _select_validated(doc, words) if validated else words.sentences
    if len(sentences) < len(words.sentences):
        spans = _overlapping_windows(spans, sentences, len(words))
    return Text(words, pieces, spans, sentences)


def _select_validated(doc: Document, words: DocumentWords) -> list[Span]:
    return [span for span in words.sentences if is_validated(doc.sentence_at(words.positions[span[0]]))]


def _keep_validated_words(doc: Document, words: DocumentWords) -> DocumentWords:
    """Return only the words of validated sentences."""
    kept = _select_validated(doc, words)
    if len(kept) == len(words.sentences):
        return words
    numbers = [word for span in kept for word in range(*span)]
    ends = np.cumsum([end - start for start, end in kept]).tolist()
    return DocumentWords(
        forms=[words.forms[word] for word in numbers],
        positions=[words.positions[word] for word in numbers],
        sentences=list(zip([0, *ends[:-1]], ends, strict=True)) if ends else [],
        speakers=[words.speakers[int(words.sentence_of[start])] for start, _ in kept],
    )


def _overlapping_windows(spans: list[Span], sentences: list[Span], words: int) -> list[Span]:
    """Return the windows that contain words of these sentences."""
    wanted = np.zeros(words + 1, dtype=np.int64)
    for start, end in sentences:
        wanted[start + 1 : end + 1] = 1
    before = wanted.cumsum()
    return [span for span in spans if before[span[1]] > before[span[0]]]


def text_windows(texts: Iterable[Text]) -> list[Window]:
    """Return the windows of all texts in order."""
    return [
        Window(number, span, 2 + sum(map(len, text.pieces[slice(*span)])))
        for number, text in enumerate(texts)
        for span in text.windows
    ]


def group_by_length(windows: Iterable[Window], most: int = AT_ONCE) -> Iterator[list[Window]]:
    """Yield groups of windows of similar length, each with at most `most` pieces including padding."""
    group: list[Window] = []
    for window in sorted(windows, key=lambda window: window.size):
        if group and (len(group) + 1) * window.size > most:
            yield group
            group = []
        group.append(window)
    if group:
        yield group


def window_batch(texts: Sequence[Text], windows: Sequence[Window], table: Pieces) -> Batch:
    """Return the arrays of some windows; their words are concatenated."""
    parts = []
    for window in windows:
        text = texts[window.text]
        parts.append(make_batch(text.words, text.pieces, [window.span], table))
    return join_batches(parts)
