"""How the words of two candidates match: heads, modifiers, names. Only pairs that share a word are looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ..sieves.candidates import Candidate

GRADES = (
    "none", "modifier", "head-in-other", "other-in-head", "conflict", "overlap", "less", "more", "equal", "exact",
)  # fmt: skip
SAME_HEAD = GRADES.index("conflict")
"""From here on the heads are the same."""
NAMES = ("none", "apart", "equal", "last", "first", "part", "whole", "overlap")
RECENT = 12
"""Earlier candidates with a word that are looked at."""

Match = tuple[int, int]
"""A place in `GRADES` and one in `NAMES`."""


class MatchIndex:
    """Candidates in reading order; each is compared with earlier ones that have a word in common with it."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[Candidate]] = defaultdict(list)
        self._by_head: dict[str, list[Candidate]] = defaultdict(list)

    def add(self, one: Candidate) -> dict[int, Match]:
        """The matches of a candidate by the index of the earlier one."""
        if one.is_pronoun or one.kind == "clause" or one.whole or not one.lemma:
            return {}
        words = dict.fromkeys((one.lemma, *sorted(one.modifiers), *one.name))
        found: dict[int, Match] = {}
        for other in self._earlier(one, words):
            if other.index not in found and (match := compare(one, other)) != (0, 0):
                found[other.index] = match
        for word in words:
            self._by_word[word].append(one)
        self._by_head[one.lemma].append(one)
        return found

    def _earlier(self, one: Candidate, words: Iterable[str]) -> Iterator[Candidate]:
        yield from self._by_head[one.lemma][-RECENT:]
        for word in words:
            yield from self._by_word[word][-RECENT:]


def compare(one: Candidate, before: Candidate) -> Match:
    return grade(one, before), name_match(one.name, before.name)


def grade(one: Candidate, before: Candidate) -> int:
    """A place in `GRADES`: what the later phrase says beside the head of the earlier one."""
    if one.text and one.text == before.text:
        name = "exact"
    elif one.lemma == before.lemma:
        name = _beside(one.modifiers, before.modifiers)
    elif one.lemma in before.modifiers or one.lemma in before.name:
        name = "head-in-other"
    elif before.lemma in one.modifiers or before.lemma in one.name:
        name = "other-in-head"
    else:
        name = "modifier" if one.modifiers & before.modifiers else "none"
    return GRADES.index(name)


def _beside(mine: frozenset[str], other: frozenset[str]) -> str:
    """How the modifiers of one head compare."""
    if mine == other:
        return "equal"
    if mine < other or mine > other:
        return "less" if mine < other else "more"
    return "overlap" if mine & other else "conflict"


def name_match(one: tuple[str, ...], before: tuple[str, ...]) -> int:
    """A place in `NAMES`: which part of the earlier name the later one is."""
    if not one or not before:
        return 0
    if one == before:
        return NAMES.index("equal")
    mine, other = set(one), set(before)
    if mine < other:
        name = "last" if one[-1] == before[-1] else "first" if one[0] == before[0] else "part"
        return NAMES.index(name)
    if other < mine:
        return NAMES.index("whole")
    return NAMES.index("overlap" if mine & other else "apart")
