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

_SPACES = re.compile(r"\s+")
AROUND = 60
"""The number of characters of context on each side of a mention."""


class SideView:
    """The mentions of one side, identified by the numbers of the scorer."""

    def __init__(self, name: SideName, side: Side) -> None:
        self.name = name
        self.side = side
        in_order = side.table.in_order
        self.clusters = [
            [mention for mention in in_order(cluster) if side.cluster_of[mention] == number]
            for number, cluster in enumerate(side.clusters)
        ]
        """The mentions of each entity in order; a mention in several entities counts only for the last."""
        self.antecedents = {later: earlier for cluster in self.clusters for earlier, later in pairwise(cluster)}
        self._first: dict[int, tuple[int, int]] = {}  # the number of each document and of its first sentence
        sentences = 0
        for number, (doc, _) in enumerate(side.parts):
            self._first[id(doc)] = number, sentences
            sentences += len(doc.sentences)

    @cached_property
    def _owners(self) -> dict[int, Entity]:
        docs = (doc for doc, _ in self.side.parts)
        return {id(mention): entity for doc in docs for entity in doc.entities for mention in entity.mentions}

    def mention(self, number: int) -> Mention:
        """Return a mention."""
        return self.side.mentions[number]

    def document(self, number: int) -> Document:
        """Return the document of a mention."""
        return self.side.spot(self.mention(number)).doc

    def entity(self, number: int) -> Entity:
        """Return the entity of a mention."""
        return self._owners[id(self.mention(number))]

    def size(self, number: int) -> int:
        """Return the number of mentions of its entity."""
        return len(self.clusters[self.side.cluster_of[number]])

    def sentence(self, number: int) -> int:
        """Return the number of its sentence, counted from 0."""
        doc = self.document(number)
        return self._first[id(doc)][1] + max(0, doc.sentence_index(self.mention(number).start))

    def distance(self, number: int) -> int | None:
        """Return the distance in sentences to its antecedent, or None if it has none."""
        before = self.antecedents.get(number)
        return None if before is None else self.sentence(number) - self.sentence(before)

    def place(self, number: int) -> Place:
        """Return a mention as data."""
        mention = self.mention(number)
        return Place(
            side=self.name,
            text=mention_line(mention),
            entity=self.entity(number).id,
            sentence=self.sentence(number) + 1,
            positions=mention.positions,
        )

    def address(self, number: int) -> str:
        """Return the place of a mention in a form that does not depend on other empty nodes."""
        doc = self.document(number)
        part, _ = self._first[id(doc)]
        return f"{part}:" + ",".join(_address(doc, position) for position in self.mention(number).positions)

    def context(self, number: int) -> tuple[str, str]:
        """Return the text of the sentence before and after a mention, shortened between words."""
        doc, mention = self.document(number), self.mention(number)
        start, end, text = mention.start_char, mention.end_char, doc.text
        first, last = 0, len(text)
        if doc.sentences:
            first = min(start, doc.sentence_at(mention.start).start_char)
            last = max(end, doc.sentence_at(mention.end - 1).end_char)
        before, after = text[max(first, start - AROUND) : start], text[end : min(last, end + AROUND)]
        before = f"…{before.partition(' ')[2]}" if first < start - AROUND else before
        after = f"{after.rpartition(' ')[0]}…" if last > end + AROUND else after
        return _SPACES.sub(" ", before).removeprefix(" "), _SPACES.sub(" ", after).removesuffix(" ")


def _address(doc: Document, position: int) -> str:
    """Return the sentence and the word in it, both counted from 1; an empty node is identified by its id."""
    at = max(0, doc.sentence_index(position))
    if position in doc.tokens.empty_positions:
        return f"{at + 1}.{doc.tokens.empty_tokens[position].id}e"
    start = doc.sentences[at].start if doc.sentences else 0
    empty = doc.tokens.empty_positions
    words = position - start + 1 - (sum(start <= other < position for other in empty) if empty else 0)
    return f"{at + 1}.{words}"


def document_key(id: str | None, doc: Document) -> str:
    """Return a reproducible identifier of a document: its id, or a digest of its words."""
    if id is not None:
        return id
    return text_digest(doc).hex()


