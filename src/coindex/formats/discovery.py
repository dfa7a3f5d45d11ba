"""Decide for every file of a folder, or of a list, whether it is read, and in which format."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ..errors import CoindexError
from .detection import Role
from .registry import TABLES, Format, UnknownContentError, detect
from .remote import RemotePath
from .source import Source
from .text import is_named_text, name_ending

Status = Literal["read", "part", "ignored", "skipped", "failed"]
"""`read`: read it with `format`. `part`: it belongs to a file that is read. `ignored`: left out as expected.
`skipped`: left out because no reader fits. `failed`: it cannot be opened, or is broken."""

# Files that describe a corpus. They are ignored if there is anything else to read.
_ABOUT = re.compile(
    r"(?:(?i:readme|licen[sc]e(?:data)?|copying|changelog)|NOTICE|AUTHORS|CITATION|CONTRIBUTING)"
    r"(?:[-_]\w+)?(?:\.\w+)*"
)
_SCHEMAS = frozenset({".dtd", ".xsd", ".rng", ".rnc", ".xsl", ".xslt", ".css"})
_OF_THE_SYSTEM = frozenset(
    {"__MACOSX", "Thumbs.db", "desktop.ini", "_SUCCESS", "_metadata", "_common_metadata", "_temporary"}
)
"""Files that systems, and Spark beside the files of a table, leave in a folder."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file and what to do with it; `reason` explains every status except `read`."""

    path: Path
    status: Status
    format: Format | None = None
    reason: str = ""
    error: CoindexError | None = None
    """The error that is reported for a `failed` file."""
    remedy: str = ""
    """What the user can do about a file that is `skipped` because of its content."""
    owner: Path | None = None
    """The file that a `part` is read with."""


def find_files(folder: Path, wanted: Format | None = None) -> list[InputFile]:
    """Return all files below a folder in the order of their names, except hidden files.

    The format of each file is detected separately, so a folder may mix formats. With `wanted`, files of other known
    formats are `ignored`.
    """
    seen = sorted(_walk(folder), key=lambda entry: entry.path)
    files = [_examine(entry.path, wanted) if entry.status == "read" else entry for entry in seen]
    others = _Others(files)
    return [_settle(file, others) for file in files]


def classify_files(paths: Iterable[Path], wanted: Format | None = None) -> list[InputFile]:
    """Return what to do with files that were given one by one: all are read except parts of others in the list.

    A file in no known format is `failed` here, because it was requested explicitly.
    """
    files = [_examine_named(path, wanted) for path in paths]
    others = _Others(files)
    return [_settle_named(file, others) for file in files]


def _walk(folder: Path) -> Iterator[InputFile]:
    """Return all entries below a folder; `read` means that the content decides."""
    if isinstance(folder, RemotePath):
        for file in folder.files():
            if not any(map(_is_hidden, file.relative_to(folder.base).parts)):
                yield InputFile(file, "read")
        return
    broken: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=broken.append):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        for name in folders:
            path = Path(place, name)
            if path.is_symlink():
                yield InputFile(path, "skipped", reason="a link to a folder; give that folder as a separate input")
        for name in names:
            path = Path(place, name)
            if _is_hidden(name):
                continue
            if path.is_file():
                yield InputFile(path, "read")
            elif path.is_symlink() and not path.exists():
                yield _make_failure(
                    path,
                    CoindexError("a broken link; restore its target or remove it", code="broken-link", path=path),
                )
            else:
                yield InputFile(path, "skipped", reason="not a regular file")
    for error in broken:
        path = Path(os.fsdecode(error.filename))
        yield _make_failure(path, CoindexError(f"cannot be read: {error.strerror}", code="unreadable-file", path=path))


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name in _OF_THE_SYSTEM


def _make_failure(path: Path, error: CoindexError) -> InputFile:
    return InputFile(path, "failed", reason=error.message, error=error)


