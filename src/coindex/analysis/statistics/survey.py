"""Count the contents of corpora, given as files, folders or documents, in one process or several."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, cast

from ...arguments import check_corpora
from ...corpora.files import read_source, sources
from ...corpora.key_and_response import STDIN, Documents, File, FilePair, cut_pair, dataset_name, files_below
from ...document import Document
from ...document.documents import genre_of
from ...document.naming import entity_name, mention_name
from ...engines import Workers, map_documents
from ...errors import CoindexError, DataWarning, FormatError, Problem, quote
from ...formats.registry import Format, get_format
from ...formats.source import Source
from .counts import Counts, MentionLooker, count_document, goes_over_documents, ratio


class EntityRow(NamedTuple):
    """An entity: its most informative name, its number of mentions, its type, and its document."""

    name: str
    mentions: int
    type: str
    document: str


class MentionForm(NamedTuple):
    """Mentions with the same text: the text, its number of words, and the tag of the head."""

    text: str
    words: int
    tag: str


@dataclass(slots=True)
class FormCounts:
    """The frequencies of mentions of one form."""

    times: int = 0
    entities: int = 0
    """The number of entities with such a mention."""
    alone: int = 0
    """The number of times it is the only mention of its entity in the document."""


@dataclass(slots=True)
class SharedEntity:
    """An entity that may span documents, while it is being collected."""

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
        """The row with the most frequent name (of several the longest), and the document or the number of documents."""
        name, type = (max(texts, key=lambda text: (texts[text], len(text), text)) for texts in (self.names, self.types))
        where = self.documents[0] if len(self.documents) == 1 else f"{len(self.documents):,} documents"
        return EntityRow(name, self.mentions, type, where)


@dataclass(slots=True)
class Lists:
    """The entities and mentions of the documents so far."""

    local: list[EntityRow] = field(default_factory=list)
    shared: dict[str, SharedEntity] = field(default_factory=dict)
    forms: dict[MentionForm, FormCounts] = field(default_factory=dict)

    def add(self, doc: Document) -> None:
        """Add the entities and mentions of a document."""
        looker = MentionLooker(doc)
        for entity in doc.entities:
            if not entity.mentions:
                continue
            row = EntityRow(entity_name(entity), len(entity), entity.type or "", doc.id or "")
            if goes_over_documents(doc):
                shared = SharedEntity(Counter([row.name]), Counter([row.type]), [row.document], row.mentions)
                self._share(entity.id, shared)
            else:
                self.local.append(row)
            forms = Counter(MentionForm(mention_name(m), looker.length(m), looker.head_tag(m)) for m in entity.mentions)
            for form, times in forms.items():
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
        """All entities, the largest first, in a reproducible order."""
        rows = [*self.local, *(entity.row for entity in self.shared.values())]
        return sorted(rows, key=lambda row: (-row.mentions, row))

    @property
    def mentions(self) -> list[tuple[MentionForm, FormCounts]]:
        """All forms of mentions, the most frequent first."""
        return sorted(self.forms.items(), key=lambda pair: (-pair[1].times, pair[0]))


@dataclass(frozen=True, slots=True, order=True)
class DocumentRow:
    """The numbers of a document; `mentions` includes those of singletons."""

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
        """Mentions per thousand words."""
        return ratio(1000 * self.mentions, self.words)

    @property
    def entity_density(self) -> float | None:
        """Entities per thousand words."""
        return ratio(1000 * self.entities, self.words)

    @property
    def entity_length(self) -> float | None:
        """Mentions per entity."""
        return ratio(self.mentions, self.entities)

    @property
    def singleton_rate(self) -> float | None:
        """The share of mentions that are singletons."""
        return ratio(self.singletons, self.mentions)


@dataclass(slots=True)
class Survey:
    """The statistics of a corpus. Surveys can be added, like counts."""

    total: Counts = field(default_factory=Counts)
    genres: dict[str, Counts] = field(default_factory=dict)
    """Counts by genre; "" for documents without one."""
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
        """Add a document."""
        counts = count_document(doc)
        genre = genre_of(doc) or ""
        self.total += counts
        self.genres.setdefault(genre, Counts())
        self.genres[genre] += counts
        self.documents.append(_row(doc, genre, counts.settled()))
        if self.lists is not None:
            self.lists.add(doc)

    def settle(self) -> None:
        """Finish after the last document, when the sizes of entities that span documents are known."""
        self.total = self.total.settled()
        self.genres = {genre: counts.settled() for genre, counts in self.genres.items()}

    @property
    def has_genres(self) -> bool:
        """Whether any document has a genre."""
        return any(self.genres)


def survey(docs: Iterable[Document], *, lists: bool = False) -> Survey:
    """Return the statistics of documents, read one by one; with `lists`, also their entities and mentions."""
    total = Survey(lists=Lists() if lists else None)
    for doc in docs:
        total.add(doc)
    return total


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


Corpora = Documents | Mapping[str, Documents] | Iterable[str | os.PathLike[str]] | Iterable[tuple[str, Documents]]
"""A corpus, several corpora by name, paths that determine the names, or pairs of a name and a corpus."""
LEAST, MOST = 1 << 17, 1 << 22
"""The minimum and maximum size in bytes of a piece of a file for one process."""
SHARE = 4
"""The number of pieces per process, so that all finish at about the same time."""


def path_of(corpus: Documents) -> str:
    """Return the path of a corpus for the record, or "documents"."""
    return os.fspath(corpus) if isinstance(corpus, str | os.PathLike) else "documents"


def name_corpora(corpora: Corpora) -> dict[str, Documents]:
    """Return the corpora by name; paths are named after their files if these names are unique."""
    check_corpora(corpora, "corpora")
    if isinstance(corpora, Mapping):
        return _check_names(list(corpora.items()))
    if isinstance(corpora, str | os.PathLike):
        return {_file_name(os.fspath(corpora)): corpora}
    if isinstance(corpora, Document):
        return {corpora.id or "documents": corpora}
    rest = iter(cast(Iterable[Any], corpora))
    first = next(rest, None)
    if first is None:
        raise CoindexError("no corpus; pass at least one file, folder or document", code="nothing-given")
    if isinstance(first, Document):
        return {"documents": chain([first], rest)}
    pairs = [item if isinstance(item, tuple) else ("", item) for item in (first, *rest)]
    paths = [os.fspath(path) for name, path in pairs if not name]
    names = [_file_name(path) for path in paths]
    unique = dict(zip(paths, paths if len(set(names)) < len(set(paths)) else names, strict=True))
    return _check_names([(name or unique[os.fspath(corpus)], corpus) for name, corpus in pairs])


def _file_name(path: str) -> str:
    return "stdin" if path == STDIN else dataset_name(path)


def _check_names(pairs: Sequence[tuple[str, Documents]]) -> dict[str, Documents]:
    names = [name for name, _ in pairs]
    for at, name in enumerate(names):
        if not name.strip():
            raise CoindexError("the corpus has no name; use NAME=PATH", code="invalid-input")
        if name in names[:at]:
            raise CoindexError(
                f"two corpora have the name {quote(name)}; omit or rename one of them",
                code="duplicate-input",
            )
    if sum(corpus == STDIN for _, corpus in pairs) > 1:
        raise CoindexError("-: standard input can be used only once; use a file", code="unsupported-standard-input")
    return dict(pairs)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The statistics of a file, and the warnings while reading it."""

    survey: Survey
    warnings: list[Warning | str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveying:
    """How corpora are read and counted; with `lists`, entities and mentions are collected too."""

    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    workers: Workers = field(default_factory=Workers)
    lists: bool = False

    def survey(self, name: str, corpus: Documents) -> Survey:
        """Return the statistics of a corpus; raise an error without documents, and warn without entities."""
        if isinstance(corpus, str | os.PathLike):
            total = self._survey_path(os.fspath(corpus))
        else:
            docs = [corpus] if isinstance(corpus, Document) else corpus
            total = survey(docs, lists=self.lists)
        total.settle()
        if not total.total.documents:
            raise CoindexError(f"{name}: no documents; check the file, or omit it", code="no-document")
        if not total.total.sizes:
            message = f"{name}: no entities; if this is unexpected, check the format"
            warnings.warn(DataWarning(message, code="no-entities"), stacklevel=4)
        return total

    def _survey_path(self, path: str) -> Survey:
        if path == STDIN:
            inputs = sources(STDIN, self.format)
            docs = (doc for source, format in inputs for doc in _read(source, format, self.options))
            return survey(docs, lists=self.lists)
        if not os.path.exists(path):
            raise CoindexError("no such file or folder; expected a corpus", code="unreadable-file", path=path)
        files = files_below(path, self.format)
        count = partial(_count_file, options=self.options, lists=self.lists)
        if self.workers.are_here:
            return _sum(map(count, files))
        size = sum(os.path.getsize(file.path) for file in files)
        most = min(max(size // (SHARE * self.workers.count()), LEAST), MOST)
        pieces = (piece for file in files for piece in _split_file(file, most))
        return _sum(map_documents(partial(_count_in_process, count=count), pieces, self.workers))


def _sum(outcomes: Iterable[Outcome]) -> Survey:
    """Return the sum of all statistics, and issue the warnings."""
    total: Survey | None = None
    for outcome in outcomes:
        for warning in outcome.warnings:
            warnings.warn(warning, stacklevel=7)
        if total is None:
            total = outcome.survey
        else:
            total += outcome.survey
    return total or Survey()


def _count_file(file: File, options: Mapping[str, str], lists: bool) -> Outcome:
    source = Source(file.path, piece=file.piece)
    return Outcome(survey(_read(source, get_format(file.format), options), lists=lists))


def _count_in_process(file: File, count: partial[Outcome]) -> Outcome:
    """Count in another process, and return its warnings, which would be lost otherwise."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = count(file)
    outcome.warnings.extend(warning.message for warning in caught)
    return outcome


def _read(source: Source, format: Format, options: Mapping[str, str]) -> Iterator[Document]:
    """Yield the documents of a source; raise an error if its format has no entities."""
    if "entities" not in format.carries:
        source.close()
        remedy = "use an annotated file, or specify its format with --from (format=… in Python)"
        problem = f"{format.name}, a format without entities"
        raise FormatError(Problem(source.name, None, problem, "an annotated corpus", remedy, code="no-entities"))
    return read_source(source, format, options)


def _split_file(file: File, most: int) -> list[File]:
    """Split a file into pieces of several documents, if its format allows it."""
    return [pair.key[0] for pair in cut_pair(FilePair((file,), (file,)), most)]
