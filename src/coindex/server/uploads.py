"""Read uploaded files: the format of each file is detected, and all files are read or none."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import IO

from ..corpora.files import read_source
from ..document import Document
from ..errors import CoindexError, CoindexWarning, Problem, ShowPath, quote
from ..formats.archives import Unpacker
from ..formats.discovery import InputFile, classify_files, find_files
from ..formats.registry import Format, get_format
from ..formats.source import Source

_warning = RLock()  # warning filters are global for all threads


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress the warnings of coindex."""
    with _warning, warnings.catch_warnings():
        warnings.simplefilter("ignore", CoindexWarning)
        yield


SHOWN = 10
"""How many problems a message lists."""


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """An uploaded file: its format if known, its number of documents, and its problems."""

    name: str
    format: str = ""
    documents: int = 0
    note: str = ""
    """Why no document is read from it, if that is expected: the text of annotations, a README."""
    problems: tuple[str, ...] = ()
    """Problems that prevent the import, each with the name of the file and the line."""


@dataclass(frozen=True, slots=True)
class Upload:
    """The uploaded files and their documents; if any file has a problem, there are no documents."""

    files: tuple[UploadedFile, ...]
    docs: tuple[Document, ...] = ()

    @property
    def problems(self) -> list[str]:
        return [problem for file in self.files for problem in file.problems]

    def check(self) -> None:
        """Raise an error that lists the problems, if there are any."""
        if problems := self.problems:
            more = f" … and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
            raise CoindexError(" | ".join(problems[:SHOWN]) + more, code="invalid-upload")


def read_files(files: Iterable[tuple[str, IO[bytes], int]], folder: Path, format: str | None = None) -> Upload:
    """Unpack files (name, content, size) into an empty folder and read the documents of all of them.

    Every file that was chosen individually must contain documents or belong to a file that does; a zip archive may also
    contain files that describe a corpus and, with a `format`, files of other formats. Documents without words are
    refused.
    """
    unpacker = Unpacker(folder)  # all in one folder: a text and its annotation may be two files
    for name, file, size in files:
        unpacker.take(name, file, size)
    wanted = None if format is None else get_format(format)
    if unpacker.unpacked_archive:
        input_files = find_files(folder, wanted)
    else:
        input_files = classify_files(sorted(path for path in folder.rglob("*") if path.is_file()), wanted)
    return _read_all(input_files, folder, needs_words=True)


def read_folder(folder: Path) -> Upload:
    """Read the documents of all files below a folder."""
    return _read_all(find_files(folder), folder, needs_words=False)


def _read_all(files: Sequence[InputFile], folder: Path, *, needs_words: bool) -> Upload:
    if not files:
        raise CoindexError("the upload contains no files; choose at least one", code="nothing-given")
    with quiet():
        read = [_read(file, folder, needs_words=needs_words) for file in files]
    reported = tuple(file for file, _ in read)
    docs = tuple(doc for _, docs in read for doc in docs)
    if any(file.problems for file in reported):
        return Upload(reported)
    if not docs:
        return Upload(tuple(replace(file, problems=(f"{file.name}: {file.note}",)) for file in reported))
    return Upload(reported, docs)


def _read(file: InputFile, folder: Path, *, needs_words: bool) -> tuple[UploadedFile, list[Document]]:
    """Read the documents of one file; none if it has a problem."""
    name = file.path.relative_to(folder).as_posix()

    def show(path: str) -> str:
        return path.removeprefix(f"{folder}/")

    report = UploadedFile(name, "" if file.format is None else file.format.name)
    if file.status in ("part", "ignored"):
        return replace(report, note=file.reason if file.owner is None else f"read with {show(str(file.owner))}"), []
    docs: list[Document] = []
    if file.status != "read" or file.format is None:
        reason = f"{name}: {'; '.join(filter(None, [file.reason, file.remedy]))}"
        wrong = [reason if file.error is None else file.error.text(show)]
    else:
        docs, wrong = _documents(file.path, file.format, show)
        if not wrong and needs_words:
            wrong = [f"{name}: {_empty_text(doc)}" for doc in docs if not len(doc.tokens)]
    return replace(report, documents=len(docs), problems=tuple(wrong)), docs


def _empty_text(doc: Document) -> str:
    return f"document {quote(doc.id or '')} is empty; remove it or add text"


def _documents(path: Path, format: Format, show: ShowPath) -> tuple[list[Document], list[str]]:
    """Return the documents of a file and its problems."""
    docs: list[Document] = []
    problems: list[Problem] = []
    try:
        docs += read_source(Source(path, on_problem=problems.append), format, {})
        stopped = []
    except CoindexError as error:
        stopped = [error.text(show)]
    return docs, [problem.text(show) for problem in problems if problem.severity == "error"] + stopped
