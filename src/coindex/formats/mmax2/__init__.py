"""MMAX2: a .mmax file that names its words, and levels of markables on them in files of their own."""

from __future__ import annotations

import re

from ..registry import Format, Head, Role
from .reader import read
from .writer import write

__all__ = ["FORMAT"]

_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)")
_PARTS = {"words", "markables", "common_paths", "annotationscheme", "customization"}


def detect(head: Head) -> Role:
    root = _ROOT.search(head.text)
    if root is None or not head.text.lstrip().startswith("<"):
        return "no"
    if root[1] == "mmax_project":
        return "main"
    return "part" if root[1] in _PARTS else "no"


FORMAT = Format(
    name="mmax2",
    summary="MMAX2 projects: words and markable levels, chains by pointers or sets",
    carries=frozenset(
        {
            "sentences",
            "speakers",
            "discontinuous",
            "self-crossing",
            "cross-sentence",
            "entities",
            "heads",
            "attributes",
            "types",
            "events",
            "split-antecedents",
        }
    ),
    extensions=(".mmax",),
    detect=detect,
    read=read,
    write=write,
    is_folder=True,
)
