"""The entities and mentions of a corpus for people to look through: only what the page shows of them is kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ...document import Document
from ...document.naming import entity_name, mention_name
from .counting import MentionLooker, goes_over_documents


class EntityRow(NamedTuple):
    """An entity: its best name, how many mentions it has, its type, where it is."""

    name: str
    mentions: int
    type: str
    document: str


class MentionForm(NamedTuple):
    """Mentions that read alike: their text, how many words that is, the tag of their head."""

    text: str
    words: int
    tag: str


@dataclass(slots=True)
class FormCounts:
    """How often mentions of one form were met."""

    times: int = 0
    entities: int = 0
    """Entities that are called so."""
    alone: int = 0
    """How often it is the only mention of its entity in its document."""


@dataclass(slots=True)
class SharedEntity:
    """An entity that goes over documents, while it is put together."""

    names: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    documents: list[str] = field(default_factory=list)
    mentions: int = 0

    def __iadd__(self, other: SharedEntity) -> SharedEntity:
        self.names.update(other.names)
        self.types.update(other.types)
        self.documents += other.documents
        self.mentions += other.mentions
        return self

    @property
    def row(self) -> EntityRow:
        """Its most frequent name, of several the longest; its document, or how many they are."""
        name, type = (max(found, key=lambda text: (found[text], len(text), text)) for found in (self.names, self.types))
        where = self.documents[0] if len(self.documents) == 1 else f"{len(self.documents):,} documents"
        return EntityRow(name, self.mentions, type, where)


@dataclass(slots=True)
class Lists:
    """What was met so far."""

    local: list[EntityRow] = field(default_factory=list)
    shared: dict[str, SharedEntity] = field(default_factory=dict)
    forms: dict[MentionForm, FormCounts] = field(default_factory=dict)

    def add(self, doc: Document) -> None:
        """Take note of the entities and mentions of a document."""
        looker = MentionLooker(doc)
        for entity in doc.entities:
            if not entity.mentions:
                continue
            row = EntityRow(entity_name(entity), len(entity), entity.type or "", doc.id or "")
            if goes_over_documents(doc):
                one = SharedEntity(Counter([row.name]), Counter([row.type]), [row.document], row.mentions)
                self._share(entity.id, one)
            else:
                self.local.append(row)
            found = Counter(MentionForm(mention_name(m), looker.length(m), looker.head_tag(m)) for m in entity.mentions)
            for form, times in found.items():
                self._count(form, FormCounts(times, 1, int(entity.is_singleton)))

    def __iadd__(self, other: Lists) -> Lists:
        self.local += other.local
        for id, entity in other.shared.items():
            self._share(id, entity)
        for form, counts in other.forms.items():
            self._count(form, counts)
        return self

    def _share(self, id: str, entity: SharedEntity) -> None:
        known = self.shared.setdefault(id, SharedEntity())
        known += entity

    def _count(self, form: MentionForm, counts: FormCounts) -> None:
        known = self.forms.setdefault(form, FormCounts())
        known.times += counts.times
        known.entities += counts.entities
        known.alone += counts.alone

    @property
    def entities(self) -> list[EntityRow]:
        """All entities, the largest first; in an order that depends on nothing but what is shown."""
        rows = [*self.local, *(entity.row for entity in self.shared.values())]
        return sorted(rows, key=lambda row: (-row.mentions, row))

    @property
    def mentions(self) -> list[tuple[MentionForm, FormCounts]]:
        """All forms of mentions, the most frequent first."""
        return sorted(self.forms.items(), key=lambda pair: (-pair[1].times, pair[0]))
