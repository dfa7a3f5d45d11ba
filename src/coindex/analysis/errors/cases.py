"""Error cases as data: kinds, what is wrong, where, and the groups they are counted by.

The kinds of errors, defined by mentions, entities and nearest earlier mentions: responses carry no links.

*The antecedent* of a mention is the nearest mention of its entity before it, in the order of first words, then of last
words. A mention without one is the first of its entity. What corresponds between key and response is what the scorer
matches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any, Literal

from ...document import Entity, Mention
from ...document.naming import Telling, head_of, telling

Group = Literal["mentions", "links", "entities"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error: its name, what it is about, and its definition in a sentence."""

    name: str
    group: Group
    meaning: str


KINDS = {
    kind.name: kind
    for kind in (
        Kind("missed", "mentions", "A mention of the key that the response does not have."),
        Kind("spurious", "mentions", "A mention of the response that the key does not have."),
        Kind("span", "mentions", "Mentions of key and response with the same head but other borders, or the reverse."),
        Kind("false-new", "links", "The key has an antecedent, the response has none: it begins an entity there."),
        Kind("false-link", "links", "The key begins an entity here, the response links the mention to an earlier one."),
        Kind("wrong-link", "links", "Both have an antecedent, but that of the response is of another entity or none."),
        Kind("split", "entities", "The mentions of one entity of the key are in several entities of the response."),
        Kind("merged", "entities", "An entity of the response holds several of the key, whole as far as found."),
        Kind("conflated", "entities", "An entity of the response mixes entities of the key, one of them only in part."),
    )
}
"""All kinds, in the order of tables."""
LINKS = tuple(kind.name for kind in KINDS.values() if kind.group == "links")
"""The three kinds of PreCo."""


SideName = Literal["key", "response"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A mention where it stands. Positions are those of its own side, sentences are counted from 1."""

    side: SideName
    text: str
    entity: str
    sentence: int
    positions: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "side": self.side,
            "text": self.text,
            "entity": self.entity,
            "sentence": self.sentence,
            "positions": list(self.positions),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCase:
    """One error. Its `id` is made of the document, the kind and the place, so it is the same in every run."""

    id: str
    kind: str
    document: str
    genre: str
    type: str
    """What kind of expression the mention is: see `groups.TYPES`."""
    mention: Place
    """The mention it is about; for an error of entities the first that is not with those before it."""
    key_antecedent: Place | None = None
    """The nearest earlier mention of its entity in the key, where the kind of error looks at it."""
    response_antecedent: Place | None = None
    """The same in the response."""
    counterpart: Place | None = None
    """Of a span error, the mention of the response."""
    parts: tuple[Place, ...] = ()
    """Of an error of entities, the first mention of each part."""
    distance: int | None = None
    """Sentences back to the antecedent: that of the key, else that of the response."""
    size: int = 1
    """How many mentions the entity has: that of the key, else that of the response."""
    is_alone: bool = False
    """Missed or spurious, but the other side has these words as an entity of one mention, which was not counted."""
    is_matched: bool = False
    """A span error that the scorer forgives: it matches the two mentions all the same."""
    is_head: bool = False
    """A span error of the head alone: the two have the same words, and the scorer goes by heads, which differ."""
    rare_words: tuple[str, ...] | None = None
    """Words of the mentions it involves that are rare in training; None without a training corpus."""
    before: str = ""
    after: str = ""

    @property
    def is_lfw(self) -> bool | None:
        """Whether a low-frequency word is involved; None where that is not known."""
        return None if self.rare_words is None else bool(self.rare_words)

    @property
    def involved(self) -> tuple[Place, ...]:
        """All mentions that it involves, each once."""
        links = (self.mention, self.counterpart, self.key_antecedent, self.response_antecedent)
        return tuple(dict.fromkeys(place for place in (*links, *self.parts) if place is not None))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; what does not apply is left out."""
        found: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Place):
                value = value.to_dict()
            elif item.name == "parts":
                value = [place.to_dict() for place in value]
            if value is not None and value is not False and value != []:
                found[item.name] = value
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many mentions of the key there are to get wrong, by what errors are counted by."""

    document: str
    genre: str
    types: Counter[str] = field(default_factory=Counter)
    distances: Counter[int | None] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)

    @property
    def mentions(self) -> int:
        return self.types.total()


TYPES = ("pronoun", "name", "nominal", "zero", "event", "other")
NO_GENRE = "—"
FIRST = "first"
"""The group of mentions without an antecedent."""
_DISTANCES = (0, 1, 2, 3, 5, 10)
_SIZES = (1, 2, 3, 5, 10)


def mention_type(mention: Mention, entity: Entity) -> str:
    """Return `zero`, `event` for other mentions of events, otherwise the type by its words (`naming.telling`).

    What is none of these by its tags is `other`: clauses, numbers, adverbs. Where there are no tags, all that is
    neither pronoun nor name is nominal.
    """
    level = telling(mention)
    if level is Telling.ZERO:
        return "zero"
    if entity.kind == "event":
        return "event"
    if level is Telling.OTHER:
        return "nominal" if mention.layer[head_of(mention)].upos == "_" else "other"
    return {Telling.PRONOUN: "pronoun", Telling.NAME: "name", Telling.NOUN: "nominal"}[level]


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
