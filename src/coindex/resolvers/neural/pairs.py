"""Pairs of a mention and a candidate antecedent, and their features."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...document import Span
from ..linguistics.mention_kinds import (
    CLASS_OF,
    CLASSES,
    KINDS,
    NUMBERS,
    PLACES,
    POSSESSIVE_MARKS,
    PRONOUNS,
    Quotes,
    compare_quotes,
    find_quotes,
)
from .detection import Mentions, log_bucket
from .words import DocumentWords, Floats, Ints

Choice = Callable[[Ints, Ints], Ints]
"""From the anaphors and candidates of pairs to the rows that are kept."""


class Rows(Protocol):
    """Vectors of the mentions so far: an array, or a memory."""

    def __getitem__(self, index: Ints) -> Floats: ...


def coarse_size(linking: str, query: int) -> int:
    """Return the number of leading columns of queries and keys for the coarse score, or 0 without one."""
    return query + 1 if linking == "ranking" else 0


def coarse_choice(query: Floats, keys: Rows, *, size: int, limit: int, before: int = 0) -> Choice | None:
    """Return a choice of the `limit` best candidates by coarse score, or None to keep all.

    The first query is that of mention `before`.
    """
    if not size or not limit:
        return None

    def choose(anaphor: Ints, candidate: Ints) -> Ints:
        used, column = np.unique(candidate, return_inverse=True)
        # [anaphors, candidates that occur]
        products = query[:, :size] @ keys[used][:, :size].T
        return best_rows(anaphor, products[anaphor - before, column], limit)

    return choose


def best_rows(anaphor: Ints, scores: Floats, limit: int) -> Ints:
    """Return the rows of the `limit` best scores of each anaphor, in order."""
    order = np.lexsort((-scores, anaphor))
    owner = anaphor[order]
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    return np.sort(order[rank < limit])


Number = TypeVar("Number", bound=np.generic)


class Memory(Generic[Number]):
    """A growing array of rows; its capacity doubles when it is full."""

    def __init__(self) -> None:
        self._rows: NDArray[Number] | None = None
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, rows: NDArray[Number]) -> None:
        needed = self._length + len(rows)
        if self._rows is None or needed > len(self._rows):
            grown = np.zeros((max(needed, 2 * self._length), *rows.shape[1:]), dtype=rows.dtype)
            if self._rows is not None:
                grown[: self._length] = self._rows[: self._length]
            self._rows = grown
        self._rows[self._length : needed] = rows
        self._length = needed

    def __getitem__(self, index: Ints) -> NDArray[Number]:
        assert self._rows is not None
        rows: NDArray[Number] = self._rows[: self._length][index]
        return rows


GRADES = ("none", "same", "same head, subset", "same head", "head inside", "overlap", "acronym", "similar")
SAME, SUBSET, HEAD, INSIDE, OVERLAP, ACRONYM, SIMILAR = range(1, 8)
RELATIONS = (
    "none",
    "equal",
    "fewer",
    "more",
    "other numbers",
    "other",
    "other, without head",
    "head in candidate",
    "head in anaphor",
)
"""What the content words of an anaphor are to those of a candidate that looks like it."""
EQUAL, FEWER, MORE, OTHER_NUMBERS, OTHER, HEADLESS, IN_CANDIDATE, IN_ANAPHOR = range(1, 9)
RECENT = 20
"""Number of recent mentions with the same key that are compared, which keeps the run time linear."""
PREFIX = 5
STOP = frozenset(
    """
    the a an this that these those such my your his her its our their some any no every each all of in on at by for from
    to with and or but as is was are were be been being have has had do does did not n't it he she they we you i who
    which , . ; : ( ) [ ] - -- – — " “ ” ` `` '' ? ! / mr. mrs. ms. dr. mr mrs ms dr sir
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)


@dataclass(frozen=True, slots=True)
class Look:
    """The comparable form of a mention: content words, their set, the stem of the head, initials."""

    text: tuple[str, ...]
    words: frozenset[str]
    head: str
    initials: str

    @property
    def keys(self) -> set[str]:
        """The keys of which two mentions must share one to be compared."""
        keys = {*self.words, f"={' '.join(self.text)}", f"#{self.head}"}
        if len(self.head) >= PREFIX:
            keys.add(f"{self.head[:PREFIX]}*")
        if self.initials:
            keys.add(self.initials)
        return keys


