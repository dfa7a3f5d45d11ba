"""Pairs of a mention and a candidate for its antecedent: which there are, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .coarse import Choice
from .kinds import KINDS, NUMBERS
from .matches import GRADES, HEAD, RELATIONS, SAME, SUBSET, MatchIndex, relation
from .memory import Memory
from .mentions import Mentions, log_bucket
from .quotes import CLASS_OF, CLASSES, PLACES, Quotes, compare_quotes, find_quotes
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
RANKS = 5
"""0 for what looks otherwise; else how many nearer candidates look as much like the anaphor, from 1 for none."""
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
    "words": len(RELATIONS),
    "rank": RANKS,
    "quotes": PLACES * CLASSES**2,
}
MEANINGS = {
    "gap": "how many words stand between both, in steps that grow; whether they overlap",
    "mentions": "how many mentions the candidate stands further back",
    "sentences": "how many sentences the candidate stands further back",
    "match": "how much both look alike: the same words, the same head, a head inside the other, an acronym …",
    "kinds": "what kinds of expressions both are: names, families of pronouns, nouns by their determiner",
    "speaker": "whether one person says both or two do, for each pair of kinds",
    "nesting": "whether the anaphor lies inside the candidate, or crosses its end",
    "numbers": "whether each is singular or plural, as far as words tell",
    "between": "what stands between two that are near: nothing, a comma, a copula, a bracket …",
    "owners": "whether both begin with a possessive, and with the same one",
    "repeats": "how many mentions before the candidate look like it",
    "words": "what the words of two that look alike are to each other: equal, fewer, more, other numbers …",
    "rank": "how many nearer candidates look as much like the anaphor",
    "quotes": "who of both is quoted, and how many turns of speaking lie between them, for each pair of persons",
}
"""What each feature tells."""
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
        self._memory = {name: Memory[np.int64]() for name in Mentions.__slots__}
        self._index = MatchIndex()
        self._repeats = Memory[np.int64]()

    def add(self, new: Mentions, heads: Ints, choose: Choice | None = None) -> Pairs:
        """The pairs of the next block of mentions, numbered in the document; of them those that are chosen."""
        before = len(self._repeats)
        for name, memory in self._memory.items():
            memory.add(getattr(new, name))
        columns = self._candidates(before, self._alike(new, heads))
        starts = self._memory["start"]
        free = np.flatnonzero(starts[columns[1]] < starts[columns[0]]) if len(columns[0]) else columns[0]
        columns = tuple(column[free] for column in columns)
        if choose is not None:
            kept = choose(columns[0], columns[1])
            columns = tuple(column[kept] for column in columns)
        return self._described(*columns)

    def _alike(self, new: Mentions, heads: Ints) -> list[dict[int, int]]:
        """For each mention the earlier ones that look like it, with the grade of the match."""
        columns = (new.start.tolist(), new.end.tolist(), heads.tolist(), new.kind.tolist())
        forms = self.words.forms
        found = [self._index.add(forms, (a, b), head, kind) for a, b, head, kind in zip(*columns, strict=True)]
        self._repeats.add(np.array([len(alike) for alike in found], dtype=np.int64))
        return found

    def _candidates(self, before: int, alike: list[dict[int, int]]) -> tuple[Ints, ...]:
        """Anaphors, candidates and grades: for each mention far ones that look alike, then all of the nearest."""
        number = np.arange(before, before + len(alike))
        nearest = np.maximum(0, number - self.limit)
        firsts = nearest.tolist()
        far = [[other for other in found if other < first] for found, first in zip(alike, firsts, strict=True)]
        far_count = np.array([len(others) for others in far], dtype=np.int64)
        count = far_count + number - nearest
        end = np.cumsum(count)
        anaphor = np.repeat(number, count)
        # where the row of a candidate is: a shift for the nearest, one by one for the far
        shift = end - count + far_count - nearest
        candidate = np.arange(len(anaphor)) - np.repeat(shift, count)
        match = np.zeros(len(anaphor), dtype=np.int64)
        places: list[int] = []
        grades: list[int] = []
        rows = zip(alike, far, firsts, shift.tolist(), (end - count).tolist(), strict=True)
        for found, others, first, moved, begin in rows:
            for place, other in enumerate(others, begin):
                candidate[place] = other
                match[place] = found[other]
            for other, grade in found.items():
                if other >= first:
                    places.append(moved + other)
                    grades.append(grade)
        match[places] = grades
        return anaphor, candidate, match

    def _described(self, anaphor: Ints, candidate: Ints, match: Ints) -> Pairs:
        features = np.zeros((len(anaphor), len(self.features)), dtype=np.int64)
        if not len(anaphor):
            return Pairs(anaphor, candidate, features)
        i, j = (Mentions(*(memory[rows] for memory in self._memory.values())) for rows in (anaphor, candidate))
        kinds = i.kind * len(KINDS) + j.kind
        gap = i.start - j.end
        columns: dict[str, Callable[[], Ints]] = {
            "gap": lambda: np.where(gap < 0, 0, np.minimum(log_bucket(gap) + 1, GAPS - 1)),
            "mentions": lambda: np.minimum(log_bucket(anaphor - candidate), DISTANCES - 1),
            "sentences": lambda: np.minimum(log_bucket(i.sentence - j.sentence), DISTANCES - 1),
            "match": lambda: match,
            "kinds": lambda: kinds,
            "speaker": lambda: kinds * SPEAKERS + _speakers(i, j),
            "nesting": lambda: np.where(gap >= 0, 0, np.where(i.end <= j.end, 1, 2)),
            "numbers": lambda: i.number * len(NUMBERS) + j.number,
            "between": lambda: self._between(j.end, i.start),
            "owners": lambda: self._owners(i, j),
            "repeats": lambda: np.minimum(log_bucket(self._repeats[candidate]), REPEATS - 1),
            "words": lambda: self._relations(anaphor, candidate, match),
            "rank": lambda: _ranks(anaphor, match),
            "quotes": lambda: self._quoted(i, j),
        }
        for number, name in enumerate(self.features):
            features[:, number] = columns[name]()
        return Pairs(anaphor, candidate, features)

    @cached_property
    def _form_numbers(self) -> Ints:
        """The same number for the same form, whatever its case."""
        number: dict[str, int] = {}
        return np.array([number.setdefault(form.lower(), len(number)) for form in self.words.forms], dtype=np.int64)

    @cached_property
    def _quotes(self) -> Quotes:
        return find_quotes(self.words)

    def _quoted(self, i: Mentions, j: Mentions) -> Ints:
        """Who of both is quoted, for each pair of persons."""
        persons = CLASS_OF[i.kind] * CLASSES + CLASS_OF[j.kind]
        return persons * PLACES + compare_quotes(self._quotes, i.start, j.start)

    def _owners(self, i: Mentions, j: Mentions) -> Ints:
        """Whether both begin with one possessive, with two, or only one of them does."""
        possessive = KINDS.index("possessive")
        first = self._form_numbers
        both = np.where(first[i.start] == first[j.start], OWNERS.index("same"), OWNERS.index("different"))
        either = np.where((i.kind == possessive) | (j.kind == possessive), OWNERS.index("one"), 0)
        return np.where((i.kind == possessive) & (j.kind == possessive), both, either)

    def _relations(self, anaphor: Ints, candidate: Ints, match: Ints) -> Ints:
        """What the words of two that look alike have to do with each other."""
        values = np.zeros(len(anaphor), dtype=np.int64)
        looks = self._index.looks
        alike = np.flatnonzero(match)
        for row, one, other in zip(alike.tolist(), anaphor[alike].tolist(), candidate[alike].tolist(), strict=True):
            first, second = looks[one], looks[other]
            if first is not None and second is not None:
                values[row] = relation(first, second)
        return values

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


def joined(parts: Sequence[Mentions]) -> Mentions:
    """Mentions one after another."""
    return Mentions(*(np.concatenate([getattr(part, name) for part in parts]) for name in Mentions.__slots__))


def without_speakers(words: Words) -> Words:
    """The same words, nobody speaking."""
    return replace(words, speakers=[0] * len(words.speakers))


def _ranks(anaphor: Ints, match: Ints) -> Ints:
    """Where each stands among the candidates of its anaphor that look as much like it, the nearest first."""
    values = np.zeros(len(anaphor), dtype=np.int64)
    for grade in (SAME, SUBSET, HEAD):
        alike = np.flatnonzero(match == grade)
        if len(alike):
            owner = anaphor[alike]
            after_last = np.searchsorted(owner, owner, side="right")
            values[alike] = np.minimum(after_last - np.arange(len(alike)), RANKS - 1)
    return values


def _speakers(i: Mentions, j: Mentions) -> Ints:
    """0 where it is not known of both who speaks, 1 for the same speaker, 2 for two."""
    known = (i.speaker > 0) & (j.speaker > 0)
    return np.where(known, np.where(i.speaker == j.speaker, 1, 2), 0)
