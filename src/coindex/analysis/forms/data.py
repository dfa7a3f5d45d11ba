"""Tables for programs: numbers as they are, each with its signature."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..tables import Row, Table, Value


def to_csv(tables: Sequence[Table]) -> str:
    """Rows as they are where all tables are plain; else a row for each number, so that tables of all kinds fit."""
    if all(table.is_plain for table in tables):
        return "\n".join(map(_rows, tables))
    keys = list(dict.fromkeys(key for table in tables for row in table.rows for key in keys_of(row)))
    lines: list[Sequence[Value]] = [["table", *keys, "column", "value", "signature"]]
    for table in tables:
        for row in table.rows:
            found = keys_of(row)
            for column, value in zip(table.columns, row.values, strict=True):
                signature = column.signature or row.signature
                lines.append([table.name, *(found.get(key, "") for key in keys), column.name, value, signature])
    return _written(lines)


def _rows(table: Table) -> str:
    """The rows of a table with their keys before and their signatures behind."""
    keys = list(dict.fromkeys(key for row in table.rows for key in keys_of(row)))
    lines: list[Sequence[Value]] = [[*keys, *(column.name for column in table.columns), "signature"]]
    for row in table.rows:
        found = keys_of(row)
        lines.append([*(found.get(key, "") for key in keys), *row.values, row.signature])
    return _written(lines)


def _written(lines: Sequence[Sequence[Value]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()


def keys_of(row: Row) -> Mapping[str, str]:
    """What tells a row from others; its label where nothing else is said."""
    return row.keys or {"row": row.label}


def to_json(tables: Sequence[Table], about: Mapping[str, Any] | None = None) -> str:
    """One object: what it is about, and the tables, each number with its signature."""
    data = {**(about or {}), "tables": [_table_data(table) for table in tables]}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _table_data(table: Table) -> dict[str, Any]:
    columns = []
    for column in table.columns:
        found = {"name": column.name, "title": column.title, "group": column.group, "signature": column.signature}
        columns.append({key: value for key, value in found.items() if value})
    rows = []
    for row in table.rows:
        values = {column.name: value for column, value in zip(table.columns, row.values, strict=True)}
        signature = {"signature": row.signature} if row.signature else {}
        rows.append({**keys_of(row), **signature, "values": values})
    return {
        "name": table.name,
        "title": table.title,
        "columns": columns,
        "rows": rows,
        "remarks": list(table.remarks),
    }
