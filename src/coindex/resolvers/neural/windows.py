"""Windows of text for an encoder, and blocks of windows that are encoded together.

Sentences are either packed into windows that are as large as possible, or each sentence has its own window with the
surrounding text as context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...document import Span
from .words import DocumentWords, Floats, Ints, Pieces, shape

SPEAKER_SLOTS = 4
"""Number of speaker ids at the input; 0 is no speaker."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Windows padded to the same length, and the positions of their words."""

    ids: Ints  # [windows, pieces]
    mask: Ints  # [windows, pieces]
    shapes: Ints  # [windows, pieces]
    speakers: Ints  # [windows, pieces]
    piece_index: Ints  # [words, pieces of a word]: into windows * pieces
    piece_weight: Floats  # [words, pieces of a word]: a mean, 0 where a word has fewer
    word_shapes: Ints  # [words]
    columns: Ints | None = None  # [words, columns]


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a sentence: at most `right` pieces after it, and before it up to `limit` pieces in all."""

    limit: int
    right: int

    def around(self, window: Span, pieces: Sequence[tuple[int, ...]]) -> Span:
        """Return the words of the window with its context. Four special tokens separate the three parts."""
        room = self.limit - 4 - sum(len(pieces[word]) for word in range(*window))
        left, right = window
        after = min(room // 2, self.right)
        while right < len(pieces) and len(pieces[right]) <= after:
            after -= len(pieces[right])
            room -= len(pieces[right])
            right += 1
        while left > 0 and len(pieces[left - 1]) <= room:
            left -= 1
            room -= len(pieces[left])
        return left, right


def make_windows(
    words: DocumentWords, pieces: Sequence[tuple[int, ...]], limit: int, context: Context | None = None
) -> list[Span]:
    """Return spans of words with at most `limit` pieces, including special tokens.

    Sentences are kept whole if they fit. With context, each window has a single sentence.
    """
    sizes = [len(piece) for piece in pieces]
    room = limit - (2 if context is None else 4)
    units = [unit for start, end in words.sentences for unit in _cut_sentence(start, end, sizes, room)]
    if context is not None:
        return units
    lengths = [sum(sizes[start:end]) for start, end in units]
    groups = pack(lengths, room)
    return [(units[first][0], units[last - 1][1]) for first, last in groups]


def _cut_sentence(start: int, end: int, sizes: Sequence[int], limit: int) -> list[Span]:
    """Cut a sentence if it is longer than a window."""
    spans = []
    first, total = start, 0
    for word in range(start, end):
        if total + sizes[word] > limit:
            spans.append((first, word))
            first, total = word, 0
        total += sizes[word]
    return [*spans, (first, end)]


def pack(lengths: Sequence[int], limit: int) -> list[Span]:
    """Return the smallest number of consecutive groups of at most `limit`, of similar size."""
    count = len(_pack_greedily(lengths, limit))
    low, high = max(lengths, default=0), limit
    while low < high:
        middle = (low + high) // 2
        if len(_pack_greedily(lengths, middle)) > count:
            low = middle + 1
        else:
            high = middle
    return _pack_greedily(lengths, low)


def _pack_greedily(lengths: Sequence[int], limit: int) -> list[Span]:
    groups: list[Span] = []
    first, total = 0, 0
    for number, length in enumerate(lengths):
        if number > first and total + length > limit:
            groups.append((first, number))
            first, total = number, 0
        total += length
    return [*groups, (first, len(lengths))] if lengths else []


def make_batch(
    words: DocumentWords,
    pieces: Sequence[tuple[int, ...]],
    windows: Sequence[Span],
    table: Pieces,
    context: Context | None = None,
) -> Batch:
    """Return the arrays of consecutive windows; words are numbered from the first one."""
    start, end = windows[0][0], windows[-1][1]
    lines = [_line(window, pieces, table, context) for window in windows]
    longest = max(len(line.ids) for line in lines)
    ids = np.full((len(windows), longest), table.pad, dtype=np.int64)
    mask, shapes, speakers = (np.zeros_like(ids) for _ in range(3))
    sizes = _sizes(pieces, (start, end))
    places = np.arange(sizes.max())
    is_piece = places < sizes[:, None]
    index = np.zeros(is_piece.shape, dtype=np.int64)
    word_shapes = np.zeros(end - start, dtype=np.int64)
    for row, ((first, last), line) in enumerate(zip(windows, lines, strict=True)):
        ids[row, : len(line.ids)] = line.ids
        mask[row, : len(line.ids)] = 1
        own = _sizes(pieces, line.words)
        at = np.repeat(line.begins - (np.cumsum(own) - own), own) + np.arange(own.sum())
        forms = np.array([shape(form) for form in words.forms[slice(*line.words)]], dtype=np.int64)
        shapes[row, at] = np.repeat(forms, own)
        speakers[row, at] = np.repeat(_speaker_slots(words, line.words), own)
        inside = slice(first - line.words[0], last - line.words[0])
        index[first - start : last - start] = row * longest + line.begins[inside, None] + places
        word_shapes[first - start : last - start] = forms[inside]
    weight = np.where(is_piece, 1 / sizes[:, None], 0).astype(np.float32)
    columns = None if words.columns is None else words.columns[start:end]
    return Batch(ids, mask, shapes, speakers, np.where(is_piece, index, 0), weight, word_shapes, columns)


def _sizes(pieces: Sequence[tuple[int, ...]], words: Span) -> Ints:
    return np.array([len(pieces[word]) for word in range(*words)], dtype=np.int64)


def _speaker_slots(words: DocumentWords, span: Span) -> Ints:
    """Return the speaker ids of some words."""
    sentences = words.sentence_of[slice(*span)]
    slots = [speaker_slot(speaker) for speaker in words.speakers[sentences[0] : sentences[-1] + 1]]
    rows: Ints = np.array(slots, dtype=np.int64)[sentences - sentences[0]]
    return rows


def speaker_slot(speaker: int) -> int:
    """Return the speaker id at the input."""
    return (speaker - 1) % SPEAKER_SLOTS + 1 if speaker else 0


class Line(NamedTuple):
    """A window as encoder input: its pieces with special tokens, its words, and the start of each word."""

    ids: list[int]
    words: Span
    begins: Ints


def _line(window: Span, pieces: Sequence[tuple[int, ...]], table: Pieces, context: Context | None) -> Line:
    left, right = window if context is None else context.around(window, pieces)
    line = [table.begin]
    begins: list[int] = []
    for word in range(left, right):
        if context is not None and word in window:
            line.append(table.end)
        begins.append(len(line))
        line += pieces[word]
    if context is not None and right == window[1]:
        line.append(table.end)
    line.append(table.end)
    return Line(line, (left, right), np.array(begins, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Part:
    """Windows that belong together because a sentence continues in the next one; usually a single one."""

    windows: tuple[Span, ...]
    longest: int
    """Number of pieces in its longest window."""

    @property
    def start(self) -> int:
        return self.windows[0][0]

    @property
    def end(self) -> int:
        return self.windows[-1][1]

    def sentences(self, words: DocumentWords) -> list[Span]:
        """Return the sentences of the part; those that are longer than a block are cut."""
        numbers = range(int(words.sentence_of[self.start]), int(words.sentence_of[self.end - 1]) + 1)
        spans = (words.sentences[number] for number in numbers)
        return [(max(start, self.start), min(end, self.end)) for start, end in spans]


class HasParts(Protocol):
    """A document that is being processed."""

    @property
    def parts(self) -> Sequence[Part]: ...


Reading = TypeVar("Reading", bound=HasParts)
Number = TypeVar("Number", bound=np.generic)


def make_parts(windows: Sequence[Span], lengths: Sequence[int], words: DocumentWords, most: int) -> list[Part]:
    """Group windows up to the end of a sentence, or at most `most` windows, to limit the memory."""
    ends = {end for _, end in words.sentences}
    parts = []
    first = 0
    for at, (_, end) in enumerate(windows, 1):
        if end in ends or at - first == most:
            parts.append(Part(tuple(windows[first:at]), max(lengths[first:at])))
            first = at
    return parts


def make_blocks(readings: Iterable[Reading], area: int) -> Iterator[list[tuple[Reading, Part]]]:
    """Yield blocks of parts with at most `area` pieces, including padding.

    Documents are sorted by the length of their windows to reduce padding.
    """
    block: list[tuple[Reading, Part]] = []
    rows = longest = 0
    for reading in sorted(readings, key=lambda reading: max((part.longest for part in reading.parts), default=0)):
        for part in reading.parts:
            rows += len(part.windows)
            longest = max(longest, part.longest)
            if block and rows * longest > area:
                yield block
                block, rows, longest = [], len(part.windows), part.longest
            block.append((reading, part))
    if block:
        yield block


def join_batches(batches: Sequence[Batch]) -> Batch:
    """Concatenate batches."""
    if len(batches) == 1:
        return batches[0]
    longest = max(batch.ids.shape[1] for batch in batches)
    widest = max(batch.piece_index.shape[1] for batch in batches)
    indices = []
    before = 0
    for batch in batches:
        row, place = np.divmod(batch.piece_index, batch.ids.shape[1])
        indices.append(np.where(batch.piece_weight > 0, (before + row) * longest + place, 0))
        before += len(batch.ids)
    columns = [batch.columns for batch in batches if batch.columns is not None]
    return Batch(
        ids=_stack([batch.ids for batch in batches], longest),
        mask=_stack([batch.mask for batch in batches], longest),
        shapes=_stack([batch.shapes for batch in batches], longest),
        speakers=_stack([batch.speakers for batch in batches], longest),
        piece_index=_stack(indices, widest),
        piece_weight=_stack([batch.piece_weight for batch in batches], widest),
        word_shapes=np.concatenate([batch.word_shapes for batch in batches]),
        columns=np.concatenate(columns) if columns else None,
    )


def _stack(arrays: Sequence[NDArray[Number]], width: int) -> NDArray[Number]:
    """Stack arrays, padded with zeros on the right."""
    padded = np.zeros((sum(map(len, arrays)), width), dtype=arrays[0].dtype)
    at = 0
    for array in arrays:
        padded[at : at + len(array), : array.shape[1]] = array
        at += len(array)
    return padded
