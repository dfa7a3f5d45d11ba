"""Mentions, entities and the relations between them that are not identity."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..text.spans import Span
from .tokens import Token, Tokens

Kind = Literal["entity", "event"]
GAP = " … "
SCORE = "score"
"""The mention attribute with the probability of its link, if the resolver computes one."""
DETECTION = "mention"
"""The mention attribute with the probability that the span is a mention."""
TYPE_PROBABILITY = "type_probability"
"""The entity attribute with the probability of its type, if the resolver computes one."""
DEIXIS = "discourse_deixis"
"""The entity attribute that marks discourse deixis with "yes": clauses, and pronouns that refer to what they say."""
MARKABLE = "MarkableID"
"""The mention attribute with the id of a markable of Universal Anaphora."""
ANCHOR = "MentionAnchor"
"""The mention attribute of a bridging anaphor with the MarkableID of its anchor."""
MIN = "min"
"""The mention attribute with its minimal span, "2" or "2,3": words counted from the first word of the mention."""
PARTS = "parts"
PARTS_LIMIT = 1000
_PARTS = re.compile(r"[0-9]{1,9}-[0-9]{1,9}(,[0-9]{1,9}-[0-9]{1,9})*")
PSEUDO = "-Pseudo"
"""How the id of an entity ends that does not refer to anything: an expletive, a predicate, a quantifier."""


def runs(positions: Iterable[int]) -> list[Span]:
    """Return sorted positions as maximal half-open spans: (3, 4, 5, 9) -> [(3, 6), (9, 10)]."""
    spans: list[Span] = []
    for position in positions:
        if spans and spans[-1][1] == position:
            spans[-1] = (spans[-1][0], position + 1)
        else:
            spans.append((position, position + 1))
    return spans


def _number(text: str | None) -> float | None:
    """Return the number in an attribute, None if it is not a number."""
    try:
        number = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True, slots=True, init=False)
class Mention:
    """A set of token positions that refers to an entity; gaps and zeros need no special case.

    `head` is the position of the head word, None if it is not annotated.
    """

    layer: Tokens = field(repr=False, compare=False)
    positions: tuple[int, ...]
    head: int | None
    attributes: Mapping[str, str] = field(hash=False)

    def __init__(
        self,
        layer: Tokens,
        positions: tuple[int, ...],
        head: int | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        _set_layer(self, layer)
        _set_positions(self, positions)
        _set_head(self, head)
        _set_attributes(self, {} if attributes is None else attributes)

    @property
    def start(self) -> int:
        """The first position."""
        return self.positions[0]

    @property
    def end(self) -> int:
        """One past the last position."""
        return self.positions[-1] + 1

    @property
    def spans(self) -> list[Span]:
        """The positions as half-open spans, more than one if the mention has gaps."""
        if self.is_contiguous:
            return [(self.start, self.end)]
        return runs(self.positions)

    @property
    def is_contiguous(self) -> bool:
        """Whether the mention has no gaps."""
        return self.end - self.start == len(self.positions)

    @property
    def is_zero(self) -> bool:
        """Whether the mention has no surface text: it consists of empty nodes."""
        return self.layer.empty_positions.issuperset(self.positions)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the mention, empty nodes included."""
        return tuple(self.layer[position] for position in self.positions)

    @property
    def head_token(self) -> Token | None:
        """The token of the head, None if the head is not known."""
        return None if self.head is None else self.layer[self.head]

    @property
    def start_char(self) -> int:
        """Where the surface begins; a zero begins and ends at the same place."""
        return self.layer.start_char(self._surface_end(self.positions))

    @property
    def end_char(self) -> int:
        """Where the surface ends."""
        return self.layer.end_char(self._surface_end(self.positions[::-1]))

    def _surface_end(self, positions: tuple[int, ...]) -> int:
        """Return the first position that is a word, otherwise the first empty node."""
        empty = self.layer.empty_positions
        return next((position for position in positions if position not in empty), self.start)

    @property
    def char_spans(self) -> list[Span]:
        """The surface as half-open character spans; empty nodes and spaces do not count as gaps."""
        layer, empty = self.layer, self.layer.empty_positions
        if self.is_contiguous:
            return [(self.start_char, self.end_char)]
        spans: list[Span] = []
        last = self.start
        for position in self.positions:
            if position in empty:
                continue
            start, end = layer.start_char(position), layer.end_char(position)
            # a word between two others adds nothing if it shares the surface of a multiword token with one
            if spans and all(
                between in empty or layer.end_char(between) <= spans[-1][1] or layer.start_char(between) >= start
                for between in range(last + 1, position)
            ):
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
            last = position
        return spans or [(self.start_char, self.end_char)]

    @property
    def text(self) -> str:
        """The surface text, pieces joined by " … "; the empty string for a zero."""
        text = self.layer.text
        return GAP.join(text[start:end] for start, end in self.char_spans)

    @property
    def score(self) -> float | None:
        """The probability that the mention belongs to its entity: that of its link, or of starting the entity.

        None if no resolver computed one. It is stored as text in the attribute `score`.
        """
        return _number(self.attributes.get(SCORE))

    @property
    def detection_score(self) -> float | None:
        """The probability that this is a mention, None if no resolver computed one (the attribute `mention`)."""
        return _number(self.attributes.get(DETECTION))

    def __len__(self) -> int:
        return len(self.positions)


