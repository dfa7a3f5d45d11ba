"""brat: a plain text (.txt) and beside it what is said of its characters (.ann)."""

from __future__ import annotations

from ..registry import Format, Option
from .reader import parts, read
from .writer import write

__all__ = ["FORMAT"]


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
