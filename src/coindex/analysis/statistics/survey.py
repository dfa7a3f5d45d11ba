"""A corpus in one pass: all of it, its genres, its documents, and lists for the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ...document import Document
from ...document.metadata import genre_of
from ...document.naming import entity_name, mention_name
from .counts import Counts, MentionLooker, count_document, goes_over_documents, ratio


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


@dataclass(frozen=True, slots=True, order=True)
class DocumentRow:
    """A document in numbers; the mentions of singletons are among the mentions."""

    id: str
    genre: str
    sentences: int
    words: int
    zeros: int
    entities: int
    singletons: int
    mentions: int

    @property
    def mention_density(self) -> float | None:
        """Mentions for each thousand words."""
        return ratio(1000 * self.mentions, self.words)

    @property
    def entity_density(self) -> float | None:
        """Entities for each thousand words."""
        return ratio(1000 * self.entities, self.words)

    @property
    def entity_length(self) -> float | None:
        """Mentions for each entity."""
        return ratio(self.mentions, self.entities)

    @property
    def singleton_rate(self) -> float | None:
        """The share of mentions that are alone in their entity."""
        return ratio(self.singletons, self.mentions)


@dataclass(slots=True)
class Survey:
    """What is known of a corpus after the pass. Surveys add, like counts."""

    total: Counts = field(default_factory=Counts)
    genres: dict[str, Counts] = field(default_factory=dict)
    """Counts by genre; documents without one are under ""."""
    documents: list[DocumentRow] = field(default_factory=list)
    lists: Lists | None = None

    def __iadd__(self, other: Survey) -> Survey:
        self.total += other.total
        for genre, counts in other.genres.items():
            self.genres[genre] = self.genres[genre] + counts if genre in self.genres else counts
        self.documents += other.documents
        if self.lists is not None and other.lists is not None:
            self.lists += other.lists
        return self

    def add(self, doc: Document) -> None:
        """Look at one more document."""
        counts = count_document(doc)
        genre = genre_of(doc) or ""
        self.total += counts
        self.genres.setdefault(genre, Counts())
        self.genres[genre] += counts
        self.documents.append(_row(doc, genre, counts.settled()))
        if self.lists is not None:
            self.lists.add(doc)

    def settle(self) -> None:
        """No document is to come: entities over documents get their whole size."""
        self.total = self.total.settled()
        self.genres = {genre: counts.settled() for genre, counts in self.genres.items()}

    @property
    def has_genres(self) -> bool:
        return any(self.genres)


def survey(docs: Iterable[Document], *, lists: bool = False) -> Survey:
    """Look at all documents, one by one; with `lists`, keep the entities and mentions for the page."""
    found = Survey(lists=Lists() if lists else None)
    for doc in docs:
        found.add(doc)
    return found


def _row(doc: Document, genre: str, counts: Counts) -> DocumentRow:
    return DocumentRow(
        doc.id or "",
        genre,
        counts.sentences,
        counts.words,
        counts.zeros,
        counts.sizes.total(),
        counts.singletons.total,
        counts.mentions(singletons=True).total,
    )