def make_look(forms: Sequence[str], span: Span, head: int) -> Look:
    """Return the comparable form of a mention."""
    text = tuple(form.lower() for form in forms[span[0] : span[1]] if form not in POSSESSIVE_MARKS)
    content = tuple(word for word in text if word not in STOP)
    stems = frozenset(map(stem, content or text))
    capitals = [form[0] for form in forms[span[0] : span[1]] if form[:1].isupper()]
    initials = "".join(capitals).lower() if len(capitals) > 1 else ""
    return Look(content or text, stems, stem(forms[head].lower()), initials)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a word without the plural ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def grade(first: Look, second: Look) -> int:
    """Return the similarity of two mentions, as an index into `GRADES`."""
    if first.text == second.text:
        return SAME
    if first.head == second.head:
        alike = first.words <= second.words or second.words <= first.words
        return SUBSET if alike else HEAD
    if first.head in second.words or second.head in first.words:
        return INSIDE
    if first.words & second.words:
        return OVERLAP
    if (first.initials and first.initials in second.words) or (second.initials and second.initials in first.words):
        return ACRONYM
    return SIMILAR if len(first.head) >= PREFIX and first.head[:PREFIX] == second.head[:PREFIX] else 0


def relation(anaphor: Look, candidate: Look) -> int:
    """Return the relation between the words of two mentions, as an index into `RELATIONS`."""
    if anaphor.head != candidate.head:
        if anaphor.head in candidate.words:
            return IN_CANDIDATE
        return IN_ANAPHOR if candidate.head in anaphor.words else HEADLESS
    if anaphor.words == candidate.words:
        return EQUAL
    if anaphor.words < candidate.words:
        return FEWER
    if anaphor.words > candidate.words:
        return MORE
    numbers = (_numbers(anaphor.words), _numbers(candidate.words))
    return OTHER_NUMBERS if numbers[0] != numbers[1] else OTHER


def _numbers(words: frozenset[str]) -> set[str]:
    return {word for word in words if word[:1].isdigit()}


@dataclass(slots=True)
class MatchIndex:
    """An index of previous mentions by their keys, without pronouns."""

    looks: list[Look | None] = field(default_factory=list)
    _by_key: dict[str, deque[int]] = field(default_factory=dict)

    def add(self, forms: Sequence[str], span: Span, head: int, kind: int) -> dict[int, int]:
        """Add a mention, and return the grades of similar earlier ones."""
        number = len(self.looks)
        if kind in PRONOUNS:
            self.looks.append(None)
            return {}
        new = make_look(forms, span, head)
        self.looks.append(new)
        earlier: set[int] = set()
        for key in new.keys:
            places = self._by_key.get(key)
            if places is None:
                places = self._by_key[key] = deque(maxlen=RECENT)
            earlier.update(places)
            places.append(number)
        grades = {other: grade(new, seen) for other in sorted(earlier) if (seen := self.looks[other]) is not None}
        return {other: value for other, value in grades.items() if value}


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
"""0 for candidates that do not match; otherwise one more than the number of nearer candidates that match as well."""
SPEAKERS = 3
NESTING = 3

