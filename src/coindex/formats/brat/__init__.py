"""brat: a plain text (.txt) and beside it what is said of its characters (.ann)."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..registry import Format, Head, Option, Role
from .reader import parts, read
from .writer import write

__all__ = ["FORMAT"]

_SETTINGS = {"annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf"}
_SPAN_LINE = re.compile(r"^T[0-9]+\t\S+ [0-9]+ [0-9]+(;[0-9]+ [0-9]+)*\t", re.MULTILINE)
_OTHER_LINE = re.compile(r"^([REAMN][0-9]+|#[0-9]*|\*)\t\S", re.MULTILINE)


def detect(head: Head) -> Role:
    suffix = head.path.suffix
    if head.path.name in _SETTINGS:
        return "part"
    if suffix == ".ann":
        is_blank = not head.text.strip()  # a text without annotations
        return "main" if is_blank or _SPAN_LINE.search(head.text) or _OTHER_LINE.match(head.text) else "no"
    if _SPAN_LINE.match(head.text):
        return "main"
    path = Path(head.path)
    has_annotations = any(os.path.isfile(path.with_suffix(end)) for end in (".ann", ".ann.gz"))
    return "part" if suffix == ".txt" and has_annotations else "no"


FORMAT = Format(
    name="brat",
    summary="brat standoff: .txt and .ann, chains as relations, equivalences or (LitBank) labels",
    carries=frozenset(
        {
            "spaces",
            "discontinuous",
            "self-crossing",
            "cross-sentence",
            "entities",
            "heads",
            "attributes",
            "types",
            "events",
        }
    ),
    extensions=(".ann",),
    detect=detect,
    read=read,
    write=write,
    is_folder=True,
    parts=parts,
    read_options=(
        Option(
            "relations",
            (),
            "names of the relations that mean identity, with commas between; by default those that hold "
            '"coref" or begin with "ident", in capitals or not',
        ),
    ),
)
