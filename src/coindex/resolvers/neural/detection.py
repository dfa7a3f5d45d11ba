"""How mentions are found: scores of words in, spans out. Stack tags and scored spans are the two ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from ...document import Span
from .words import Floats, Ints

NO_TARGET = -100
"""Stands where there is nothing to learn: a tag that the model does not know, a span that cannot be."""


class Detector(Protocol):
    """Turns the scores that a model gives to words into mentions, and mentions into what its scores should be."""

    @property
    def outputs(self) -> int:
        """How many scores each word has."""
        ...

    @property
    def by_sentence(self) -> bool:
        """Whether the mentions of a sentence do not depend on the others, so that any may be decoded together."""
        ...

    def raised(self, scores: Floats, bias: float) -> Floats:
        """The scores with mentions more probable by so much."""
        ...

    def decode(self, scores: Floats, sentences: Sequence[Span]) -> list[Span]:
        """The mentions in reading order."""
        ...

    def targets(self, spans: Iterable[Span], sentences: Sequence[Span]) -> Ints:
        """What is learned: [words] the number of a tag, or [words, outputs] 1 for a mention and 0 for none."""
        ...

    def description(self) -> dict[str, Any]:
        """What a model folder says of it."""
        ...
