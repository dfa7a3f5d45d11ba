"""One side of a comparison as numbers: its mentions, their heads, and the mentions of each entity.

Both sides share one numbering of mentions: the same number means the same mention. Depending on the scorer, two
mentions are the same if they have the same words, or the same words and head (`Identity`). Properties that only some
matchings or metrics need are computed on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Literal, NamedTuple

from ..document import Document, Mention, Token
from .token_alignment import Codes, Words, words_of


def head_position(mention: Mention) -> int:
    """Return the head of a mention, or its first word if there is none, as in the official scorers."""
    return mention.positions[0] if mention.head is None else mention.head


def reduce_words(parts: Iterable[tuple[Document, Codes]]) -> dict[tuple[Words, int], Words]:
    """Return the words of mentions reduced to their heads, by their full words and head.

    Of mentions that share a head only the smallest is reduced (CRAC 2022, section 3, "Head matching"); of equally small
    ones the first in the text.
    """
    smallest: dict[int, tuple[int, Words]] = {}
    names = set()
    for doc, codes in parts:
        for entity in doc.entities:
            for mention in entity.mentions:
                words, head = words_of(mention, codes), codes[head_position(mention)]
                names.add((words, head))
                size = (len(words), words)
                if head not in smallest or size < smallest[head]:
                    smallest[head] = size
    return {(words, head): (head,) if smallest[head][1] == words else words for words, head in names}


Identity = Literal["words", "words and head"]
Name = tuple[Words, int]
"""The identity of a mention: its words, and its head if heads count, otherwise 0."""
Order = tuple[int, int, int]
Part = tuple[Document, Codes]
"""A document and the numbers of its words."""


class MentionTable:
    """The mentions of both sides by number."""

    def __init__(self, identity: Identity) -> None:
        self.with_head = identity == "words and head"
        self._numbers: dict[Name, int] = {}
        self._words: list[Words] = []

    def number_all(self, names: Iterable[Name]) -> list[int]:
        """Return the numbers of mentions; a new mention gets the next number."""
        numbers = self._numbers
        return [numbers.setdefault(name, len(numbers)) for name in names]

    @property
    def words(self) -> list[Words]:
        """The words of each mention."""
        if len(self._words) != len(self._numbers):
            self._words += [words for words, _ in islice(self._numbers, len(self._words), None)]
        return self._words

    def order(self, mention: int) -> Order:
        """Return the sort key of a mention: first word, last word, number of words."""
        words = self.words[mention]
        return words[0], words[-1], len(words)

    def in_order(self, mentions: Iterable[int]) -> list[int]:
        """Return the mentions in text order; those with the same words in the order of their numbers."""
        return sorted(sorted(mentions), key=self.order)


class Zero(NamedTuple):
    """The relations of a zero in the enhanced graph, which identify it where the empty nodes differ."""

    sentence: int
    relations: frozenset[tuple[str, str]]
    parents: frozenset[str]


class Spot(NamedTuple):
    """A mention with its document and the word numbers of the document."""

    doc: Document
    codes: Codes
    mention: Mention


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """How a side is prepared for matching."""

    identity: Identity = "words"
    singletons: bool = False
    heads: bool = True
    """Whether heads are used; otherwise the head of every mention is its first word."""
    to_heads: bool = False
    """Whether mentions are reduced to their heads, see `reduce_words`."""
    repeated: Literal["last", "first"] = "last"
    """The entity of a mention that is in several: the last one in lookups, or only the first one."""


class Draft(NamedTuple):
    """An entity while a side is being built: its mentions and their numbers."""

    id: str
    numbers: list[int]
    mentions: Sequence[Mention]


@dataclass(slots=True)
class Side:
    """The key or the response of one unit."""

    table: MentionTable
    how: Preparation
    parts: Sequence[Part]
    clusters: list[list[int]] = field(default_factory=list)
    cluster_of: dict[int, int] = field(default_factory=dict)
    """The entity of each mention; the last one if it is in several."""
    mentions: dict[int, Mention] = field(default_factory=dict)
    """The mentions by number; the first one if it is repeated."""
    empty: frozenset[int] = frozenset()
    """The words that are empty nodes."""
    zeros: dict[int, Zero] = field(default_factory=dict)
    """The mentions whose head is an empty node."""
    other_zeros: frozenset[tuple[int, int]] = frozenset()
    """Entities and their mentions whose head is an empty node unlike in `zeros`, or the other way round: the same words
    may have another head in each entity."""
    repeated: list[Mention] = field(default_factory=list)
    _part_of: dict[int, Part] = field(default_factory=dict)

    def spot(self, mention: Mention) -> Spot:
        """Return a mention with its document and word numbers."""
        doc, codes = self._part_of[id(mention)] if len(self.parts) > 1 else self.parts[0]
        return Spot(doc, codes, mention)

    def head_position(self, mention: int) -> int:
        """Return the position of the head of a mention in its document."""
        own = self.mentions[mention]
        return head_position(own) if self.how.heads else own.positions[0]

    def head(self, mention: int) -> int:
        """Return the number of the head word of a mention."""
        return self._head_word(self.mentions[mention])

    def _head_word(self, own: Mention) -> int:
        position = own.head
        if position is None or not self.how.heads:
            position = own.positions[0]
        return (self._part_of[id(own)] if len(self.parts) > 1 else self.parts[0])[1][position]

    def head_token(self, mention: int) -> Token:
        """Return the head token of a mention."""
        return self.spot(self.mentions[mention]).doc.tokens[self.head_position(mention)]

    def spans(self, mentions: Iterable[int]) -> list[Words]:
        """Return the words of mentions as annotated, even if they are reduced to their heads for matching."""
        if not self.how.to_heads:
            words = self.table.words
            return [words[mention] for mention in mentions]
        spots = (self.spot(self.mentions[mention]) for mention in mentions)
        return [words_of(mention, codes) for _, codes, mention in spots]

    def headless(self) -> list[Mention]:
        """Return the mentions of several words that have no head."""
        return [m for m in self.mentions.values() if m.head is None and len(m.positions) > 1]

    def clusters_with(self) -> dict[int, list[int]]:
        """Return all entities of each mention."""
        entities: dict[int, list[int]] = {}
        for number, cluster in enumerate(self.clusters):
            for mention in cluster:
                entities.setdefault(mention, []).append(number)
        return entities

    def fill(self, drafts: Sequence[Draft]) -> None:
        """Set the final entities of this side."""
        self.clusters = [draft.numbers for draft in drafts]
        flat = list(chain.from_iterable(self.clusters))
        mentions = list(chain.from_iterable(draft.mentions for draft in drafts))
        self.cluster_of = dict(zip(flat, (n for n, c in enumerate(self.clusters) for _ in c), strict=True))
        self.mentions = dict(zip(reversed(flat), reversed(mentions), strict=True))
        self.empty = frozenset(codes[p] for doc, codes in self.parts for p in doc.tokens.empty_positions)
        if self.empty:
            self.zeros = {n: _zero(self, n) for n in self.cluster_of if self.head(n) in self.empty}
        if self.empty and self.repeated:
            self.other_zeros = frozenset(
                (entity, number)
                for entity, draft in enumerate(drafts)
                for number, mention in zip(draft.numbers, draft.mentions, strict=True)
                if (self._head_word(mention) in self.empty) != (number in self.zeros)
            )


def build_side(parts: Sequence[Part], table: MentionTable, how: Preparation) -> Side:
    """Return one side of a unit: usually one document, or several that count as one."""
    side = Side(table, how, parts)
    reduced = reduce_words(parts) if how.to_heads else None
    least = 0 if how.singletons else 1
    drafts = [
        Draft(id, table.number_all(_names(side, mentions, reduced)), mentions)
        for id, mentions in _entities(side)
        if len(mentions) > least
    ]
    if sum(len(draft.numbers) for draft in drafts) != len({n for draft in drafts for n in draft.numbers}):
        drafts = untangle(drafts, side)
    side.fill(drafts)
    return side


def _entities(side: Side) -> Iterator[tuple[str, Sequence[Mention]]]:
    """Yield the entities of a unit; a shared id denotes one entity in all its documents."""
    if len(side.parts) == 1:
        for entity in side.parts[0][0].entities:
            yield entity.id, entity.mentions
        return
    merged: dict[tuple[int, str], list[Mention]] = {}
    for number, (doc, codes) in enumerate(side.parts):
        for entity in doc.entities:
            merged.setdefault((-1 if doc.shared_ids else number, entity.id), []).extend(entity.mentions)
            side._part_of.update((id(mention), (doc, codes)) for mention in entity.mentions)
    for (_, name), mentions in merged.items():
        yield name, mentions


def _names(side: Side, mentions: Sequence[Mention], reduced: dict[Name, Words] | None) -> list[Name]:
    with_head = side.table.with_head
    first = side.parts[0][1]
    if reduced is None and len(side.parts) == 1 and isinstance(first, range) and not first.start:
        if not with_head:
            return [(mention.positions, 0) for mention in mentions]
        return [(m.positions, m.positions[0] if m.head is None else m.head) for m in mentions]
    names = []
    for _, codes, mention in map(side.spot, mentions):
        words, head = words_of(mention, codes), codes[head_position(mention)]
        names.append((words if reduced is None else reduced[words, head], head if with_head else 0))
    return names


def _zero(side: Side, mention: int) -> Zero:
    doc, codes, _ = side.spot(side.mentions[mention])
    position = side.head_position(mention)
    relations = set()
    deps = doc.tokens.empty_tokens[position].deps
    if deps != "_":
        for item in deps.split("|"):
            parent, _, relation = item.partition(":")
            if "." in parent:  # an empty node, known by its id as a decimal number
                parent = str(float(parent))
            relations.add((parent, relation))
    sentence = codes[doc.sentence_at(position).start] if doc.sentences else 0
    return Zero(sentence, frozenset(relations), frozenset(parent for parent, _ in relations))


def untangle(drafts: list[Draft], side: Side) -> list[Draft]:
    """Remove mentions that occur twice, and sort the entities, whose order decides which of them keeps a mention."""
    unique = []
    for draft in drafts:
        pairs = zip(draft.numbers, draft.mentions, strict=True)
        kept = _drop_repeated(draft.id, sorted(pairs, key=lambda pair: _reading_order(side, pair[0])), set(), side)
        if side.how.singletons or len(kept.numbers) > 1:
            unique.append(kept)
    unique.sort(key=lambda draft: (_reading_order(side, draft.numbers[0]), draft.id))
    seen: set[int] = set()
    result = []
    for draft in unique:
        kept = _drop_repeated(draft.id, zip(draft.numbers, draft.mentions, strict=True), seen, side)
        if side.how.repeated == "last":
            result.append(draft)
        elif kept.numbers:
            result.append(kept)
        seen.update(draft.numbers)
    return result


def _drop_repeated(id: str, pairs: Iterable[tuple[int, Mention]], seen: set[int], side: Side) -> Draft:
    """Return an entity without mentions that are in `seen` or occur before; these are recorded as repeated."""
    kept: dict[int, Mention] = {}
    for number, mention in pairs:
        if number in kept or number in seen:
            side.repeated.append(mention)
        else:
            kept[number] = mention
    return Draft(id, list(kept), list(kept.values()))


def _reading_order(side: Side, number: int) -> Order:
    """Return the sort key of udapi: the earlier first, then the longer, then the one that ends earlier."""
    first, last, size = side.table.order(number)
    return first, -size, last
