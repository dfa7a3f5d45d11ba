"""The mentions of a document in arrays, in reading order, as features and scores are computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...document import Span
from ..linguistics.languages import language
from ..linguistics.mention_kinds import KINDS, kind_of, number_of
from .words import Ints, Words

WIDTHS = 10


@dataclass(frozen=True, slots=True)
class Mentions:
    """One row a mention; words are counted in the document."""

    start: Ints
    end: Ints
    kind: Ints
    number: Ints
    width: Ints
    sentence: Ints
    speaker: Ints

    def __len__(self) -> int:
        return len(self.start)


def describe(words: Words, spans: Sequence[Span]) -> Mentions:
    """What the words tell of mentions that are given in reading order."""
    start = np.array([span[0] for span in spans], dtype=np.int64)
    end = np.array([span[1] for span in spans], dtype=np.int64)
    sentence = words.sentence_of[start] if len(spans) else start
    begins = [words.sentences[number][0] for number in sentence]
    kinds = [kind_of(words.forms, span, begin) for span, begin in zip(spans, begins, strict=True)]
    numbers = [number_of(words.forms, span) for span in spans]
    return Mentions(
        start=start,
        end=end,
        kind=np.array(kinds, dtype=np.int64),
        number=np.array(numbers, dtype=np.int64),
        width=width_bucket(end - start),
        sentence=sentence,
        speaker=np.array(words.speakers, dtype=np.int64)[sentence],
    )


def width_bucket(width: Ints) -> Ints:
    """0 for one word, 1 for two, 2 for three, 3 for four, then in doubling steps."""
    return np.minimum(log_bucket(width - 1), WIDTHS - 1)


def log_bucket(distance: Ints) -> Ints:
    """0, 1, 2, 3, 4, 5-7, 8-15, 16-31 … as 0, 1, 2, 3, 4, 5, 6, 7 …"""
    distance = np.maximum(distance, 0)
    logs = np.floor(np.log2(np.maximum(distance, 1))).astype(np.int64)
    return np.where(distance <= 4, distance, logs + 3)


UNKNOWN, MASCULINE, FEMININE = range(3)
GENDERED_PRONOUNS = {KINDS.index("he"): MASCULINE, KINDS.index("she"): FEMININE}
NAMES = frozenset(KINDS.index(kind) for kind in ("name", "initial"))
NUMBER = {"Masc": MASCULINE, "Fem": FEMININE}


def genders(words: Words, mentions: Mentions, heads: Ints) -> Ints:
    """Of each mention, as far as its words leave no doubt."""
    columns = (mentions.start.tolist(), mentions.end.tolist(), mentions.kind.tolist(), heads.tolist())
    return np.array([_gender(words.forms, *row) for row in zip(*columns, strict=True)], dtype=np.int64)


def _gender(forms: list[str], start: int, end: int, kind: int, head: int) -> int:
    if kind in GENDERED_PRONOUNS:
        return GENDERED_PRONOUNS[kind]
    english = language("en")
    if kind not in NAMES:
        return NUMBER.get(english.persons.get(forms[head].lower(), ""), UNKNOWN)
    first = forms[start].lower()
    if end - start > 1 and first in english.titles:
        return NUMBER.get(english.titles[first], UNKNOWN)
    return NUMBER.get(english.names.get(first, ""), UNKNOWN)
