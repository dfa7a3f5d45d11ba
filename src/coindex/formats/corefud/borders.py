"""Where documents begin in a CorefUD file, found without reading it, so that several processes can each read a part."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from ..detection import is_columns_line
from ..registry import Border
from ..source import BOM, HEAD

_NEWDOC = b"# newdoc"
_GLOBAL = b"# global.Entity"


def find_borders(path: Path) -> list[Border]:
    """The documents of a file in order; none where it must be read as a whole.

    That is where it is compressed, has odd line ends or columns of its own, or documents without ids.
    """
    if not path.is_file() or not path.stat().st_size:
        return []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:2] == b"\x1f\x8b" or data[:3] == BOM or b"\r" in data[:HEAD]:
            return []
        if is_columns_line(data[:HEAD].decode("utf-8", errors="replace")):  # the first line concerns all documents
            return []
        return _borders(data)


def _borders(data: mmap.mmap) -> list[Border]:
    """Everything before the second document belongs to the first."""
    comments = sorted([*_lines(data, _NEWDOC), *_lines(data, _GLOBAL)])
    borders: list[Border] = []
    context = ""
    line, counted = 1, 0
    for offset in comments:
        text = data[offset : _end(data, offset)].decode("utf-8", errors="replace")
        value = text.partition("=")[2].strip()
        if text.startswith(_GLOBAL.decode()):
            context = value
            continue
        if not value:
            return []
        start = data.rfind(b"\n\n", 0, offset) + 2 if borders else 0
        line += data[counted:start].count(b"\n")
        counted = start
        borders.append(Border(start, line, value, context))
    return borders


def _lines(data: mmap.mmap, start: bytes) -> Iterator[int]:
    """Where lines begin that start so."""
    if data[: len(start)] == start:
        yield 0
    at = data.find(b"\n" + start)
    while at >= 0:
        yield at + 1
        at = data.find(b"\n" + start, at + 1)


def _end(data: mmap.mmap, offset: int) -> int:
    end = data.find(b"\n", offset)
    return end if end >= 0 else len(data)