# A corpus has as many mentions as a third of its words: setting the slots directly is twice as fast as
# what a frozen dataclass does.
_set_layer = vars(Mention)["layer"].__set__
_set_positions = vars(Mention)["positions"].__set__
_set_head = vars(Mention)["head"].__set__
_set_attributes = vars(Mention)["attributes"].__set__


def mention_order(mention: Mention) -> tuple[int, int, int, tuple[int, ...]]:
    """Return the sort key of reading order: the earlier mention first; of two with the same start, the longer one."""
    return mention.start, -mention.end, -len(mention.positions), mention.positions


@dataclass(frozen=True, slots=True, init=False)
class Entity:
    """The thing (`entity`) or happening (`event`) that all its mentions refer to."""

    id: str
    mentions: tuple[Mention, ...]
    type: str | None
    kind: Kind
    attributes: Mapping[str, str] = field(hash=False)

    def __init__(
        self,
        id: str,
        mentions: tuple[Mention, ...],
        type: str | None = None,
        kind: Kind = "entity",
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        _set_id(self, id)
        _set_mentions(self, mentions)
        _set_type(self, type)
        _set_kind(self, kind)
        _set_entity_attributes(self, {} if attributes is None else attributes)

    @property
    def is_singleton(self) -> bool:
        """Whether the entity has a single mention."""
        return len(self.mentions) == 1

    @property
    def is_referring(self) -> bool:
        """Whether the entity refers to something; otherwise its id ends in `-Pseudo`, as in Universal Anaphora."""
        return not self.id.endswith(PSEUDO)

    @property
    def is_deixis(self) -> bool:
        """Whether the entity is annotated as discourse deixis (the attribute `discourse_deixis`)."""
        return self.attributes.get(DEIXIS) == "yes"

    @property
    def type_probability(self) -> float | None:
        """The probability of the type, None if no resolver predicted it (the attribute `type_probability`)."""
        return _number(self.attributes.get(TYPE_PROBABILITY))

    @property
    def score(self) -> float | None:
        """The score of the weakest link between its mentions (in a singleton, of the mention); None without scores."""
        mentions = self.mentions[1:] or self.mentions
        return min((mention.score for mention in mentions if mention.score is not None), default=None)

    def __len__(self) -> int:
        return len(self.mentions)


_set_id = vars(Entity)["id"].__set__
_set_mentions = vars(Entity)["mentions"].__set__
_set_type = vars(Entity)["type"].__set__
_set_kind = vars(Entity)["kind"].__set__
_set_entity_attributes = vars(Entity)["attributes"].__set__


@dataclass(frozen=True, slots=True)
class Bridge:
    """A bridging relation: a mention is interpreted through another entity (a house … the door)."""

    anaphor: Mention
    entity: str
    antecedent: str
    relation: str | None = None


def annotated_parts(mention: Mention) -> list[Span]:
    """Return the parts of a mention as they were annotated.

    The attribute `parts` has them, such as "1-2,3-3", if they touch, overlap or are out of order; it counts words from
    the first word of the mention. It is ignored if the mention has other words by now.
    """
    value = mention.attributes.get(PARTS, "")
    if _PARTS.fullmatch(value):
        pairs = (part.partition("-") for part in value.split(","))
        parts = [(mention.start + int(first) - 1, mention.start + int(last)) for first, _, last in pairs]
        if sum(end - start for start, end in parts) <= PARTS_LIMIT * len(mention) and {
            position for start, end in parts for position in range(start, end)
        } == set(mention.positions):
            return parts
    return mention.spans


def find_anchor(bridge: Bridge, entities: Iterable[Entity]) -> Mention | None:
    """Return the mention that a bridging anaphor is anchored to.

    It is the one that the attribute `MentionAnchor` of the anaphor names by its `MarkableID`. Formats that annotate
    only the antecedent entity have none: there it is the last mention of it before the anaphor, or its first one.
    """
    wanted = bridge.anaphor.attributes.get(ANCHOR)
    antecedent: Entity | None = None
    for entity in entities:
        if wanted is not None:
            for mention in entity.mentions:
                if mention.attributes.get(MARKABLE) == wanted and not entity.is_deixis:
                    return mention
        if entity.id == bridge.antecedent:
            antecedent = entity
    if antecedent is None or not antecedent.mentions:
        return None
    before = [mention for mention in antecedent.mentions if mention_order(mention) < mention_order(bridge.anaphor)]
    return max(before, key=mention_order) if before else antecedent.mentions[0]


@dataclass(frozen=True, slots=True)
class SplitAntecedent:
    """A mention of a group whose members were mentioned separately (Ann … Bob … they)."""

    anaphor: Mention
    entity: str
    antecedents: tuple[str, ...]


BY = "by"
"""The mention attribute that names the resolver, or the step of it, that put the mention into its entity."""
WEAK = 0.5
"""Links below this score are drawn as doubtful."""


def link_source(mention: Mention) -> str | None:
    """Return the resolver that put the mention into its entity, if it is known."""
    return mention.attributes.get(BY)


def other_attributes(mention: Mention) -> dict[str, str]:
    """Return the attributes that do not describe the link; a score that is not a number is included."""
    about_link = (BY,) if mention.score is None else (BY, SCORE)
    return {name: value for name, value in mention.attributes.items() if name not in about_link}


def is_weak(mention: Mention) -> bool:
    """Return whether a link is doubtful."""
    return mention.score is not None and mention.score < WEAK


def percent(score: float) -> str:
    """Return a score as a percentage, "83 %"; a number that is not a probability is returned as it is."""
    return f"{100 * score:.0f} %" if 0 <= score <= 1 else f"{score:g}"
