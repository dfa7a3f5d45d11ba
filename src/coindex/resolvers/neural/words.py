"""The words of a document as a model sees them: empty nodes left out, sentences and speakers kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...document import Document, Mention, Span, runs
from ...text.character_classes import GHOSTS

GHOST = re.compile(f"[{GHOSTS}]")
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Words:
    """Words are counted from 0 without empty nodes; `positions` leads back to the document's tokens."""

    forms: list[str]
    positions: list[int]
    sentences: list[Span]
    speakers: list[int]
    """The speaker of each sentence: 0 where nobody says, else numbered in the order of appearance."""
    columns: Ints | None = field(default=None, compare=False)
    """[words, columns]: UD columns as numbers, for models that use them."""

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def sentence_of(self) -> Ints:
        """The number of the sentence of each word."""
        lengths = [end - start for start, end in self.sentences]
        return np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)

    @cached_property
    def word_at(self) -> dict[int, int]:
        """The word at a position of the document."""
        return {position: word for word, position in enumerate(self.positions)}


def document_words(doc: Document) -> Words:
    """The words of a document without characters of no width.

    Sentences without words are left out, and those in which all words are protected.
    """
    empty, protected = doc.tokens.empty_positions, doc.tokens.protected
    forms: list[str] = []
    positions: list[int] = []
    sentences: list[Span] = []
    speakers: list[int] = []
    numbers: dict[str, int] = {}
    all_forms = [visible(form) for form in doc.tokens.forms]
    for sentence in doc.sentences:
        start = len(forms)
        if sentence.start in protected and all(at in protected for at in range(sentence.start, sentence.end)):
            continue
        for position in range(sentence.start, sentence.end):
            if position not in empty:
                forms.append(all_forms[position])
                positions.append(position)
        if len(forms) > start:
            sentences.append((start, len(forms)))
            name = sentence.speaker
            speakers.append(numbers.setdefault(name, len(numbers) + 1) if name else 0)
    return Words(forms, positions, sentences, speakers)


def visible(form: str) -> str:
    """A form without characters of no width, so that names with and without them are the same to the model."""
    return form if form.isascii() else (GHOST.sub("", form) or form)


def word_span(mention: Mention, words: Words) -> Span | None:
    """The words of a mention; of one with gaps the run that has its head, else the longest.

    None where the mention has no words, or does not lie in one sentence: such mentions cannot be tagged.
    """
    found = [words.word_at[position] for position in mention.positions if position in words.word_at]
    if not found:
        return None
    head = words.word_at.get(mention.head) if mention.head is not None else None
    pieces = runs(found)
    span = next(
        ((start, end) for start, end in pieces if head is not None and start <= head < end),
        max(pieces, key=lambda piece: piece[1] - piece[0]),
    )
    sentence_of = words.sentence_of
    return span if sentence_of[span[0]] == sentence_of[span[1] - 1] else None


def in_reading_order(spans: Iterable[Span]) -> list[Span]:
    """Each span once, the earlier first, of two with one start the longer first."""
    return sorted(set(spans), key=lambda span: (span[0], -span[1]))
