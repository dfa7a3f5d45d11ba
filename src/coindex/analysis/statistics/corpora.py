"""Corpora to count in: their names, their files, one process or several."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from ...arguments import check_corpora
from ...corpora.files import read_source, sources
from ...corpora.key_and_response import STDIN, Documents, File, FilePair, cut_pair, dataset_name, files_below
from ...document import Document
from ...engines import count_jobs, map_documents
from ...errors import CoindexError, DataWarning, FormatError, Problem, quote
from ...formats.registry import Format, get_format
from ...formats.source import Source
from .survey import Survey, survey

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
