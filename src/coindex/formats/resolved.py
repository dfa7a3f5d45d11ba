"""Resolved text: the text with names in place of pronouns and other anaphors. Write only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from ..document import Document
from ..document.resolved import Persons, parse_keep, resolved_text
from .registry import Format, Head, Option, Role
from .sink import Sink
from .text import write_texts


def detect(head: Head) -> Role:
    """Never: a text that is read is raw text."""
    return "no"


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
    kept = parse_keep(keep)
    texts = (
        resolved_text(
            doc,
            keep=kept,
            persons=cast(Persons, persons),
            nominals=descriptions == "replaced",
            zeros=zeros == "inserted",
        )
        for doc in docs
    )
    write_texts(texts, sink)


FORMAT = Format(
    name="resolved",
    summary="the text with pronouns and other anaphors replaced by the names of what they mean",
    carries=frozenset({"spaces"}),
    extensions=(".resolved.txt",),
    detect=detect,
    write=write,
    write_options=(
        Option("keep", (), "what stays as it is: START-END in characters, or an exact string; several with ; between"),
        Option("persons", ("third", "all"), "all: I, you and we are replaced too"),
        Option("descriptions", ("replaced", "kept"), "whether 'the girl' becomes a name as well"),
        Option("zeros", ("left-out", "inserted"), "inserted: names are put in for subjects that are left out"),
    ),
)
