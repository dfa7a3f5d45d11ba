"""A table as a pandas frame."""

from __future__ import annotations

from typing import Any

from ...errors import MissingExtraError
from ..tables import Table
from .data import keys_of


def to_frame(table: Table) -> Any:
    """A row for each row: its keys, then its numbers as they are; `attrs["signatures"]` has what they are made by.

    Where rows differ in their signatures, a last column tells that of each.
    """
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError("pandas", "pandas") from error
    names = [column.name for column in table.columns]
    rows = [{**keys_of(row), **dict(zip(names, row.values, strict=True))} for row in table.rows]
    keys = dict.fromkeys(key for row in table.rows for key in keys_of(row))
    frame = pandas.DataFrame(rows, columns=[*keys, *names])
    if table.has_row_notes:
        frame["signature"] = [row.signature for row in table.rows]
    frame.attrs["signatures"] = table.signatures
    return frame
