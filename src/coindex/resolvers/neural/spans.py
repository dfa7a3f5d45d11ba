"""Scored spans: every span of a sentence up to a width has a score, and the best are kept.

Nested and crossing mentions come by themselves. What is kept is more than the mentions: a span that nothing is linked
to and that is hardly a mention itself is left out afterwards (Lee et al. 2017; Kirstain et al. 2021).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...document import Span
from .detection import NO_TARGET
from .words import Floats, Ints, in_reading_order


@dataclass(frozen=True, slots=True)
class SpanSet:
    """Spans of at most `width` words; as many of them are kept as `ratio` times the words."""

    width: int
    ratio: float

    @property
    def outputs(self) -> int:
        return self.width

    @property
    def by_sentence(self) -> bool:
        return False  # they share the number of spans that are kept

    def possible(self, sentences: Sequence[Span]) -> NDArray[np.bool_]:
        """[words, width]: whether the span of so many words from this one on lies in its sentence."""
        ends = np.concatenate([np.full(end - start, end) for start, end in sentences])
        starts = np.arange(sentences[0][0], sentences[-1][1])
        return (starts[:, None] + np.arange(1, self.width + 1)) <= ends[:, None]

    def raised(self, scores: Floats, bias: float) -> Floats:
        return scores + np.float32(bias)

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[Span]:
        """The best spans of all sentences together."""
        if not sentences:
            return []
        first, last = sentences[0][0], sentences[-1][1]
        possible = self.possible(sentences).ravel()
        values = np.where(possible, scores[first:last].ravel(), -np.inf)
        count = min(ceil(self.ratio * (last - first)), int(possible.sum()))
        best = np.argsort(-values, kind="stable")[:count]
        starts, widths = best // self.width + first, best % self.width + 1
        return in_reading_order(zip(starts.tolist(), (starts + widths).tolist(), strict=True))

    def targets(self, spans: Iterable[Span], sentences: Sequence[Span]) -> Ints:
        """1 for the spans, 0 for the others; spans that are too wide cannot be learned."""
        targets = np.where(self.possible(sentences), 0, NO_TARGET).astype(np.int64)
        for start, end in spans:
            if end - start <= self.width:
                targets[start - sentences[0][0], end - start - 1] = 1
        return targets

    def description(self) -> dict[str, Any]:
        return {"tags": [], "depth": 0, "width": self.width, "ratio": self.ratio}
