"""The formats by name. A dull table: each name is a module here with a `FORMAT`, imported when it is needed."""

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
MAY_BE_EMPTY = ("brat", "text")  # a text without annotations has an .ann file of nothing
EMPTY = ("an empty file", "a document", "check how the file was made, or leave it out")
"""The problem of an empty file in all other formats: most often it was cut off."""
NO_DOCUMENT = ("no document", "at least one", EMPTY[-1])


class UnknownContentError(FormatError):
    """A file that no format knows; others that could not be detected are empty or broken."""


class Border(NamedTuple):
    """Where a document begins in a file: its byte and line, its id, what a reader must know of the lines before."""

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
    """A corpus format: how to know it, read it and write it, and what it can carry (see `losses.FEATURES`)."""

    name: str
    summary: str
    carries: frozenset[str]
    read: Callable[..., Iterator[Document]] | None = None
    write: Callable[..., None] | None = None
    is_folder: bool = False
    read_options: tuple[Option, ...] = field(default=())
    write_options: tuple[Option, ...] = field(default=())
    borders: Callable[[Path], list[Border]] | None = None
    """Finds where documents begin, for a format whose files can be read in pieces; nothing where this file cannot."""
    parts: Callable[[Path], Iterable[Path]] | None = None
    """Finds the other files that a file is read from, where they do not look like parts of this format themselves."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """The endings of its files' names."""
        return FORMATS[self.name].extensions

    def detect(self, head: Head) -> Role:
        """Return what a file is to this format."""
        return is_format(self.name, head)


def get_format(name: str) -> Format:
    """The format of that name."""
    if name not in NAMES:
        raise UnknownNameError("format", name, NAMES)
    found: Format = import_module(f"{__package__}.{name}").FORMAT
    return found


def all_formats() -> list[Format]:
    """Every format, in the order of detection."""
    return [get_format(name) for name in NAMES]


def detect(source: Source) -> tuple[Format, Role]:
    """The format of a source by its first bytes.

    A source of nothing but white space is an empty text, unless its name is that of a corpus: that is an error.
    """
    start = source.head()
    path = PurePath(source.name if source.path is None else source.path)
    if path.suffix == ".gz":
        path = path.with_suffix("")
    foreign = recognise(start)
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
            "content of no known format",
            "one of " + ", ".join(name for name, known in FORMATS.items() if known.detect is not None),
            "name the format with --from (format=… in Python)",
            code="unknown-content",
        )
    )


def _foreign_error(name: str, line: int | None, foreign: Foreign) -> FormatError:
    """A text in another encoding is broken; of other things no format knows anything."""
    problem = Problem(name, line, foreign.found, EXPECTED, foreign.remedy, code="foreign-content")
    return FormatError(problem) if foreign.is_text else UnknownContentError(problem)


def format_for_output(path: str, preferred: Format | None = None) -> Format:
    """The format that a file name asks for; where it fits several, the preferred one if that is among them."""
    fitting = output_formats(path)
    if len(fitting) > 1 and preferred is not None and preferred.name in fitting and not preferred.is_folder:
        return preferred
    if len(fitting) != 1:
        what = f"fits {' and '.join(fitting)}" if fitting else "does not tell the format"
        raise CoindexError(
            f"the name {what}; name the format with --to (format=… in Python)", code="unknown-output-format", path=path
        )
    return get_format(fitting[0])


def check_options(options: Mapping[str, str], known: tuple[Option, ...], format_name: str) -> None:
    """Refuse an option or value that the format does not have."""
    by_name = {option.name: option for option in known}
    for name, value in options.items():
        if name not in by_name:
            raise UnknownNameError(f"option of {format_name}", name, by_name)
        if by_name[name].choices and value not in by_name[name].choices:
            raise UnknownNameError(f"value of {format_name} option {name}", value, by_name[name].choices)
