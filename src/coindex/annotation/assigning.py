"""Which document goes to whom: every document to so many people, with about as many words for each. A pure function.

Long documents are dealt first, each to those who have the fewest words so far. So two people never differ by more words
than the longest document has, unless they did before or somebody may not have a document. Chance decides only between
equals, and the seed decides chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from random import Random

from ..errors import CoindexError

MOST_COPIES = 20


@dataclass(frozen=True, slots=True)
class Text:
    """A document to deal: how many people have it or have done it, and who must not get it (again)."""

    id: int
    words: int
    copies: int = 0
    barred: frozenset[int] = frozenset()
    wanted: int | None = None
    """How many people it is for, where that is not the number for all."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Who gets what, and what is missing."""

    given: tuple[tuple[int, int], ...]
    """Documents and people, by the document's id."""
    words: Mapping[int, int]
    """How many words each person has with what the plan gives."""
    short: Mapping[int, int] = field(default_factory=dict)
    """Documents for which there are too few people, and how many copies each lacks."""


def deal(texts: Iterable[Text], people: Mapping[int, int], *, copies: int, seed: int = 0) -> Plan:
    """Every text to so many people; `people` are their ids with the words that each has already.

    The same texts and people, in whatever order, give the same plan for the same seed.

    >>> deal([Text(1, 300), Text(2, 200), Text(3, 100)], {7: 0, 8: 0}, copies=1).words
    {7: 300, 8: 300}
    """
    if not 1 <= copies <= MOST_COPIES:
        raise CoindexError(f"{copies} annotators for each document; expected 1 to {MOST_COPIES}", code="invalid-option")
    chance = Random(seed)
    words = dict(sorted(people.items()))
    rank = {person: chance.random() for person in words}
    ordered = sorted(texts, key=lambda text: text.id)
    lots = {text.id: chance.random() for text in ordered}
    given: list[tuple[int, int]] = []
    short: dict[int, int] = {}
    for text in sorted(ordered, key=lambda text: (-text.words, lots[text.id])):
        wanted = max(0, (copies if text.wanted is None else text.wanted) - text.copies)
        free = [person for person in words if person not in text.barred]
        for person in nsmallest(wanted, free, key=lambda at: (words[at], rank[at])):
            words[person] += text.words
            given.append((text.id, person))
        if len(free) < wanted:
            short[text.id] = wanted - len(free)
    return Plan(tuple(sorted(given)), words, dict(sorted(short.items())))
