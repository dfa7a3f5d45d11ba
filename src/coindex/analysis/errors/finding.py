"""Find the errors of one unit in the alignment of the scorer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ...document import Document, Entity, Mention
from ...document.naming import mention_line
from ...scoring.alignment import Alignment
from ...scoring.corpus import Unit, align_unit
from ...scoring.profiles import Settings
from ...scoring.sides import Side
from ..overlap import text_digest
from .cases import KINDS, Place, SideName

_BLANKS = re.compile(r"\s+")
AROUND = 60
"""Characters of the sentence on each side of a mention."""


class SideView:
    """The mentions of one side, known by the scorer's numbers."""

    def __init__(self, name: SideName, side: Side) -> None:
        self.name = name
        self.side = side
        in_order = side.table.in_order
        self.chains = [
            [mention for mention in in_order(cluster) if side.cluster_of[mention] == number]
            for number, cluster in enumerate(side.clusters)
        ]
        """The mentions of each entity in order; one that is in several entities counts for the last alone."""
        self.antecedents = {later: earlier for chain in self.chains for earlier, later in pairwise(chain)}
        self._first: dict[int, tuple[int, int]] = {}  # of each document its number and that of its first sentence
        sentences = 0
        for number, (doc, _) in enumerate(side.parts):
            self._first[id(doc)] = number, sentences
            sentences += len(doc.sentences)

    @cached_property
    def _owners(self) -> dict[int, Entity]:
        docs = (doc for doc, _ in self.side.parts)
        return {id(mention): entity for doc in docs for entity in doc.entities for mention in entity.mentions}

    def mention(self, number: int) -> Mention:
        return self.side.mentions[number]

    def document(self, number: int) -> Document:
        return self.side.spot(self.mention(number)).doc

    def entity(self, number: int) -> Entity:
        return self._owners[id(self.mention(number))]

    def size(self, number: int) -> int:
        """How many mentions its entity has."""
        return len(self.chains[self.side.cluster_of[number]])

    def sentence(self, number: int) -> int:
        """The number of its sentence, from 0."""
        doc = self.document(number)
        return self._first[id(doc)][1] + max(0, doc.sentence_index(self.mention(number).start))

    def distance(self, number: int) -> int | None:
        """How many sentences its antecedent is before it; None where it has none."""
        before = self.antecedents.get(number)
        return None if before is None else self.sentence(number) - self.sentence(before)

    def place(self, number: int) -> Place:
        mention = self.mention(number)
        return Place(
            side=self.name,
            text=mention_line(mention),
            entity=self.entity(number).id,
            sentence=self.sentence(number) + 1,
            positions=mention.positions,
        )

    def address(self, number: int) -> str:
        """Where a mention is, said in a way that does not depend on empty nodes elsewhere."""
        doc = self.document(number)
        part, _ = self._first[id(doc)]
        return f"{part}:" + ",".join(_address(doc, position) for position in self.mention(number).positions)

    def context(self, number: int) -> tuple[str, str]:
        """The text of the sentence before and after a mention, cut between words where it is long."""
        doc, mention = self.document(number), self.mention(number)
        start, end, text = mention.start_char, mention.end_char, doc.text
        first, last = 0, len(text)
        if doc.sentences:
            first = min(start, doc.sentence_at(mention.start).start_char)
            last = max(end, doc.sentence_at(mention.end - 1).end_char)
        before, after = text[max(first, start - AROUND) : start], text[end : min(last, end + AROUND)]
        before = f"…{before.partition(' ')[2]}" if first < start - AROUND else before
        after = f"{after.rpartition(' ')[0]}…" if last > end + AROUND else after
        return _BLANKS.sub(" ", before).removeprefix(" "), _BLANKS.sub(" ", after).removesuffix(" ")


def _address(doc: Document, position: int) -> str:
    """A sentence and a word in it, both counted from 1; an empty node is known by its id."""
    at = max(0, doc.sentence_index(position))
    if position in doc.tokens.empty_positions:
        return f"{at + 1}.{doc.tokens.empty_tokens[position].id}e"
    start = doc.sentences[at].start if doc.sentences else 0
    empty = doc.tokens.empty_positions
    words = position - start + 1 - (sum(start <= one < position for one in empty) if empty else 0)
    return f"{at + 1}.{words}"


def document_key(id: str | None, doc: Document) -> str:
    """What tells a document from others in every run: its id, else its words."""
    if id is not None:
        return id
    return text_digest(doc).hex()


BY_HEADS = "head"
"""The matching by which mentions of other borders are recognised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An error in the numbers of mentions; `on_key` says which side `mention` is of, `parts` are of the key."""

    kind: str
    mention: int
    on_key: bool = True
    key_antecedent: int | None = None
    response_antecedent: int | None = None
    counterpart: int | None = None
    parts: tuple[int, ...] = ()
    known_by: tuple[int, ...] = ()
    """The mentions that its id is made of, where that is not `mention` alone."""
    is_matched: bool = False


