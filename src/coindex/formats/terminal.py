"""Terminal: coloured text with brackets around mentions. Write only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from ..document import Document
from ..errors import CoindexError
from .losses import FEATURES
from .registry import Format, Option
from .sink import Sink

MOST_COLUMNS = 10_000


def write(
    docs: Iterable[Document],
    sink: Sink,
    *,
    colour: str = "auto",
    singletons: str = "shown",
    width: str = "",
) -> None:
    """Write the documents, by default with the colours and width of the terminal."""
    from ..render.terminal import Colour, show  # rich is slow to load

    show(
        docs,
        sink.stream,
        colour=cast(Colour, colour),
        singletons=singletons == "shown",
        width=_columns(width),
    )


def _columns(width: str) -> int | None:
    if not width:
        return None
    if not (width.isascii() and width.isdigit() and 0 < int(width[:9]) <= MOST_COLUMNS):
        raise CoindexError(
            f"width {width!r} of terminal; expected a number of columns, such as 80", code="invalid-option"
        )
    return int(width)


FORMAT = Format(
    name="terminal",
    summary="coloured text with brackets around mentions, for the terminal",
    carries=frozenset(FEATURES)
    - {"columns", "extra-columns", "multiwords", "heads", "attributes", "types", "entity-attributes"},
    write=write,
    write_options=(
        Option("colour", ("auto", "always", "never"), "auto: only in a terminal, and not if NO_COLOR is set"),
        Option("singletons", ("shown", "hidden"), "whether to show singletons"),
        Option("width", (), "columns; default: the width of the terminal, 100 in a file"),
    ),
)