# The features of a pair, each with the number of its values. A model specifies which of them it uses.
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
    "gap": "number of words between the mentions, in logarithmic buckets; whether they overlap",
    "mentions": "number of mentions back to the candidate",
    "sentences": "number of sentences back to the candidate",
    "match": "similarity of the words: the same words, the same head, a head inside the other mention, an acronym …",
    "kinds": "kinds of both mentions: names, families of pronouns, nouns by determiner",
    "speaker": "whether the speaker is the same, for each pair of kinds",
    "nesting": "whether the anaphor is inside the candidate or crosses its end",
    "numbers": "whether each is singular or plural, if known",
    "between": "what is between nearby mentions: nothing, a comma, a copula, a bracket …",
    "owners": "whether both start with a possessive, and with the same one",
    "repeats": "number of similar mentions before the candidate",
    "words": "relation between the words of similar mentions: equal, fewer, more, other numbers …",
    "rank": "number of nearer candidates that are as similar to the anaphor",
    "quotes": "which mentions are quoted, and the number of turns between them, for each pair of persons",
}
"""The meaning of each feature."""
BASIC = ("gap", "mentions", "sentences", "match", "kinds", "speaker", "nesting", "numbers", "between")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs, one row per pair, sorted by anaphor and then by candidate."""

    anaphor: Ints  # [pairs]
    candidate: Ints  # [pairs]
    features: Ints  # [pairs, features]

    def __len__(self) -> int:
        return len(self.anaphor)


class PairMaker:
    """Pairs the mentions of a document with earlier ones, block by block in reading order.

    Candidates are the nearest `limit` mentions and all similar ones further back, except mentions that start at the
    same word as the anaphor and contain it.
    """

    def __init__(self, words: DocumentWords, limit: int, features: Sequence[str] = BASIC) -> None:
        self.words = words
        self.limit = limit
        self.features = features
        self._memory = {name: Memory[np.int64]() for name in Mentions.__slots__}
        self._index = MatchIndex()
        self._repeats = Memory[np.int64]()

    def add(self, new: Mentions, heads: Ints, choose: Choice | None = None) -> Pairs:
        """Add the next block of mentions, and return its (chosen) pairs, numbered in the document."""
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
        return self._describe(*columns)

    def _alike(self, new: Mentions, heads: Ints) -> list[dict[int, int]]:
        """Return the similar earlier mentions of each mention, with the grade of the match."""
        columns = (new.start.tolist(), new.end.tolist(), heads.tolist(), new.kind.tolist())
        forms = self.words.forms
        matches = [self._index.add(forms, (a, b), head, kind) for a, b, head, kind in zip(*columns, strict=True)]
        self._repeats.add(np.array([len(alike) for alike in matches], dtype=np.int64))
        return matches

    def _candidates(self, before: int, alike: list[dict[int, int]]) -> tuple[Ints, ...]:
        """Return anaphors, candidates and grades: for each mention similar distant ones, then all of the nearest."""
        number = np.arange(before, before + len(alike))
        nearest = np.maximum(0, number - self.limit)
        firsts = nearest.tolist()
        far = [[other for other in matches if other < first] for matches, first in zip(alike, firsts, strict=True)]
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
        for matches, others, first, moved, begin in rows:
            for place, other in enumerate(others, begin):
                candidate[place] = other
                match[place] = matches[other]
            for other, grade in matches.items():
                if other >= first:
                    places.append(moved + other)
                    grades.append(grade)
        match[places] = grades
        return anaphor, candidate, match

    def _describe(self, anaphor: Ints, candidate: Ints, match: Ints) -> Pairs:
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
            "quotes": lambda: self._compare_quotes(i, j),
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

    def _compare_quotes(self, i: Mentions, j: Mentions) -> Ints:
        """Return which of both is quoted, for each pair of persons."""
        persons = CLASS_OF[i.kind] * CLASSES + CLASS_OF[j.kind]
        return persons * PLACES + compare_quotes(self._quotes, i.start, j.start)

    def _owners(self, i: Mentions, j: Mentions) -> Ints:
        """Return whether the mentions start with the same possessive, with two, or only one of them does."""
        possessive = KINDS.index("possessive")
        first = self._form_numbers
        both = np.where(first[i.start] == first[j.start], OWNERS.index("same"), OWNERS.index("different"))
        either = np.where((i.kind == possessive) | (j.kind == possessive), OWNERS.index("one"), 0)
        return np.where((i.kind == possessive) & (j.kind == possessive), both, either)

    def _relations(self, anaphor: Ints, candidate: Ints, match: Ints) -> Ints:
        """Return the relations between the words of similar mentions."""
        values = np.zeros(len(anaphor), dtype=np.int64)
        looks = self._index.looks
        alike = np.flatnonzero(match)
        for row, left, right in zip(alike.tolist(), anaphor[alike].tolist(), candidate[alike].tolist(), strict=True):
            first, second = looks[left], looks[right]
            if first is not None and second is not None:
                values[row] = relation(first, second)
        return values

    def _between(self, end: Ints, start: Ints) -> Ints:
        """Return what is between nearby mentions."""
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
    """Return some of the mentions."""
    return Mentions(*(getattr(mentions, name)[index] for name in Mentions.__slots__))


def join_mentions(parts: Sequence[Mentions]) -> Mentions:
    """Concatenate mentions."""
    return Mentions(*(np.concatenate([getattr(part, name) for part in parts]) for name in Mentions.__slots__))


def remove_speakers(words: DocumentWords) -> DocumentWords:
    """Return the words without speakers."""
    return replace(words, speakers=[0] * len(words.speakers))


def _ranks(anaphor: Ints, match: Ints) -> Ints:
    """Return the rank of each candidate among equally similar ones of its anaphor, nearest first."""
    values = np.zeros(len(anaphor), dtype=np.int64)
    for grade in (SAME, SUBSET, HEAD):
        alike = np.flatnonzero(match == grade)
        if len(alike):
            owner = anaphor[alike]
            after_last = np.searchsorted(owner, owner, side="right")
            values[alike] = np.minimum(after_last - np.arange(len(alike)), RANKS - 1)
    return values


def _speakers(i: Mentions, j: Mentions) -> Ints:
    """Return 0 if a speaker is unknown, 1 for the same speaker, 2 for different ones."""
    known = (i.speaker > 0) & (j.speaker > 0)
    return np.where(known, np.where(i.speaker == j.speaker, 1, 2), 0)