BY_HEADS = "head"
"""The matching that finds mentions with a different span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionError:
    """An error as numbers of mentions; `on_key` is whether `mention` is in the key; `parts` are in the key."""

    kind: str
    mention: int
    on_key: bool = True
    key_antecedent: int | None = None
    response_antecedent: int | None = None
    counterpart: int | None = None
    parts: tuple[int, ...] = ()
    known_by: tuple[int, ...] = ()
    """The mentions that determine its id, if not only `mention`."""
    is_matched: bool = False


class Finder:
    """Finds all errors of a response in one unit."""

    def __init__(self, unit: Unit, alignment: Alignment, settings: Settings) -> None:
        self.unit, self.settings = unit, settings
        self.key, self.response = SideView("key", alignment.key), SideView("response", alignment.response)
        self.alignment = alignment
        self.partner: dict[int, int] = {}
        """The response mention matched to each key mention."""
        self.stands_for: dict[int, list[int]] = {}
        """The key mentions matched to a response mention; several are possible under the rules of 2022 and 2023."""
        for mention in alignment.key.table.in_order(alignment.found_key & alignment.key.cluster_of.keys()):
            partner = alignment.partner(mention)
            if partner is not None and partner in alignment.response.cluster_of:
                self.partner[mention] = partner
                self.stands_for.setdefault(partner, []).append(mention)
        self.missed = alignment.key.cluster_of.keys() - alignment.found_key
        self.spurious = alignment.response.cluster_of.keys() - alignment.found_response
        self.near = self._find_near()
        """The response mention of each missed mention with the same head but another span, or the reverse."""
        self._near_key = {response: key for key, response in self.near.items()}

    def find(self) -> list[MentionError]:
        """Return all errors in the order of the text."""
        order, kinds = self.alignment.key.table.order, list(KINDS)
        findings = [*self._find_mentions(), *self._find_links(), *self._find_splits(), *self._find_mixtures()]
        return sorted(findings, key=lambda finding: (order(finding.mention), kinds.index(finding.kind)))

    def _find_mentions(self) -> Iterator[MentionError]:
        """Yield missed and spurious mentions, and those whose spans differ."""
        for mention, other in self.near.items():
            yield MentionError(kind="span", mention=mention, counterpart=other)
        for mention in self.missed - self.near.keys():
            yield MentionError(kind="missed", mention=mention)
        for mention in self.spurious - set(self.near.values()):
            yield MentionError(kind="spurious", mention=mention, on_key=False)
        for mention, other in self.partner.items():
            if self.differ(mention, other):
                yield MentionError(kind="span", mention=mention, counterpart=other, is_matched=True)

    def differ(self, key: int, response: int) -> bool:
        """Return whether the spans of two mentions differ; those of zeros, which are matched by relations, do not."""
        if key in self.key.side.zeros and response in self.response.side.zeros:
            return False
        return self.key.side.spans([key]) != self.response.side.spans([response])

    def _find_near(self) -> dict[int, int]:
        """Return pairs of unmatched mentions that the scorer would match by their heads.

        If it already matches heads, return pairs with the same words, whose heads differ.
        """
        if not self.missed or not self.spurious:
            return {}
        if self.settings.match == BY_HEADS:
            return self._find_same_words()
        by_heads = align_unit(self.unit, replace(self.settings, rules="corefud-1.2", match=BY_HEADS))
        keys = {id(self.key.mention(number)): number for number in self.missed}
        responses = {id(self.response.mention(number)): number for number in self.spurious}
        pairs: dict[int, int] = {}
        for number in by_heads.key.table.in_order(by_heads.found_key):
            partner = by_heads.partner(number)
            if partner is None or partner not in by_heads.response.mentions:
                continue
            key = keys.get(id(by_heads.key.mentions[number]))
            response = responses.pop(id(by_heads.response.mentions[partner]), None)
            if key is not None and response is not None and self.differ(key, response):
                pairs[key] = response
        return pairs

    def _find_same_words(self) -> dict[int, int]:
        """Return pairs of unmatched mentions of key and response with the same words."""
        in_order, spans = self.key.side.table.in_order, self.response.side.spans
        same = {spans([number])[0]: number for number in reversed(in_order(self.spurious))}
        pairs = ((number, same.pop(self.key.side.spans([number])[0], None)) for number in in_order(self.missed))
        return {key: response for key, response in pairs if response is not None}

    def _find_links(self) -> Iterator[MentionError]:
        """Yield the three kinds of PreCo, for each matched key mention."""
        for mention, partner in self.partner.items():
            right, chosen = self.key.antecedents.get(mention), self.response.antecedents.get(partner)
            if right is not None and chosen is None:
                yield MentionError(kind="false-new", mention=mention, key_antecedent=right)
            elif right is None and chosen is not None:
                yield MentionError(kind="false-link", mention=mention, response_antecedent=chosen)
            elif chosen is not None and not self._is_of(chosen, self.key.side.cluster_of[mention]):
                yield MentionError(kind="wrong-link", mention=mention, key_antecedent=right, response_antecedent=chosen)

    def _is_of(self, response: int, entity: int) -> bool:
        """Return whether a response mention corresponds to one of a key entity, perhaps with another span.

        A mention that the scorer counts as found without being a partner is not counted as an error.
        """
        keys = self.stands_for.get(response)
        if keys is None:
            keys = [self._near_key[response]] if response in self._near_key else []
            if not keys and response in self.alignment.found_response:
                return True
        return any(self.key.side.cluster_of[key] == entity for key in keys)

    def _find_splits(self) -> Iterator[MentionError]:
        cluster_of = self.response.side.cluster_of
        for cluster in self.key.clusters:
            parts: dict[int, int] = {}
            for mention in cluster:
                if mention in self.partner:
                    parts.setdefault(cluster_of[self.partner[mention]], mention)
            if len(parts) > 1:
                first = tuple(parts.values())
                before = self.key.antecedents.get(first[1])
                yield MentionError(
                    kind="split", mention=first[1], key_antecedent=before, parts=first, known_by=(cluster[0],)
                )

    def _find_mixtures(self) -> Iterator[MentionError]:
        """Yield the response entities with mentions of several key entities."""
        for number, cluster in enumerate(self.response.clusters):
            parts: dict[int, int] = {}
            for mention in cluster:
                for key in self.stands_for.get(mention, ()):
                    parts.setdefault(self.key.side.cluster_of[key], key)
            if len(parts) > 1:
                kind = "merged" if all(self._is_inside(entity, number) for entity in parts) else "conflated"
                first = tuple(parts.values())
                before = self.response.antecedents.get(self.partner[first[1]])
                yield MentionError(kind=kind, mention=first[1], response_antecedent=before, parts=first, known_by=first)

    def _is_inside(self, entity: int, response: int) -> bool:
        """Return whether all matched mentions of a key entity are in one response entity."""
        partners = (self.partner[mention] for mention in self.key.clusters[entity] if mention in self.partner)
        return all(self.response.side.cluster_of[mention] == response for mention in partners)
