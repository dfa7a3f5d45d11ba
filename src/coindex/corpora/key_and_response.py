"""Read keys and responses from files, folders or documents, and pair their files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import check_document
from ..document import Document
from ..document.naming import count
from ..errors import CoindexError, DataWarning, FormatError, Place, Problem, quote
from ..formats.registry import Format, get_format
from ..formats.remote import as_path
from ..formats.source import Piece, Source
from .files import read_source, sources

if TYPE_CHECKING:
    from ..scoring import Settings

Documents = str | os.PathLike[str] | Document | Iterable[Document]
"""What can be scored: a path, a document or an iterable of documents."""

STDIN = "-"
EXTRA_SHOWN = 10
PASSED_OVER = frozenset(
    {"unclosed-mention", "duplicate-sentence-id", "invalid-relation", "mixed-line-ends", "carriage-return"}
)
"""Codes of problems that the official scorers ignore too; at all others they stop."""


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """The origin of a document whose format stores none: its file, for messages."""

    path: str


@dataclass(frozen=True, slots=True)
class File:
    """A file of a key or response, or a piece of it; `name` is its path below the given folder, without extension."""

    path: str
    format: str
    name: str = ""
    piece: Piece | None = None


@dataclass(frozen=True, slots=True)
class FilePair:
    """Files whose documents are scored together, usually a key file and its response file."""

    key: tuple[File, ...]
    response: tuple[File, ...]
    name: str = ""


class Problems:
    """Raise problems of files as errors, or without `strict` collect those that the official scorers ignore."""

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.found: list[Problem] = []

    def __call__(self, problem: Problem) -> None:
        if problem.severity == "error":
            if self.strict or problem.code not in PASSED_OVER:
                raise FormatError(problem)
            self.found.append(problem)


class Reading(Iterable[Document]):
    """The documents of files, read again in each iteration; counts entities and collects ignored problems."""

    def __init__(self, files: Sequence[File], options: Mapping[str, str], settings: Settings) -> None:
        self.files = files
        self.options = options
        self.settings = settings
        self.entities = 0
        self._on_problem = Problems(strict=settings.strict)

    @property
    def problems(self) -> list[Problem]:
        """The problems that were ignored in the last iteration."""
        return self._on_problem.found

    def __iter__(self) -> Iterator[Document]:
        self.entities = 0
        self.problems.clear()
        for file in self.files:
            source = Source(file.path, on_problem=self._on_problem, piece=file.piece)
            for doc in _read(source, get_format(file.format), self.options, self.settings):
                self.entities += len(doc.entities)
                yield doc


def _read(source: Source, format: Format, options: Mapping[str, str], settings: Settings) -> Iterator[Document]:
    """Yield the documents of a source with their origin."""
    if format.name == "conll2012" and settings.rules == "conll-8.01":
        options = {"columns": "any", **options}  # its own test files have rows of two columns, and uneven ones
    if "entities" not in format.carries:
        remedy = "use a file with entities, or specify its format with --from (format=… in Python)"
        found = f"{format.name}, a format without entities"
        raise FormatError(Problem(source.name, None, found, "a key or response", remedy, code="no-entities"))
    for doc in read_source(source, format, options):
        if doc.id is None and doc.entities and format.name == "corefud":
            remedy = "add a line '# newdoc id = NAME' before the first sentence"
            found, expected = "entities before any # newdoc", "a document with an id"
            raise FormatError(Problem(source.name, 1, found, expected, remedy, code="missing-document-id"))
        yield doc if doc.origin is not None else doc.replace(origin=ReadFrom(source.name))


def read_stdin(format: str | None, options: Mapping[str, str], settings: Settings) -> list[Document]:
    """Return the documents of standard input."""
    ((source, chosen),) = sources(STDIN, format, on_problem=Problems(strict=settings.strict))
    return list(_read(source, chosen, options, settings))


class PassedDocuments(Iterable[Document]):
    """Documents that were passed as such; counts their entities."""

    def __init__(self, docs: Document | Iterable[Document], side: str) -> None:
        self.docs = [docs] if isinstance(docs, Document) else docs
        self.side = side
        self.entities = 0
        self.problems: list[Problem] = []
        self._is_spent = False

    def __iter__(self) -> Iterator[Document]:
        if self._is_spent:
            raise CoindexError(
                f"{self.side}: documents with the same id are not next to each other, so all documents have to be read "
                "twice; pass paths or lists instead of iterators, or rename the documents",
                code="scattered-documents",
            )
        self._is_spent = iter(self.docs) is self.docs
        self.entities = 0
        for doc in self.docs:
            check_document(doc, self.side)
            self.entities += len(doc.entities)
            yield doc


def locate(doc: Document, position: int) -> Place:
    """Return the place of a position: file and line if known, otherwise file, document, sentence and word."""
    from ..formats.corefud.reader import Origin
    from ..scoring.token_alignment import describe_place

    if isinstance(doc.origin, Origin) and doc.origin.path:
        return Place(doc.origin.path, doc.origin.line_of(position))
    place = describe_place(doc, position)
    return replace(place, path=doc.origin.path) if isinstance(doc.origin, ReadFrom) else place


def files_below(path: str, format: str | None) -> list[File]:
    """Return the files of a path with their formats."""
    files = []
    for source, chosen in sources(path, format, annotated=True):
        source.close()
        below = os.path.relpath(str(source.path), path)
        name = "" if below == "." else below.removesuffix(".gz")
        ending = next((end for end in chosen.extensions if name.endswith(end)), "")
        files.append(File(str(source.path), chosen.name, Path(name.removesuffix(ending)).as_posix()))
    return files


def pair_paths(key: str, response: str, format: str | None = None, *, strict: bool = True) -> list[FilePair]:
    """Pair the files of key and response: those of two folders by name, otherwise all files together."""
    keys, responses = files_below(key, format), files_below(response, format)
    if not (as_path(key).is_dir() and as_path(response).is_dir()):
        return [FilePair(tuple(keys), tuple(responses))]
    by_name = {file.name: file for file in responses}
    if len(by_name) != len(responses) or len({file.name for file in keys}) != len(keys):
        by_name = {os.path.relpath(file.path, response): file for file in responses}
        keys = [replace(file, name=os.path.relpath(file.path, key)) for file in keys]
    for file in keys:
        if file.name not in by_name:
            raise CoindexError(
                (
                    f"no response file {quote(file.name)} for ",
                    Path(file.path),
                    "; each file of the key needs a response file of the same name",
                ),
                code="missing-file",
                path=response,
            )
    extra = sorted(by_name.keys() - {file.name for file in keys})
    if extra and strict:
        raise CoindexError(
            (
                f"{count(len(extra), 'response file')} without a key file of the same name in ",
                Path(key),
                "; remove them, or use --no-strict (strict=False in Python) to ignore them",
            ),
            code="extra-file",
            path=by_name[extra[0]].path,
        )
    if extra:
        shown = ", ".join(extra[:EXTRA_SHOWN]) + (" …" if len(extra) > EXTRA_SHOWN else "")
        text = f"{count(len(extra), 'response file')} without a key file ignored: {shown}"
        warnings.warn(DataWarning(text, code="extra-file", path=response), stacklevel=5)
    return [FilePair((file,), (by_name[file.name],), file.name) for file in keys]


def dataset_name(path: str) -> str:
    """Return the name of a file or folder, without extensions."""
    name = Path(os.path.abspath(path)).name.removesuffix(".gz")
    return name if as_path(path).is_dir() else name.rsplit(".", 1)[0] or name


def cut_pair(pair: FilePair, most: int) -> list[FilePair]:
    """Cut a pair into pieces of whole documents, of at most `most` bytes if possible, or return it as it is."""
    if len(pair.key) != 1 or len(pair.response) != 1:
        return [pair]
    (key,), (response,) = pair.key, pair.response
    find, find_other = get_format(key.format).borders, get_format(response.format).borders
    if find is None or find_other is None:
        return [pair]
    borders, others = find(Path(key.path)), find_other(Path(response.path))
    ids = [border.id for border in borders]
    if len(set(ids)) < len(ids) or ids != [border.id for border in others]:
        return [pair]  # reading it as a whole reports what is wrong
    starts = [0]
    for number, border in enumerate(borders):
        if border.offset - borders[starts[-1]].offset >= most:
            starts.append(number)
    pieces = []
    for number, start in enumerate(starts):
        stop = starts[number + 1] if number + 1 < len(starts) else len(borders)
        cut = []
        for file, own in ((key, borders), (response, others)):
            end = own[stop].offset if stop < len(own) else os.path.getsize(file.path)
            cut.append(replace(file, piece=Piece(own[start].offset, end, own[start].line, own[start].context)))
        pieces.append(FilePair((cut[0],), (cut[1],), pair.name))
    return pieces if borders else [pair]


def find_datasets(
    key: str | os.PathLike[str], response: str | os.PathLike[str], format: str | None = None
) -> dict[str, tuple[str, str]]:
    """Find the datasets of two folders: each file or folder in `key`, with the one of the same name in `response`.

    Two files are one dataset with the name of the key. Returns a dict from names to paths of key and response.
    """
    key, response = os.fspath(key), os.fspath(response)
    if not (as_path(key).is_dir() and as_path(response).is_dir()):
        return {dataset_name(key): (key, response)}
    datasets: dict[str, tuple[str, str]] = {}
    for pair in pair_paths(key, response, format):
        name, _, rest = pair.name.partition("/")
        datasets[name] = (
            (os.path.join(key, name), os.path.join(response, name))
            if rest
            else (pair.key[0].path, pair.response[0].path)
        )
    return datasets
