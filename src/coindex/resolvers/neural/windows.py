"""Windows: whole sentences packed into pieces of text that an encoder can take, each encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...document import Span
from .pieces import Pieces, shape
from .words import Floats, Ints, Words

SPEAKER_SLOTS = 4
"""Speakers share so many marks at the input; 0 is nobody."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Windows side by side, padded to one length, and where the words are in them."""

    ids: Ints  # [windows, pieces]
    mask: Ints  # [windows, pieces]
    shapes: Ints  # [windows, pieces]
    speakers: Ints  # [windows, pieces]
    piece_index: Ints  # [words, pieces of a word]: into windows * pieces
    piece_weight: Floats  # [words, pieces of a word]: a mean, 0 where a word has fewer
    word_shapes: Ints  # [words]


def make_windows(words: Words, pieces: Sequence[tuple[int, ...]], limit: int) -> list[Span]:
    """Spans of words, whole sentences as far as they fit, of at most `limit` pieces with the two marks at the ends."""
    sizes = [len(piece) for piece in pieces]
    units = [unit for start, end in words.sentences for unit in _fitting(start, end, sizes, limit - 2)]
    lengths = [sum(sizes[start:end]) for start, end in units]
    groups = pack(lengths, limit - 2)
    return [(units[first][0], units[last - 1][1]) for first, last in groups]


def _fitting(start: int, end: int, sizes: Sequence[int], limit: int) -> list[Span]:
    """A sentence, cut only where it is longer than a window."""
    spans = []
    first, total = start, 0
    for word in range(start, end):
        if total + sizes[word] > limit:
            spans.append((first, word))
            first, total = word, 0
        total += sizes[word]
    return [*spans, (first, end)]


def pack(lengths: Sequence[int], limit: int) -> list[Span]:
    """The fewest groups of neighbours with at most `limit` in each, as equal as they can be."""
    count = len(_greedy(lengths, limit))
    low, high = max(lengths, default=0), limit
    while low < high:
        middle = (low + high) // 2
        if len(_greedy(lengths, middle)) > count:
            low = middle + 1
        else:
            high = middle
    return _greedy(lengths, low)


def _greedy(lengths: Sequence[int], limit: int) -> list[Span]:
    groups: list[Span] = []
    first, total = 0, 0
    for number, length in enumerate(lengths):
        if number > first and total + length > limit:
            groups.append((first, number))
            first, total = number, 0
        total += length
    return [*groups, (first, len(lengths))] if lengths else []


def make_batch(words: Words, pieces: Sequence[tuple[int, ...]], windows: Sequence[Span], table: Pieces) -> Batch:
    """The arrays of some windows that follow each other; words are numbered from the first of them."""
    start, end = windows[0][0], windows[-1][1]
    longest = max(sum(len(pieces[word]) for word in range(*window)) for window in windows) + 2
    ids = np.full((len(windows), longest), table.pad, dtype=np.int64)
    mask, shapes, speakers = (np.zeros_like(ids) for _ in range(3))
    widest = max(len(pieces[word]) for word in range(start, end))
    index = np.zeros((end - start, widest), dtype=np.int64)
    weight = np.zeros((end - start, widest), dtype=np.float32)
    word_shapes = np.array([shape(words.forms[word]) for word in range(start, end)], dtype=np.int64)
    slots = [(speaker - 1) % SPEAKER_SLOTS + 1 if speaker else 0 for speaker in words.speakers]
    for row, (first, last) in enumerate(windows):
        line = [table.begin]
        for word in range(first, last):
            own = pieces[word]
            at = len(line)
            line += own
            index[word - start, : len(own)] = range(row * longest + at, row * longest + len(line))
            weight[word - start, : len(own)] = 1 / len(own)
            shapes[row, at : len(line)] = word_shapes[word - start]
            speakers[row, at : len(line)] = slots[words.sentence_of[word]]
        line.append(table.end)
        ids[row, : len(line)] = line
        mask[row, : len(line)] = 1
    return Batch(ids, mask, shapes, speakers, index, weight, word_shapes)
