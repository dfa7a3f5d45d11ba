"""A corpus in one pass: all of it, its genres, its documents one by one, and lists for the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...document import Document
from ...document.metadata import genre_of
from .counting import count_document
from .counts import Counts, ratio
from .lists import Lists


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
