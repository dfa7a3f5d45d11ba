"""Key and response as files, folders or documents, brought together."""

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
from ..formats.source import Piece, Source
from .files import read_source, sources

if TYPE_CHECKING:
    from ..scoring import Settings

Documents = str | os.PathLike[str] | Document | Iterable[Document]
"""What can be scored: a path, a document, or several."""

STDIN = "-"
EXTRA_SHOWN = 10
PASSED_OVER = frozenset(
    {"unclosed-mention", "duplicate-sentence-id", "invalid-relation", "mixed-line-ends", "carriage-return"}
)
"""Codes of problems of a file that the official scorers pass over too; at all others they stop as well."""


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """The origin of a document whose format keeps none: its file, for messages."""

    path: str


@dataclass(frozen=True, slots=True)
class File:
    """A file of a side, or a piece of one; `name` is its path below the folder that was given, without its endings."""

    path: str
    format: str
    name: str = ""
    piece: Piece | None = None


@dataclass(frozen=True, slots=True)
class FilePair:
    """Files whose documents are scored together, usually one and the response to it."""

    key: tuple[File, ...]
    response: tuple[File, ...]
    name: str = ""


class Problems:
    """What is wrong with files: an error, or without `strict` collected where official scorers pass over it."""

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.found: list[Problem] = []

    def __call__(self, problem: Problem) -> None:
        if problem.severity == "error":
            if self.strict or problem.code not in PASSED_OVER:
                raise FormatError(problem)
            self.found.append(problem)


class Reading(Iterable[Document]):
    """The documents of files, read anew each time; remembers how many entities they had and what was passed over."""

    def __init__(self, files: Sequence[File], options: Mapping[str, str], settings: Settings) -> None:
        self.files = files
        self.options = options
        self.settings = settings
        self.entities = 0
        self._on_problem = Problems(strict=settings.strict)

    @property
    def problems(self) -> list[Problem]:
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
    """The documents of a source, which know where they are from."""
    if format.name == "conll2012" and settings.rules == "conll-8.01":
        options = {"columns": "any", **options}  # its own test files have rows of two columns, and uneven ones
    if "entities" not in format.carries:
        remedy = "give a file with entities; name its format with --from (format=… in Python) if this is one"
        found = f"{format.name}, a format without entities"
        raise FormatError(Problem(source.name, None, found, "a key or response", remedy, code="no-entities"))
    for doc in read_source(source, format, options):
        if doc.id is None and doc.entities and format.name == "corefud":
            remedy = "add a line '# newdoc id = NAME' before the first sentence"
            found, expected = "entities before any # newdoc", "a document with an id"
            raise FormatError(Problem(source.name, 1, found, expected, remedy, code="missing-document-id"))
        yield doc if doc.origin is not None else doc.replace(origin=ReadFrom(source.name))


def read_stdin(format: str | None, options: Mapping[str, str], settings: Settings) -> list[Document]:
    """The documents of standard input."""
    ((source, found),) = sources(STDIN, format, on_problem=Problems(strict=settings.strict))
    return list(_read(source, found, options, settings))


class Given(Iterable[Document]):
    """Documents that were given as such; remembers how many entities they had."""

    def __init__(self, docs: Document | Iterable[Document], side: str) -> None:
        self.docs = [docs] if isinstance(docs, Document) else docs
        self.side = side
        self.entities = 0
        self.problems: list[Problem] = []
        self._is_spent = False

    def __iter__(self) -> Iterator[Document]:
        if self._is_spent:
            raise CoindexError(
                f"{self.side}: two documents of one id stand apart, which takes a second look at all of them; "
                "give paths or lists, not iterators, or rename the documents",
                code="scattered-documents",
            )
        self._is_spent = iter(self.docs) is self.docs
        self.entities = 0
        for doc in self.docs:
            check_document(doc, self.side)
            self.entities += len(doc.entities)
            yield doc


def locate(doc: Document, position: int) -> Place:
    """Return where a position is: the file and line where they are known, else file, document, sentence and word."""
    from ..formats.corefud.reader import Origin
    from ..scoring.token_alignment import describe_place

    if isinstance(doc.origin, Origin) and doc.origin.path:
        return Place(doc.origin.path, doc.origin.line_of(position))
    place = describe_place(doc, position)
    return replace(place, path=doc.origin.path) if isinstance(doc.origin, ReadFrom) else place


