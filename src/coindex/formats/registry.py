"""The registry of formats: each name is a module of this package with a `FORMAT`, imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path, PurePath
from typing import NamedTuple

from ..document import Document
from ..errors import CoindexError, FormatError, Problem, UnknownNameError
from .detection import FORMATS, Head, Role, detect_format, is_format, output_formats
from .foreign import EXPECTED, Foreign, recognise, recognise_text
from .source import Source

NAMES = tuple(FORMATS)
MAY_BE_EMPTY = ("brat", "text")  # a text without annotations has an empty .ann file
TABLES = ("parquet", "arrow", "table")
"""The formats of tables, which may have no rows: programs that write shards leave some of them empty."""
EMPTY = ("an empty file", "a document", "check how the file was made, or leave it out")
"""The problem of an empty file in all other formats: usually it was truncated."""
NO_DOCUMENT = ("no document", "at least one", EMPTY[-1])


class UnknownContentError(FormatError):
    """A file in no known format; other files that cannot be detected are empty or damaged."""


class Border(NamedTuple):
    """The start of a document in a file: its byte and line, its id, and the context that a reader needs."""

    offset: int
    line: int
    id: str
    context: str


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that a reader or writer offers, with its default first."""

    name: str
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Format:
    """A corpus format: how to detect, read and write it, and what it can represent (see `losses.FEATURES`)."""

    name: str
    summary: str
    carries: frozenset[str]
    read: Callable[..., Iterator[Document]] | None = None
    write: Callable[..., None] | None = None
    is_folder: bool = False
    read_options: tuple[Option, ...] = field(default=())
    write_options: tuple[Option, ...] = field(default=())
    borders: Callable[[Path], list[Border]] | None = None
    """Finds where documents begin, if files of the format can be read in pieces; empty if this file cannot."""
    folder_options: tuple[str, ...] = ()
    """The options with which the writer creates a folder of files."""
    parts: Callable[[Path], Iterable[Path]] | None = None
    """Finds the other files that a file is read with, if they cannot be detected as parts of this format."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """The extensions of its files."""
        return FORMATS[self.name].extensions

    def writes_folder(self, options: Iterable[str]) -> bool:
        """Return whether the output with these options is a folder of files."""
        return self.is_folder or any(name in self.folder_options for name in options)

    def detect(self, head: Head) -> Role:
        """Return the role of a file in this format."""
        return is_format(self.name, head)


def get_format(name: str) -> Format:
    """Return the format with a name; raise UnknownNameError if there is none."""
    if name not in NAMES:
        raise UnknownNameError("format", name, NAMES)
    format: Format = import_module(f"{__package__}.{name}").FORMAT
    return format


def all_formats() -> list[Format]:
    """Return all formats in the order of detection."""
    return [get_format(name) for name in NAMES]


def detect(source: Source) -> tuple[Format, Role]:
    """Return the format of a source, detected from its first bytes.

    A source of white space only is an empty text, unless it has the name of a corpus, which is an error.
    """
    start = source.head()
    path = PurePath(source.name) if source.path is None else source.path
    if path.suffix == ".gz":
        path = path.with_suffix("")
    foreign = recognise(start)
    if foreign is not None and foreign.format is not None:
        return get_format(foreign.format), "main"
    if foreign is not None:
        raise _foreign_error(source.name, None, foreign)
    head = Head(path, start.decode("utf-8", errors="replace").removeprefix("\ufeff"))
    detected = detect_format(head)
    if detected is not None:
        return get_format(detected[0]), detected[1]
    if not start.strip():
        raise FormatError(Problem(source.name, 1, *EMPTY, code="empty-file"))
    foreign = recognise_text(path, head.text)
    if foreign is not None:
        raise _foreign_error(source.name, 1, foreign)
    raise UnknownContentError(
        Problem(
            source.name,
            1,
            "content that fits no known format",
            "one of "
            + ", ".join(name for name, known in FORMATS.items() if known.detect is not None and name not in TABLES),
            "name the format with --from (format=… in Python)" + _table_hint(path),
            code="unknown-content",
        )
    )


def _table_hint(path: PurePath) -> str:
    """Return what to do with the content if its name is that of a table of texts."""
    is_table = path.name.endswith(FORMATS["table"].extensions)
    return "; of a table, name the text column with --text-column (text_column=… in Python)" if is_table else ""


def input_format(format: str | None, options: Mapping[str, str]) -> str | None:
    """Return the format to read: `table` if the text column of a table is named, otherwise as given."""
    is_table = "text_column" in options and format in (None, *TABLES, "json", "jsonlines", "csv")
    return "table" if is_table else format


def _foreign_error(name: str, line: int | None, foreign: Foreign) -> FormatError:
    """Return the error for a foreign file: text in another encoding is damaged, everything else is unknown."""
    problem = Problem(name, line, foreign.found, EXPECTED, foreign.remedy, code="foreign-content")
    return FormatError(problem) if foreign.is_text else UnknownContentError(problem)


def format_for_output(path: str, preferred: Format | None = None) -> Format:
    """Return the format of an output by its name; if several fit, the preferred one if it is among them."""
    fitting = output_formats(path)
    if len(fitting) > 1 and preferred is not None and preferred.name in fitting and not preferred.is_folder:
        return preferred
    if len(fitting) != 1:
        what = f"fits {' and '.join(fitting)}" if fitting else "does not identify the format"
        raise CoindexError(
            f"the name {what}; name the format with --to (format=… in Python)", code="unknown-output-format", path=path
        )
    return get_format(fitting[0])


def check_options(options: Mapping[str, str], known: tuple[Option, ...], format_name: str) -> None:
    """Raise UnknownNameError for an option or value that the format does not have."""
    by_name = {option.name: option for option in known}
    for name, value in options.items():
        if name not in by_name:
            raise UnknownNameError(f"option of {format_name}", name, by_name)
        if by_name[name].choices and value not in by_name[name].choices:
            raise UnknownNameError(f"value of {format_name} option {name}", value, by_name[name].choices)
