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
    """Write the resolved texts, separated by a blank line."""
    options: Any = {"persons": persons, "descriptions": descriptions, "zeros": zeros}
    kept = parse_keep(keep)
    write_texts((doc.resolved_text(keep=kept, **options) for doc in docs), sink)


FORMAT = Format(
    name="resolved",
    summary="the text with pronouns and other anaphors replaced by the names of their entities",
    carries=frozenset({"spaces"}),
    write=write,
    write_options=(
        Option(
            "keep", (), "text to leave unchanged: START-END in characters, or an exact string; separate several with ;"
        ),
        Option("persons", RESOLVED_OPTIONS["persons"], "all: I, you and we are replaced too"),
        Option("descriptions", RESOLVED_OPTIONS["descriptions"], "whether 'the girl' becomes a name as well"),
        Option("zeros", RESOLVED_OPTIONS["zeros"], "inserted: names are inserted for dropped subjects"),
    ),
)
