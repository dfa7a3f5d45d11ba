"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from ...render.markdown import escape
from ..tables import Table


def to_markdown(table: Table) -> str:
    """A table as GitHub and MkDocs show it; heads are one line there, so that a heading stands in each of its cells."""

    def note(number: int | None) -> str:
        return "" if number is None else f"<sup>{number}</sup>"

    heads = [escape(table.stub) or " "]
    for column in table.columns:
        head = f"{column.group} {column.title}" if column.group else column.title
        heads.append(escape(head) + note(table.note(column)))
    rule = ["---", *("---" if column.kind == "name" else "--:" for column in table.columns)]
    last = [" "] if table.has_row_notes else []
    lines = [_piped([*heads, *last]), _piped([*rule, *(["---"] if last else [])])]
    cells = table.shown(lambda cell: f"**{cell}**", escape)
    for section, rows in table.sections:
        if section:
            lines.append(_piped([f"**{escape(section)}**", *([" "] * len(table.columns)), *last]))
        for at in rows:
            row = table.rows[at]
            lines.append(_piped([_label(row.label), *cells[at], *([note(table.note(row))] if last else [])]))
    below = [f"{note(table.signatures.index(one) + 1) if table.has_notes else ''}`{one}`" for one in table.signatures]
    paragraphs = ["<br>\n".join(below), *map(escape, table.remarks)]
    title = [f"**{escape(table.title)}**", ""] if table.title else []
    return "\n".join([*title, *lines]) + "".join(f"\n\n{one}" for one in paragraphs if one) + "\n"


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _label(text: str) -> str:
    """The label of a row, which may be indented."""
    bare = text.lstrip(" ")
    return " " * (len(text) - len(bare)) + escape(bare)