def _detect(path: Path) -> tuple[Format, Role]:
    source = Source(path)
    try:
        return detect(source)
    finally:
        source.close()


def _examine(path: Path, wanted: Format | None) -> InputFile:
    """Return the status of a file of a folder by its content and name."""
    try:
        format, role = _detect(path)
    except UnknownContentError as error:
        return _examine_unknown(path, wanted, error)
    except CoindexError as error:
        return _make_failure(path, error)
    if wanted is not None and format.name != wanted.name:
        is_table = wanted.name == "table" and format.name in TABLES
        if is_table or ({"text", "table"} & {format.name, wanted.name} and is_named(path, wanted)):
            return InputFile(path, "read", wanted)
        return InputFile(path, "ignored", format, f"{format.name}, not {wanted.name}")
    if format.name == "text" and wanted is None and not is_named(path, format):
        return InputFile(path, "skipped", format, f"plain text in a {name_ending(path)} file; --from text reads it")
    return InputFile(path, "part" if role == "part" else "read", format)


def _examine_unknown(path: Path, wanted: Format | None, error: UnknownContentError) -> InputFile:
    if wanted is not None and is_named(path, wanted):
        return InputFile(path, "read", wanted)  # reading it reports what is wrong
    if path.suffix.lower() in _SCHEMAS:
        return InputFile(path, "ignored", reason="a schema or style sheet")
    return InputFile(path, "skipped", reason=error.problem.found, remedy=error.problem.remedy)


def _examine_named(path: Path, wanted: Format | None) -> InputFile:
    if wanted is not None:
        return InputFile(path, "read", wanted)
    try:
        format, role = _detect(path)
    except CoindexError as error:
        return _make_failure(path, error)
    return InputFile(path, "part" if role == "part" else "read", format)


def is_named(path: Path, format: Format) -> bool:
    """Return whether a file has the name of a file in this format."""
    if format.name == "text":
        return is_named_text(path)
    return path.name.removesuffix(".gz").endswith(format.extensions)


class _Others:
    """The other files of a folder or list that the status of a file may depend on."""

    def __init__(self, files: Sequence[InputFile]) -> None:
        read = [(file, file.format) for file in files if file.status == "read" and file.format is not None]
        self.formats = {format.name for _, format in read}
        self.has_more = any(not _is_about(file) for file, _ in read)
        self._owners = {
            os.path.abspath(part): file.path
            for file, format in read
            if format.parts is not None
            for part in format.parts(file.path)
        }

    def owner(self, path: Path) -> Path | None:
        """Return the file that is read together with this one."""
        owner = self._owners.get(os.path.abspath(path))
        return None if owner == path else owner


def _settle(file: InputFile, others: _Others) -> InputFile:
    """Return the final status of a file, given the other files of its folder."""
    if others.has_more and _is_about(file) and file.status in ("read", "skipped"):
        return replace(file, status="ignored", reason="describes the other files")
    if file.status not in ("read", "part"):
        return file
    assert file.format is not None
    if owner := others.owner(file.path):
        return replace(file, status="part", reason=f"read with {owner}", owner=owner)
    if file.status == "part":
        if file.format.name in others.formats:
            return replace(file, reason=f"belongs to the {file.format.name} files beside it")
        reason = f"belongs to a file in {file.format.name} format, which is missing or cannot be read"
        return replace(file, status="skipped", reason=reason)
    return file


def _settle_named(file: InputFile, others: _Others) -> InputFile:
    if owner := others.owner(file.path):
        return replace(file, status="part", reason=f"read with {owner}", owner=owner)
    if file.status != "part":
        return file
    assert file.format is not None
    if file.format.parts is None and file.format.name in others.formats:
        return replace(file, reason=f"belongs to the {file.format.name} files beside it")
    return replace(file, status="read")  # the reader finds its other file, or reports that it is missing


def _is_about(file: InputFile) -> bool:
    return (file.format is None or file.format.name == "text") and _ABOUT.fullmatch(file.path.name) is not None
