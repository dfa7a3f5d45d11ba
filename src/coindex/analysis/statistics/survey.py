"""Count what is in corpora: their names, their files, one process or several."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ...arguments import check_corpora
from ...corpora.files import read_source, sources
from ...corpora.key_and_response import STDIN, Documents, File, FilePair, cut_pair, dataset_name, files_below
from ...document import Document
from ...document.documents import genre_of
from ...document.naming import entity_name, mention_name
from ...engines import count_jobs, map_documents
from ...errors import CoindexError, DataWarning, FormatError, Problem, quote
from ...formats.registry import Format, get_format
from ...formats.source import Source
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


if TYPE_CHECKING:
    pass


Corpora = Documents | Mapping[str, Documents] | Iterable[str | os.PathLike[str]] | Iterable[tuple[str, Documents]]
"""A corpus, several by their names, paths that give the names, or pairs of a name and a corpus."""
LEAST, MOST = 1 << 17, 1 << 22
"""How many bytes a piece of a file should have where several processes count."""
SHARE = 4
"""Pieces for each process, so that all end at about the same time."""


def path_of(corpus: Documents) -> str:
    """For the record: the path, or that documents were given."""
    return os.fspath(corpus) if isinstance(corpus, str | os.PathLike) else "documents"


def named(corpora: Corpora) -> dict[str, Documents]:
    """The corpora by their names; paths are named after their files, where that tells them apart."""
    check_corpora(corpora, "corpora")
    if isinstance(corpora, Mapping):
        return _checked(list(corpora.items()))
    if isinstance(corpora, str | os.PathLike):
        return {_file_name(os.fspath(corpora)): corpora}
    if isinstance(corpora, Document):
        return {corpora.id or "documents": corpora}
    rest = iter(cast(Iterable[Any], corpora))
    first = next(rest, None)
    if first is None:
        raise CoindexError("no corpus; expected at least one file, folder or document; name one", code="nothing-given")
    if isinstance(first, Document):
        return {"documents": chain([first], rest)}
    pairs = [one if isinstance(one, tuple) else ("", one) for one in (first, *rest)]
    paths = [os.fspath(path) for name, path in pairs if not name]
    names = [_file_name(path) for path in paths]
    unique = dict(zip(paths, paths if len(set(names)) < len(set(paths)) else names, strict=True))
    return _checked([(name or unique[os.fspath(corpus)], corpus) for name, corpus in pairs])


def _file_name(path: str) -> str:
    return "stdin" if path == STDIN else dataset_name(path)


def _checked(pairs: Sequence[tuple[str, Documents]]) -> dict[str, Documents]:
    names = [name for name, _ in pairs]
    for at, name in enumerate(names):
        if not name.strip():
            raise CoindexError("a corpus without a name; expected NAME=PATH; give it a name", code="invalid-input")
        if name in names[:at]:
            raise CoindexError(
                f"corpus {quote(name)}: given twice; expected each once; leave one out or rename it",
                code="duplicate-input",
            )
    if sum(corpus == STDIN for _, corpus in pairs) > 1:
        raise CoindexError(
            "-: standard input given twice; expected it at most once; name a file", code="unsupported-standard-input"
        )
    return dict(pairs)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was counted in a file, and what to tell of the reading."""

    found: Survey
    warnings: list[Warning | str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveying:
    """How corpora are read and counted; `lists` keeps their entities and mentions too."""

    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1
    lists: bool = False

    def survey(self, name: str, corpus: Documents) -> Survey:
        """One corpus; an error where it has no document, a warning where it has no entity."""
        if isinstance(corpus, str | os.PathLike):
            found = self._path(os.fspath(corpus))
        else:
            docs = [corpus] if isinstance(corpus, Document) else corpus
            found = survey(docs, lists=self.lists)
        found.settle()
        if not found.total.documents:
            raise CoindexError(
                f"{name}: no document; expected at least one; check the file, or leave it out", code="no-document"
            )
        if not found.total.sizes:
            message = f"{name}: no entity at all; if it should have some, check its format"
            warnings.warn(DataWarning(message, code="no-entities"), stacklevel=4)
        return found

    def _path(self, path: str) -> Survey:
        jobs = count_jobs(self.jobs)
        if path == STDIN:
            docs = (doc for source, found in sources(STDIN, self.format) for doc in _read(source, found, self.options))
            return survey(docs, lists=self.lists)
        if not os.path.exists(path):
            raise CoindexError(
                "no such file or folder; expected a corpus; name one that is there", code="unreadable-file", path=path
            )
        files = files_below(path, self.format)
        count = partial(_count_file, options=self.options, lists=self.lists)
        if jobs == 1:
            return _sum(map(count, files))
        size = sum(os.path.getsize(file.path) for file in files)
        most = min(max(size // (SHARE * jobs), LEAST), MOST)
        pieces = (piece for file in files for piece in _pieces(file, most))
        return _sum(map_documents(partial(_quietly, count=count), pieces, jobs))


def _sum(outcomes: Iterable[Outcome]) -> Survey:
    """All together, after telling what was odd about the reading."""
    total: Survey | None = None
    for outcome in outcomes:
        for warning in outcome.warnings:
            warnings.warn(warning, stacklevel=7)
        if total is None:
            total = outcome.found
        else:
            total += outcome.found
    return total or Survey()


def _count_file(file: File, options: Mapping[str, str], lists: bool) -> Outcome:
    source = Source(file.path, piece=file.piece)
    return Outcome(survey(_read(source, get_format(file.format), options), lists=lists))


def _quietly(file: File, count: partial[Outcome]) -> Outcome:
    """Count in another process, whose warnings nobody would see, and bring them back with the rest."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = count(file)
    outcome.warnings.extend(warning.message for warning in caught)
    return outcome


def _read(source: Source, format: Format, options: Mapping[str, str]) -> Iterator[Document]:
    """The documents of a source; an error where its format cannot have entities."""
    if "entities" not in format.carries:
        source.close()
        remedy = "give a file with entities; name its format with --from (format=… in Python) if this is one"
        found = f"{format.name}, a format without entities"
        raise FormatError(Problem(source.name, None, found, "an annotated corpus", remedy, code="no-entities"))
    return read_source(source, format, options)


def _pieces(file: File, most: int) -> list[File]:
    """A file in pieces of some documents each, where its format can be cut."""
    return [pair.key[0] for pair in cut_pair(FilePair((file,), (file,)), most)]
