"""CSV: a row for each mention, for spreadsheets and statistics. Write only."""

from __future__ import annotations

import csv
from collections.abc import Iterable

from ..document import Document
from ..render.mention_table import COLUMNS, Value, mention_rows
from .registry import Format, Option
from .sink import Sink

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def write(docs: Iterable[Document], sink: Sink, *, formulas: str = "guarded") -> None:
    """Write a header, then the mentions in reading order; rows end in CR LF, as in RFC 4180."""
    rows = csv.writer(sink.stream)
    rows.writerow(COLUMNS)
    for row in mention_rows(docs):
        rows.writerow(_cell(row[column], guarded=formulas == "guarded") for column in COLUMNS)


def _cell(value: Value, *, guarded: bool) -> Value:
    """Return a value as it is written: empty for None, true and false in lower case."""
    if isinstance(value, bool):
        return "true" if value else "false"
    # A spreadsheet would evaluate text that begins like a formula; an apostrophe before it makes it text.
    if guarded and isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value


FORMAT = Format(
    name="csv",
    summary="a table with a row for each mention, for spreadsheets and statistics",
    carries=frozenset({"zeros", "discontinuous", "self-crossing", "cross-sentence", "entities", "heads", "types"})
    | {"events"},
    write=write,
    write_options=(
        Option(
            "formulas",
            ("guarded", "kept"),
            "guarded: an apostrophe before text that a spreadsheet would evaluate as a formula",
        ),
    ),
)
