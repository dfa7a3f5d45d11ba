"""One side of an alignment as error analysis looks at it: chains, antecedents, places in the text."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise

from ...document import Document, Entity, Mention
from ...document.naming import mention_line
from ...scoring.sides import Side
from ..vocabulary import text_digest
from .cases import Place, SideName

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
