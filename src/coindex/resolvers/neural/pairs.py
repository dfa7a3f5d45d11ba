"""Pairs of a mention and a candidate for its antecedent: which there are, and what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...document import Span
from .kinds import KINDS, NUMBERS
from .matches import GRADES, MatchIndex
from .mentions import Mentions, log_bucket
from .words import Ints, Words

GAPS = 14
DISTANCES = 13
BETWEEN = ("far", "nothing", "comma", "copula", "bracket", "of", "and", "other")
BETWEEN_OF = {
    word: BETWEEN.index(name)
    for name, words in {
        "comma": ", : – — - --",
        "copula": "is was are were be been am 're 'm became as called named",
        "bracket": '( ) [ ] " “ ”',
        "of": "of in at on for to with by from",
        "and": "and or",
    }.items()
    for word in words.split()
}
NEAR = 3
OWNERS = ("neither", "one", "same", "different")
"""Whether the mentions begin with a possessive (*his head*), and with the same one."""
REPEATS = 8
SPEAKERS = 3
NESTING = 3

# The features of a pair, each with the number of its values. A model says which of them it uses.
FEATURES = {
    "gap": GAPS,
    "mentions": DISTANCES,
    "sentences": DISTANCES,
    "match": len(GRADES),
    "kinds": len(KINDS) ** 2,
    "speaker": SPEAKERS * len(KINDS) ** 2,
    "nesting": NESTING,
    "numbers": len(NUMBERS) ** 2,
    "between": len(BETWEEN),
    "owners": len(OWNERS),
    "repeats": REPEATS,
}
BASIC = ("gap", "mentions", "sentences", "match", "kinds", "speaker", "nesting", "numbers", "between")


@dataclass(frozen=True, slots=True)
class Pairs:
    """One row a pair, sorted by anaphor, the candidates of each in reading order."""

    anaphor: Ints  # [pairs]
    candidate: Ints  # [pairs]
    features: Ints  # [pairs, features]

    def __len__(self) -> int:
        return len(self.anaphor)


class PairMaker:
    """Goes through the mentions of a document in reading order, block by block, and pairs each with earlier ones.

    Candidates are the nearest `limit` mentions and, from anywhere before, those that look alike. A mention that begins
    where the anaphor does is none: it holds it.
    """

    def __init__(self, words: Words, limit: int, features: Sequence[str] = BASIC) -> None:
        self.words = words
        self.limit = limit
        self.features = features
        self.mentions: Mentions | None = None
        self._index = MatchIndex()
        self._repeats: list[int] = []

    def add(self, new: Mentions, heads: Ints) -> Pairs:
        """The pairs of the next block of mentions, numbered in the document."""
        before = 0 if self.mentions is None else len(self.mentions)
        self.mentions = new if self.mentions is None else joined(self.mentions, new)
        anaphors: list[Ints] = []
        candidates: list[Ints] = []
        grades: list[Ints] = []
        for row, span in enumerate(zip(new.start.tolist(), new.end.tolist(), strict=True)):
            alike = self._index.add(self.words.forms, span, int(heads[row]), int(new.kind[row]))
            self._repeats.append(len(alike))
            number = before + row
            first = max(0, number - self.limit)
            far = [other for other in alike if other < first]
            found = np.array([*far, *range(first, number)], dtype=np.int64)
            grade = np.zeros(len(found), dtype=np.int64)
            for other, value in alike.items():
                grade[other - first + len(far) if other >= first else far.index(other)] = value
            free = self.mentions.start[found] < span[0]
            anaphors.append(np.full(int(free.sum()), number, dtype=np.int64))
            candidates.append(found[free])
            grades.append(grade[free])
        return self._described(*map(_concatenated, (anaphors, candidates, grades)))

    def _described(self, anaphor: Ints, candidate: Ints, match: Ints) -> Pairs:
        all_mentions = self.mentions
        assert all_mentions is not None
        i, j = rows(all_mentions, anaphor), rows(all_mentions, candidate)
        kinds = i.kind * len(KINDS) + j.kind
        known = (i.speaker > 0) & (j.speaker > 0)
        speaker = np.where(known, np.where(i.speaker == j.speaker, 1, 2), 0)
        gap = i.start - j.end
        columns = {
            "gap": np.where(gap < 0, 0, np.minimum(log_bucket(gap) + 1, GAPS - 1)),
            "mentions": np.minimum(log_bucket(anaphor - candidate), DISTANCES - 1),
            "sentences": np.minimum(log_bucket(i.sentence - j.sentence), DISTANCES - 1),
            "match": match,
            "kinds": kinds,
            "speaker": kinds * SPEAKERS + speaker,
            "nesting": np.where(gap >= 0, 0, np.where(i.end <= j.end, 1, 2)),
            "numbers": i.number * len(NUMBERS) + j.number,
            "between": self._between(j.end, i.start),
            "owners": self._owners(i, j),
            "repeats": np.minimum(log_bucket(np.array(self._repeats, dtype=np.int64)[candidate]), REPEATS - 1),
        }
        features = np.stack([columns[name] for name in self.features], axis=1)
        return Pairs(anaphor, candidate, features)

    @cached_property
    def _form_numbers(self) -> Ints:
        """The same number for the same form, whatever its case."""
        number: dict[str, int] = {}
        return np.array([number.setdefault(form.lower(), len(number)) for form in self.words.forms], dtype=np.int64)

    def _owners(self, i: Mentions, j: Mentions) -> Ints:
        """Whether both begin with one possessive, with two, or only one of them does."""
        possessive = KINDS.index("possessive")
        first = self._form_numbers
        both = np.where(first[i.start] == first[j.start], OWNERS.index("same"), OWNERS.index("different"))
        either = np.where((i.kind == possessive) | (j.kind == possessive), OWNERS.index("one"), 0)
        return np.where((i.kind == possessive) & (j.kind == possessive), both, either)

    def _between(self, end: Ints, start: Ints) -> Ints:
        """What stands between two mentions that are near each other."""
        values = np.zeros(len(end), dtype=np.int64)
        forms = self.words.forms
        for row in np.flatnonzero((start - end >= 0) & (start - end <= NEAR)):
            between = forms[end[row] : start[row]]
            kinds = [BETWEEN_OF[word] for form in between if (word := form.lower()) in BETWEEN_OF]
            if not between:
                values[row] = BETWEEN.index("nothing")
            else:
                copula = BETWEEN.index("copula")
                values[row] = copula if copula in kinds else kinds[0] if kinds else BETWEEN.index("other")
        return values


def rows(mentions: Mentions, index: Ints) -> Mentions:
    """Some of the mentions."""
    return Mentions(*(getattr(mentions, name)[index] for name in Mentions.__slots__))


def joined(first: Mentions, second: Mentions) -> Mentions:
    """Mentions and those that follow them."""
    return Mentions(*(np.concatenate([getattr(first, n), getattr(second, n)]) for n in Mentions.__slots__))


def without_speakers(words: Words) -> Words:
    """The same words, nobody speaking."""
    return replace(words, speakers=[0] * len(words.speakers))


def _concatenated(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)


def spans_of(mentions: Mentions) -> list[Span]:
    """The mentions as spans of words."""
    return list(zip(mentions.start.tolist(), mentions.end.tolist(), strict=True))
