"""Tables as text: columns parted by blanks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..tables import Column, Mark, Table

GAP = "  "


def _text_note(number: int | None) -> str:
    return "" if number is None else f"[{number}]"


def to_text(table: Table, bold: Mark = str) -> str:
    """Columns parted by blanks, as wide as they must be."""
    from rich.cells import cell_len  # some scripts have characters twice as wide

    heads = [table.stub, *(_titled(table, column) for column in table.columns)]
    notes = [_text_note(table.note(row)) for row in table.rows]
    plain = [[row.label, *cells] for row, cells in zip(table.rows, table.shown(), strict=True)]
    marked = [[row.label, *cells] for row, cells in zip(table.rows, table.shown(bold), strict=True)]
    widths = [max(map(cell_len, cells)) for cells in zip(heads, *plain, strict=True)]
    widths = _widened(widths, table.headings, cell_len)
    width = sum(widths) + len(GAP) * (len(widths) - 1)

    def line(cells: Sequence[str], texts: Sequence[str], note: str = "") -> str:
        padded = []
        for at, (cell, text) in enumerate(zip(cells, texts, strict=True)):
            space = " " * (widths[at] - cell_len(cell))
            is_name = at == 0 or table.columns[at - 1].kind == "name"
            padded.append(text + space if is_name else space + text)
        return GAP.join([*padded, note]).rstrip()

    lines = [table.title] if table.title else []
    if any(name for name, _ in table.headings):
        lines.append(_headings_line(table.headings, widths, cell_len))
    lines += [line(heads, heads), *([] if table.is_plain else ["─" * width])]
    for number, (section, rows) in enumerate(table.sections):
        if number:
            lines.append("─" * width)
        lines += [section] if section else []
        lines += [line(plain[row], marked[row], notes[row]) for row in rows]
    return "\n".join([*lines, *_below(table, _text_note), *table.remarks]) + "\n"


def _titled(table: Table, column: Column) -> str:
    return f"{column.title} {_text_note(table.note(column))}".rstrip()


def _below(table: Table, note: Callable[[int], str]) -> list[str]:
    """The signatures, numbered where there are several."""
    if not table.has_notes:
        return table.signatures
    return [f"{note(number)} {signature}" for number, signature in enumerate(table.signatures, 1)]


def _widened(widths: list[int], headings: Sequence[tuple[str, int]], length: Callable[[str], int]) -> list[int]:
    """Widths of the columns, with room for the headings above them."""
    wide, at = list(widths), 1
    for name, size in headings:
        inside = sum(wide[at : at + size]) + len(GAP) * (size - 1)
        wide[at] += max(0, length(name) - inside)
        at += size
    return wide


def _headings_line(headings: Sequence[tuple[str, int]], widths: Sequence[int], length: Callable[[str], int]) -> str:
    parts, at = [" " * widths[0]], 1
    for name, size in headings:
        inside = sum(widths[at : at + size]) + len(GAP) * (size - 1)
        left = (inside - length(name) + 1) // 2
        parts.append(" " * left + name + " " * (inside - left - length(name)))
        at += size
    return GAP.join(parts).rstrip()
