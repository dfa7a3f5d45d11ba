"""Resolved text: the text with names in place of pronouns and other anaphors. Write only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..document import Document
from ..document.documents import RESOLVED_OPTIONS
from ..render.resolved_text import parse_keep
from .registry import Format, Option
from .sink import Sink
from .text import write_texts


def write(
    docs: Iterable[Document],
    sink: Sink,
    *,
    keep: str = "",
    persons: str = "third",
    descriptions: str = "replaced",
    zeros: str = "left-out",
) -> None:
    """The resolved texts with a blank line between them."""
    options: Any = {"persons": persons, "descriptions": descriptions, "zeros": zeros}
    kept = parse_keep(keep)
    write_texts((doc.resolved_text(keep=kept, **options) for doc in docs), sink)


FORMAT = Format(
    name="resolved",
    summary="the text with pronouns and other anaphors replaced by the names of what they mean",
    carries=frozenset({"spaces"}),
    write=write,
    write_options=(
        Option("keep", (), "what stays as it is: START-END in characters, or an exact string; several with ; between"),
        Option("persons", RESOLVED_OPTIONS["persons"], "all: I, you and we are replaced too"),
        Option("descriptions", RESOLVED_OPTIONS["descriptions"], "whether 'the girl' becomes a name as well"),
        Option("zeros", RESOLVED_OPTIONS["zeros"], "inserted: names are put in for subjects that are left out"),
    ),
)
