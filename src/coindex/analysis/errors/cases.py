"""Error cases as data: their kinds, mentions and places, and the groups they are counted by.

Responses contain no links, so kinds are defined by mentions, entities and antecedents. The *antecedent* of a mention is
the nearest earlier mention of its entity, in the order of first words, then of last words; the first mention of an
entity has none. Mentions of key and response correspond if the scorer matches them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any, Literal

from ...document import Entity, Mention
from ...document.naming import Informativeness, head_of, rate_by_class

Group = Literal["mentions", "links", "entities"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error: its name, its group, and its definition in one sentence."""

    name: str
    group: Group
    meaning: str


KINDS = {
    kind.name: kind
    for kind in (
        Kind("missed", "mentions", "A mention of the key is missing in the response."),
        Kind("spurious", "mentions", "A mention of the response is not in the key."),
        Kind(
            "span",
            "mentions",
            "A mention has the same head in key and response but a different span, or the same span but another head.",
        ),
        Kind(
            "false-new", "links", "The mention has an antecedent in the key, but starts a new entity in the response."
        ),
        Kind(
            "false-link", "links", "The mention starts a new entity in the key, but has an antecedent in the response."
        ),
        Kind("wrong-link", "links", "The antecedent in the response belongs to another entity of the key, or to none."),
        Kind("split", "entities", "The mentions of an entity of the key are in several entities of the response."),
        Kind(
            "merged",
            "entities",
            "An entity of the response contains several entities of the key, with all their found mentions.",
        ),
        Kind(
            "conflated",
            "entities",
            "An entity of the response contains mentions of several entities of the key, at least one only in part.",
        ),
    )
}
"""All kinds, in the order of the tables."""
LINKS = tuple(kind.name for kind in KINDS.values() if kind.group == "links")
"""The three kinds of errors in the PreCo paper."""


SideName = Literal["key", "response"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A mention with its place. Positions refer to its own side; sentences are counted from 1."""

    side: SideName
    text: str
    entity: str
    sentence: int
    positions: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "side": self.side,
            "text": self.text,
            "entity": self.entity,
            "sentence": self.sentence,
            "positions": list(self.positions),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCase:
    """An error. Its `id` depends only on the document, the kind and the place, so it is the same in every run."""

    id: str
    kind: str
    document: str
    genre: str
    type: str
    """The type of the mention, see `TYPES`."""
    mention: Place
    """The mention with the error; for an error of entities the first mention of the second part."""
    key_antecedent: Place | None = None
    """The antecedent in the key, for the kinds of errors that involve it."""
    response_antecedent: Place | None = None
    """The antecedent in the response, for the kinds of errors that involve it."""
    counterpart: Place | None = None
    """The mention of the response, for a span error."""
    parts: tuple[Place, ...] = ()
    """The first mention of each part, for an error of entities."""
    distance: int | None = None
    """The distance in sentences to the antecedent in the key, or otherwise in the response."""
    size: int = 1
    """The number of mentions of the entity in the key, or otherwise in the response."""
    is_alone: bool = False
    """Whether a missed or spurious mention is a singleton on the other side, where singletons are not scored."""
    is_matched: bool = False
    """Whether the scorer matches the two mentions of a span error nevertheless."""
    is_head: bool = False
    """Whether only the heads differ in a span error: the words are the same, but the scorer matches heads."""
    rare_words: tuple[str, ...] | None = None
    """The words of its mentions that are rare in training; None without a training corpus."""
    before: str = ""
    after: str = ""

    @property
    def is_lfw(self) -> bool | None:
        """Whether a low-frequency word is involved; None if that is unknown."""
        return None if self.rare_words is None else bool(self.rare_words)

    @property
    def involved(self) -> tuple[Place, ...]:
        """All mentions of the error, each once."""
        links = (self.mention, self.counterpart, self.key_antecedent, self.response_antecedent)
        return tuple(dict.fromkeys(place for place in (*links, *self.parts) if place is not None))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, without fields that do not apply."""
        data: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Place):
                value = value.to_dict()
            elif item.name == "parts":
                value = [place.to_dict() for place in value]
            if value is not None and value is not False and value != []:
                data[item.name] = value
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The number of key mentions of a document, by type, distance and size."""

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
    """Return the type of a mention: `zero`, `event`, or one by its words.

    Mentions that are neither pronoun, name nor nominal by their tags are `other`: clauses, numbers, adverbs. Without
    tags, mentions that are neither pronoun nor name are nominal.
    """
    level = rate_by_class(mention)
    if level is Informativeness.ZERO:
        return "zero"
    if entity.kind == "event":
        return "event"
    if level is Informativeness.OTHER:
        return "nominal" if mention.layer[head_of(mention)].upos == "_" else "other"
    return {Informativeness.PRONOUN: "pronoun", Informativeness.NAME: "name", Informativeness.NOUN: "nominal"}[level]


def _name_bins(starts: Sequence[int]) -> dict[int, str]:
    """Return the names of bins by their first number: "3–4", "10+"."""
    names = {}
    for start, after in pairwise(starts):
        names[start] = str(start) if after == start + 1 else f"{start}–{after - 1}"
    return {**names, starts[-1]: f"{starts[-1]}+"}


_DISTANCE_BINS, _SIZE_BINS = _name_bins(_DISTANCES), _name_bins(_SIZES)
DISTANCES = (FIRST, *_DISTANCE_BINS.values())
SIZES = tuple(_SIZE_BINS.values())


def distance_group(distance: int | None) -> str:
    """Return the bin of a distance in sentences.

    >>> distance_group(None), distance_group(0), distance_group(4), distance_group(30)
    ('first', '0', '3–4', '10+')
    """
    return FIRST if distance is None else _find_bin(distance, _DISTANCE_BINS)


def size_group(size: int) -> str:
    """Return the bin of the size of an entity.

    >>> size_group(2), size_group(9)
    ('2', '5–9')
    """
    return _find_bin(size, _SIZE_BINS)


def _find_bin(number: int, bins: dict[int, str]) -> str:
    return bins[max(start for start in bins if start <= number)]