class Finder:
    """All errors of a response in one unit."""

    def __init__(self, unit: Unit, alignment: Alignment, settings: Settings) -> None:
        self.unit, self.settings = unit, settings
        self.key, self.response = SideView("key", alignment.key), SideView("response", alignment.response)
        self.alignment = alignment
        self.partner: dict[int, int] = {}
        """The response mention of each key mention that was found."""
        self.stands_for: dict[int, list[int]] = {}
        """The key mentions that a response mention is the partner of; several under the rules of 2022 and 2023."""
        for mention in alignment.key.table.in_order(alignment.found_key & alignment.key.cluster_of.keys()):
            found = alignment.partner(mention)
            if found is not None and found in alignment.response.cluster_of:
                self.partner[mention] = found
                self.stands_for.setdefault(found, []).append(mention)
        self.missed = alignment.key.cluster_of.keys() - alignment.found_key
        self.spurious = alignment.response.cluster_of.keys() - alignment.found_response
        self.near = self._near()
        """The response mention of each missed one with its head but other borders, or its words but another head."""
        self._near_key = {response: key for key, response in self.near.items()}

    def find(self) -> list[Finding]:
        """All errors in the order of the text."""
        order, kinds = self.alignment.key.table.order, list(KINDS)
        found = [*self._mentions(), *self._links(), *self._splits(), *self._mixtures()]
        return sorted(found, key=lambda finding: (order(finding.mention), kinds.index(finding.kind)))

    def _mentions(self) -> Iterator[Finding]:
        """Missed and spurious mentions, and those whose borders differ."""
        for mention, found in self.near.items():
            yield Finding(kind="span", mention=mention, counterpart=found)
        for mention in self.missed - self.near.keys():
            yield Finding(kind="missed", mention=mention)
        for mention in self.spurious - set(self.near.values()):
            yield Finding(kind="spurious", mention=mention, on_key=False)
        for mention, found in self.partner.items():
            if self.differ(mention, found):
                yield Finding(kind="span", mention=mention, counterpart=found, is_matched=True)

    def differ(self, key: int, response: int) -> bool:
        """Whether the borders of two mentions differ; zeros that are matched by what they hang on have none."""
        if key in self.key.side.zeros and response in self.response.side.zeros:
            return False
        return self.key.side.spans([key]) != self.response.side.spans([response])

    def _near(self) -> dict[int, int]:
        """Of mentions that are not matched, those that the scorer would match by their heads.

        Where it matches by heads already, those with the same words: only their heads keep them apart.
        """
        if not self.missed or not self.spurious:
            return {}
        if self.settings.match == BY_HEADS:
            return self._same_words()
        by_heads = align_unit(self.unit, replace(self.settings, rules="corefud-1.2", match=BY_HEADS))
        keys = {id(self.key.mention(number)): number for number in self.missed}
        responses = {id(self.response.mention(number)): number for number in self.spurious}
        found: dict[int, int] = {}
        for number in by_heads.key.table.in_order(by_heads.found_key):
            partner = by_heads.partner(number)
            if partner is None or partner not in by_heads.response.mentions:
                continue
            key = keys.get(id(by_heads.key.mentions[number]))
            response = responses.pop(id(by_heads.response.mentions[partner]), None)
            if key is not None and response is not None and self.differ(key, response):
                found[key] = response
        return found

    def _same_words(self) -> dict[int, int]:
        """Mentions of the same words that are not matched, of the key and of the response."""
        in_order, spans = self.key.side.table.in_order, self.response.side.spans
        same = {spans([number])[0]: number for number in reversed(in_order(self.spurious))}
        found = ((number, same.pop(self.key.side.spans([number])[0], None)) for number in in_order(self.missed))
        return {key: response for key, response in found if response is not None}

    def _links(self) -> Iterator[Finding]:
        """PreCo's three kinds, for each key mention that was found."""
        for mention, found in self.partner.items():
            right, chosen = self.key.antecedents.get(mention), self.response.antecedents.get(found)
            if right is not None and chosen is None:
                yield Finding(kind="false-new", mention=mention, key_antecedent=right)
            elif right is None and chosen is not None:
                yield Finding(kind="false-link", mention=mention, response_antecedent=chosen)
            elif chosen is not None and not self._is_of(chosen, self.key.side.cluster_of[mention]):
                yield Finding(kind="wrong-link", mention=mention, key_antecedent=right, response_antecedent=chosen)

    def _is_of(self, response: int, entity: int) -> bool:
        """Whether a response mention stands for one of a key entity, its borders aside.

        One that the scorer counts as found, but as nobody's partner, is not held against the response.
        """
        keys = self.stands_for.get(response)
        if keys is None:
            keys = [self._near_key[response]] if response in self._near_key else []
            if not keys and response in self.alignment.found_response:
                return True
        return any(self.key.side.cluster_of[key] == entity for key in keys)

    def _splits(self) -> Iterator[Finding]:
        cluster_of = self.response.side.cluster_of
        for chain in self.key.chains:
            parts: dict[int, int] = {}
            for mention in chain:
                if mention in self.partner:
                    parts.setdefault(cluster_of[self.partner[mention]], mention)
            if len(parts) > 1:
                first = tuple(parts.values())
                before = self.key.antecedents.get(first[1])
                yield Finding(kind="split", mention=first[1], key_antecedent=before, parts=first, known_by=(chain[0],))

    def _mixtures(self) -> Iterator[Finding]:
        """Response entities with mentions of several key entities: whole ones, or parts too."""
        for number, chain in enumerate(self.response.chains):
            parts: dict[int, int] = {}
            for mention in chain:
                for key in self.stands_for.get(mention, ()):
                    parts.setdefault(self.key.side.cluster_of[key], key)
            if len(parts) > 1:
                kind = "merged" if all(self._is_inside(entity, number) for entity in parts) else "conflated"
                first = tuple(parts.values())
                before = self.response.antecedents.get(self.partner[first[1]])
                yield Finding(kind=kind, mention=first[1], response_antecedent=before, parts=first, known_by=first)

    def _is_inside(self, entity: int, response: int) -> bool:
        """Whether all mentions of a key entity that were found are in one response entity."""
        found = (self.partner[mention] for mention in self.key.chains[entity] if mention in self.partner)
        return all(self.response.side.cluster_of[mention] == response for mention in found)
