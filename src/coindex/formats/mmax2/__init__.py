"""MMAX2: a .mmax file that names its words, and levels of markables on them in files of their own."""

from __future__ import annotations

from ..registry import Format
from .reader import read
from .writer import write

__all__ = ["FORMAT"]


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
    read=read,
    write=write,
    is_folder=True,
)
