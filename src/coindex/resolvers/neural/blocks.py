"""Blocks: windows of one document or of several that are encoded side by side, so that short texts are fast too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...document import Span
from .windows import Batch
from .words import Words


@dataclass(frozen=True, slots=True)
class Part:
    """Windows that belong together, for a sentence may go on from one to the next: most often a single one."""

    windows: tuple[Span, ...]
    longest: int
    """Pieces of its longest window."""

    @property
    def start(self) -> int:
        return self.windows[0][0]

    @property
    def end(self) -> int:
        return self.windows[-1][1]

    def sentences(self, words: Words) -> list[Span]:
        """The sentences in it, one that is longer than a block as far as it lies here."""
        numbers = range(int(words.sentence_of[self.start]), int(words.sentence_of[self.end - 1]) + 1)
        spans = (words.sentences[number] for number in numbers)
        return [(max(start, self.start), min(end, self.end)) for start, end in spans]


class HasParts(Protocol):
    """A document on its way."""

    @property
    def parts(self) -> Sequence[Part]: ...


Reading = TypeVar("Reading", bound=HasParts)
Number = TypeVar("Number", bound=np.generic)


def make_parts(windows: Sequence[Span], lengths: Sequence[int], words: Words, most: int) -> list[Part]:
    """Windows up to the end of a sentence; after `most` of them a part ends wherever it is, to fit in memory."""
    ends = {end for _, end in words.sentences}
    parts = []
    first = 0
    for at, (_, end) in enumerate(windows, 1):
        if end in ends or at - first == most:
            parts.append(Part(tuple(windows[first:at]), max(lengths[first:at])))
            first = at
    return parts


def make_blocks(readings: Iterable[Reading], area: int) -> Iterator[list[tuple[Reading, Part]]]:
    """The parts of documents in order, as many at once as have at most `area` pieces when padded to one length.

    Documents with windows of similar length come after each other, so that little is padded.
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
    """Batches as one: rows below each other, words after each other."""
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
        ids=_stacked([batch.ids for batch in batches], longest),
        mask=_stacked([batch.mask for batch in batches], longest),
        shapes=_stacked([batch.shapes for batch in batches], longest),
        speakers=_stacked([batch.speakers for batch in batches], longest),
        piece_index=_stacked(indices, widest),
        piece_weight=_stacked([batch.piece_weight for batch in batches], widest),
        word_shapes=np.concatenate([batch.word_shapes for batch in batches]),
        columns=np.concatenate(columns) if columns else None,
    )


def _stacked(arrays: Sequence[NDArray[Number]], width: int) -> NDArray[Number]:
    """Arrays below each other, zeros on the right of those that are narrower."""
    padded = np.zeros((sum(map(len, arrays)), width), dtype=arrays[0].dtype)
    at = 0
    for array in arrays:
        padded[at : at + len(array), : array.shape[1]] = array
        at += len(array)
    return padded
