"""Tag and file names of ECB+, and its list of fully annotated sentences (ECBplus_coreference_sentences.csv)."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from ...document import Kind
from ...errors import quote
from ..detection import ECB_SENTENCES
from ..source import Source

UNKNOWN = "UNKNOWN_INSTANCE_TAG"
"""The release's tag for instances of within-document chains; ours for whatever has no type."""
UNTYPED_EVENT = "ACTION"

_FILE = re.compile(r"([0-9]+)_[0-9]+(ecb|ecbplus)")


def kind_of(tag: str) -> Kind:
    """Tags of actions, negated ones too, are of events; times, places and participants are entities."""
    return "event" if tag.startswith(("ACTION", "NEG_ACTION")) else "entity"


def type_of(tag: str) -> str | None:
    return None if tag in (UNKNOWN, UNTYPED_EVENT) else tag


def topic_of(id: str) -> tuple[str | None, str | None]:
    """Topic and subtopic by the document's name: 1_10ecbplus is of topic 1, subtopic 1_ecbplus."""
    name = _FILE.fullmatch(id)
    return (name[1], f"{name[1]}_{name[2]}") if name else (None, None)


def is_number(text: str) -> bool:
    """Whether it is a plain number of sane size (int() takes more than that)."""
    return text.isascii() and text.isdigit() and len(text) < 10


FOLDERS_ABOVE = 3


def validated_sentences(source: Source, id: str) -> frozenset[int] | None:
    """The numbers of the document's validated sentences; None where there is no list."""
    path = _find_list(source.path)
    if path is None:
        return None
    about = path.stat()
    by_document, bad_lines = _read_list(path, about.st_mtime_ns, about.st_size)
    for line, text in bad_lines:
        source.sibling(path).problem(
            line,
            f"the row {quote(text)}",
            "topic,file,sentence number",
            "correct the row, or read all sentences (option sentences=all)",
            code="invalid-line",
            fragment=text,
        )
    return by_document.get(id, frozenset())


def _find_list(path: Path | None) -> Path | None:
    if path is None:
        return None
    for folder in path.absolute().parents[: FOLDERS_ABOVE + 1]:
        if os.path.isfile(candidate := folder / ECB_SENTENCES):
            return candidate
    return None


@lru_cache(maxsize=4)
def _read_list(path: Path, modified: int, size: int) -> tuple[dict[str, frozenset[int]], tuple[tuple[int, str], ...]]:
    """Read once for all documents of a corpus, and again when the file changes."""
    source = Source(path)
    try:
        text = source.read_bytes().decode("utf-8-sig", errors="replace")
    finally:
        source.close()
    by_document: dict[str, set[int]] = {}
    bad: list[tuple[int, str]] = []
    for line, row in enumerate(text.splitlines(), 1):
        cells = [cell.strip(' \t"') for cell in row.split(",")]  # three cells of the release end in blanks
        if not row.strip() or (line == 1 and cells[:1] == ["Topic"]):
            continue
        if len(cells) != 3 or not is_number(cells[2]):
            bad.append((line, row))
            continue
        by_document.setdefault(f"{cells[0]}_{cells[1]}", set()).add(int(cells[2]))
    return {id: frozenset(numbers) for id, numbers in by_document.items()}, tuple(bad)
