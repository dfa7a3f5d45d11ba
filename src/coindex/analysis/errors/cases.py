"""Error cases as plain data: what is wrong, where it stands, and what it involves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any, Literal

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
