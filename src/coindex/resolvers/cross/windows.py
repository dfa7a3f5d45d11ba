"""Documents cut into windows, and windows of many documents put into batches of about one length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...document import Document, Span
from ...document.documents import is_validated
from ..neural.windows import Batch, Context, join_batches, make_batch, make_windows
from ..neural.words import Pieces, Words, document_words

Windows = Literal["sentence", "document", "validated"]
"""Each sentence alone; with as much of the document around it as fits; or of that only what is not context alone."""
AT_ONCE = 4096
"""Pieces of a batch, padding among them."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document as an encoder sees it."""

    words: Words
    pieces: list[tuple[int, ...]]
    windows: list[Span]
    sentences: list[Span]
    """Those that were asked for; each is in some window, or lies in several."""


@dataclass(frozen=True, slots=True)
class Window:
    """Words of a text, by its number, and how many pieces they are with the marks at both ends."""

    text: int
    span: Span
    size: int


def read_text(doc: Document, table: Pieces, windows: Windows, limit: int, *, validated: bool = False) -> Text:
    """The words, pieces and windows of a document; a window has at most `limit` pieces.

    With `validated`, sentences that the document says are context alone are at most in windows of others.
    """
    words = document_words(doc)
    if windows == "validated":
        words = _validated_words(doc, words)
    pieces = table.of(words.forms)
    alone = Context(limit, 0) if windows == "sentence" else None
    spans = make_windows(words, pieces, limit, alone)
    sentences = _validated_sentences(doc, words) if validated else words.sentences
    if len(sentences) < len(words.sentences):
        spans = _overlapping_windows(spans, sentences, len(words))
    return Text(words, pieces, spans, sentences)


def _validated_sentences(doc: Document, words: Words) -> list[Span]:
    return [span for span in words.sentences if is_validated(doc.sentence_at(words.positions[span[0]]))]


def _validated_words(doc: Document, words: Words) -> Words:
    """The words of validated sentences, as if there were no others."""
    kept = _validated_sentences(doc, words)
    if len(kept) == len(words.sentences):
        return words
    numbers = [word for span in kept for word in range(*span)]
    ends = np.cumsum([end - start for start, end in kept]).tolist()
    return Words(
        forms=[words.forms[word] for word in numbers],
        positions=[words.positions[word] for word in numbers],
        sentences=list(zip([0, *ends[:-1]], ends, strict=True)) if ends else [],
        speakers=[words.speakers[int(words.sentence_of[start])] for start, _ in kept],
    )


def _overlapping_windows(spans: list[Span], sentences: list[Span], words: int) -> list[Span]:
    """The windows in which words of these sentences are."""
    wanted = np.zeros(words + 1, dtype=np.int64)
    for start, end in sentences:
        wanted[start + 1 : end + 1] = 1
    before = wanted.cumsum()
    return [span for span in spans if before[span[1]] > before[span[0]]]


def text_windows(texts: Iterable[Text]) -> list[Window]:
    """The windows of all texts in order."""
    return [
        Window(number, span, 2 + sum(map(len, text.pieces[slice(*span)])))
        for number, text in enumerate(texts)
        for span in text.windows
    ]


def group_by_length(windows: Iterable[Window], most: int = AT_ONCE) -> Iterator[list[Window]]:
    """Groups of windows of about one length, each with at most `most` pieces when padded."""
    group: list[Window] = []
    for window in sorted(windows, key=lambda window: window.size):
        if group and (len(group) + 1) * window.size > most:
            yield group
            group = []
        group.append(window)
    if group:
        yield group


def window_batch(texts: Sequence[Text], windows: Sequence[Window], table: Pieces) -> Batch:
    """The arrays of some windows; their words stand one after another."""
    parts = []
    for window in windows:
        text = texts[window.text]
        parts.append(make_batch(text.words, text.pieces, [window.span], table))
    return join_batches(parts)
