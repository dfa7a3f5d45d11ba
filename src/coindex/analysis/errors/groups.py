"""What errors are counted by: the type of the mention, the distance to its antecedent, the size of its entity."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...document import Entity, Mention
from ...document.representative import Telling, head_of, telling

TYPES = ("pronoun", "name", "nominal", "zero", "event", "other")
NO_GENRE = "—"
FIRST = "first"
"""The group of mentions without an antecedent."""
_DISTANCES = (0, 1, 2, 3, 5, 10)
_SIZES = (1, 2, 3, 5, 10)


def mention_type(mention: Mention, entity: Entity) -> str:
    """A zero; else a mention of an event; else by its words (`representative.telling`).

    What is none of these by its tags is `other`: clauses, numbers, adverbs. Where there are no tags, all that is
    neither pronoun nor name is nominal.
    """
    told = telling(mention)
    if told is Telling.ZERO:
        return "zero"
    if entity.kind == "event":
        return "event"
    if told is Telling.OTHER:
        return "nominal" if mention.layer[head_of(mention)].upos == "_" else "other"
    return {Telling.PRONOUN: "pronoun", Telling.NAME: "name", Telling.NOUN: "nominal"}[told]


def _bins(starts: Sequence[int]) -> dict[int, str]:
    """The names of bins by their first number: "3–4", "10+"."""
    names = {}
    for start, after in pairwise(starts):
        names[start] = str(start) if after == start + 1 else f"{start}–{after - 1}"
    return {**names, starts[-1]: f"{starts[-1]}+"}


_DISTANCE_BINS, _SIZE_BINS = _bins(_DISTANCES), _bins(_SIZES)
DISTANCES = (FIRST, *_DISTANCE_BINS.values())
SIZES = tuple(_SIZE_BINS.values())


def distance_group(distance: int | None) -> str:
    """The bin of a distance in sentences.

    >>> distance_group(None), distance_group(0), distance_group(4), distance_group(30)
    ('first', '0', '3–4', '10+')
    """
    return FIRST if distance is None else _bin(distance, _DISTANCE_BINS)


def size_group(size: int) -> str:
    """The bin of the size of an entity.

    >>> size_group(2), size_group(9)
    ('2', '5–9')
    """
    return _bin(size, _SIZE_BINS)


def _bin(number: int, bins: dict[int, str]) -> str:
    return bins[max(start for start in bins if start <= number)]
