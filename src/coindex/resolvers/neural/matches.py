"""How much two mentions look alike: graded string match, found through an index, never by comparing all pairs."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ...document import Span
from .kinds import POSSESSIVE_MARKS, PRONOUNS

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
EQUAL, FEWER, MORE, NUMBERS, OTHER, HEADLESS, IN_CANDIDATE, IN_ANAPHOR = range(1, 9)
RECENT = 20
"""So many of the latest mentions that share a key are looked at, so that time grows with length only linearly."""
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
    """What is compared of a mention: its content words, their set, the stem of its head, its initials."""

    text: tuple[str, ...]
    words: frozenset[str]
    head: str
    initials: str

    @property
    def keys(self) -> set[str]:
        """What another mention must share with this one to be compared with it."""
        keys = {*self.words, f"={' '.join(self.text)}", f"#{self.head}"}
        if len(self.head) >= PREFIX:
            keys.add(f"{self.head[:PREFIX]}*")
        if self.initials:
            keys.add(self.initials)
        return keys


def look(forms: Sequence[str], span: Span, head: int) -> Look:
    """The comparable form of a mention."""
    text = tuple(form.lower() for form in forms[span[0] : span[1]] if form not in POSSESSIVE_MARKS)
    content = tuple(word for word in text if word not in STOP)
    stems = frozenset(map(stem, content or text))
    capitals = [form[0] for form in forms[span[0] : span[1]] if form[:1].isupper()]
    initials = "".join(capitals).lower() if len(capitals) > 1 else ""
    return Look(content or text, stems, stem(forms[head].lower()), initials)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without the plural's ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def grade(first: Look, second: Look) -> int:
    """How alike they look: a place in `GRADES`."""
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
    """What the words of the one are to the words of the other: a place in `RELATIONS`."""
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
    return NUMBERS if numbers[0] != numbers[1] else OTHER


def _numbers(words: frozenset[str]) -> set[str]:
    return {word for word in words if word[:1].isdigit()}


@dataclass(slots=True)
class MatchIndex:
    """Mentions seen so far, by what they share; pronouns are not in it."""

    looks: list[Look | None] = field(default_factory=list)
    _by_key: dict[str, deque[int]] = field(default_factory=dict)

    def add(self, forms: Sequence[str], span: Span, head: int, kind: int) -> dict[int, int]:
        """Put a mention in, and give the grades of the earlier ones that look like it."""
        number = len(self.looks)
        if kind in PRONOUNS:
            self.looks.append(None)
            return {}
        new = look(forms, span, head)
        self.looks.append(new)
        found: set[int] = set()
        for key in new.keys:
            places = self._by_key.get(key)
            if places is None:
                places = self._by_key[key] = deque(maxlen=RECENT)
            found.update(places)
            places.append(number)
        grades = {other: grade(new, seen) for other in sorted(found) if (seen := self.looks[other]) is not None}
        return {other: value for other, value in grades.items() if value}