def files_below(path: str, format: str | None) -> list[File]:
    """The files of a path with their formats."""
    found = []
    for source, chosen in sources(path, format, annotated=True):
        source.close()
        below = os.path.relpath(str(source.path), path)
        name = "" if below == "." else below.removesuffix(".gz")
        ending = next((end for end in chosen.extensions if name.endswith(end)), "")
        found.append(File(str(source.path), chosen.name, Path(name.removesuffix(ending)).as_posix()))
    return found


def pair_paths(key: str, response: str, format: str | None = None, *, strict: bool = True) -> list[FilePair]:
    """The files of both sides: of two folders those of the same name, whatever their format, else all with all."""
    keys, responses = files_below(key, format), files_below(response, format)
    if not (Path(key).is_dir() and Path(response).is_dir()):
        return [FilePair(tuple(keys), tuple(responses))]
    by_name = {file.name: file for file in responses}
    if len(by_name) != len(responses) or len({file.name for file in keys}) != len(keys):
        by_name = {os.path.relpath(file.path, response): file for file in responses}
        keys = [replace(file, name=os.path.relpath(file.path, key)) for file in keys]
    for file in keys:
        if file.name not in by_name:
            raise CoindexError(
                f"no file {quote(file.name)}; expected a response to {{key}}; "
                "give a file of the same name for each file of the key",
                code="missing-file",
                path=response,
                details={"key": Path(file.path)},
            )
    extra = sorted(by_name.keys() - {file.name for file in keys})
    if extra and strict:
        raise CoindexError(
            f"a response to nothing ({len(extra)} such files); expected only files whose "
            "names are in {key}; remove it; --no-strict (strict=False) passes over it",
            code="extra-file",
            path=by_name[extra[0]].path,
            details={"key": Path(key)},
        )
    if extra:
        shown = ", ".join(extra[:EXTRA_SHOWN]) + (" …" if len(extra) > EXTRA_SHOWN else "")
        text = f"{count(len(extra), 'response file')} without a key file, left out: {shown}"
        warnings.warn(DataWarning(text, code="extra-file", path=response), stacklevel=5)
    return [FilePair((file,), (by_name[file.name],), file.name) for file in keys]


def dataset_name(path: str) -> str:
    """What a file or folder is called, without its endings."""
    name = Path(os.path.abspath(path)).name.removesuffix(".gz")
    return name if os.path.isdir(path) else name.rsplit(".", 1)[0] or name


def cut_pair(pair: FilePair, most: int) -> list[FilePair]:
    """The pair in pieces of some documents each, at most that many bytes if possible; itself where it cannot be cut."""
    if len(pair.key) != 1 or len(pair.response) != 1:
        return [pair]
    (key,), (response,) = pair.key, pair.response
    find, find_other = get_format(key.format).borders, get_format(response.format).borders
    if find is None or find_other is None:
        return [pair]
    borders, others = find(Path(key.path)), find_other(Path(response.path))
    ids = [border.id for border in borders]
    if len(set(ids)) < len(ids) or ids != [border.id for border in others]:
        return [pair]  # to be read as a whole, which tells what is wrong
    starts = [0]
    for number, border in enumerate(borders):
        if border.offset - borders[starts[-1]].offset >= most:
            starts.append(number)
    pieces = []
    for number, start in enumerate(starts):
        stop = starts[number + 1] if number + 1 < len(starts) else len(borders)
        cut = []
        for file, found in ((key, borders), (response, others)):
            end = found[stop].offset if stop < len(found) else os.path.getsize(file.path)
            cut.append(replace(file, piece=Piece(found[start].offset, end, found[start].line, found[start].context)))
        pieces.append(FilePair((cut[0],), (cut[1],), pair.name))
    return pieces if borders else [pair]


def find_datasets(
    key: str | os.PathLike[str], response: str | os.PathLike[str], format: str | None = None
) -> dict[str, tuple[str, str]]:
    """The datasets of two folders: each file or folder right below the key's, and that of its name in the response's.

    Two files are one dataset, named like the key.
    """
    key, response = os.fspath(key), os.fspath(response)
    if not (os.path.isdir(key) and os.path.isdir(response)):
        return {dataset_name(key): (key, response)}
    found: dict[str, tuple[str, str]] = {}
    for pair in pair_paths(key, response, format):
        name, _, rest = pair.name.partition("/")
        found[name] = (
            (os.path.join(key, name), os.path.join(response, name))
            if rest
            else (pair.key[0].path, pair.response[0].path)
        )
    return found
