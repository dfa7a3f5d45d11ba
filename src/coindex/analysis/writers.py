"""Write tables as text, Markdown, LaTeX (booktabs), HTML, CSV, JSON or pandas data frames.

The formats for people have rounded percentages, the best value in bold, and numbered notes with the signatures. CSV and
JSON have exact numbers, each with its signature.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError, UnknownNameError
from ..render.escaping import escape_markdown as escape
from .tables import Column, Mark, Row, Table, Value

if TYPE_CHECKING:
    from .figures import Chart


def to_csv(tables: Sequence[Table]) -> str:
    """Return the tables as CSV: their rows if all tables are plain, otherwise a row for each number."""
    if all(table.is_plain for table in tables):
        return "\n".join(map(_write_rows, tables))
    keys = list(dict.fromkeys(key for table in tables for row in table.rows for key in keys_of(row)))
    lines: list[Sequence[Value]] = [["table", *keys, "column", "value", "signature"]]
    for table in tables:
        for row in table.rows:
            own = keys_of(row)
            for column, value in zip(table.columns, row.values, strict=True):
                signature = column.signature or row.signature
                lines.append([table.name, *(own.get(key, "") for key in keys), column.name, value, signature])
    return _write_csv(lines)


def _write_rows(table: Table) -> str:
    """Return the rows of a table as CSV: keys, values, signature."""
    keys = list(dict.fromkeys(key for row in table.rows for key in keys_of(row)))
    lines: list[Sequence[Value]] = [[*keys, *(column.name for column in table.columns), "signature"]]
    for row in table.rows:
        own = keys_of(row)
        lines.append([*(own.get(key, "") for key in keys), *row.values, row.signature])
    return _write_csv(lines)


def _write_csv(lines: Sequence[Sequence[Value]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()


def keys_of(row: Row) -> Mapping[str, str]:
    """Return the keys of a row, or its label if it has none."""
    return row.keys or {"row": row.label}


def to_json(tables: Sequence[Table], about: Mapping[str, Any] | None = None) -> str:
    """Return the tables as a JSON object, together with the fields in `about`."""
    data = {**(about or {}), "tables": [_table_data(table) for table in tables]}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _table_data(table: Table) -> dict[str, Any]:
    columns = []
    for column in table.columns:
        fields = {"name": column.name, "title": column.title, "group": column.group, "signature": column.signature}
        columns.append({key: value for key, value in fields.items() if value})
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


def to_frame(table: Table) -> Any:
    """Return a pandas data frame with the keys and exact numbers of each row; `attrs["signatures"]` has the signatures.

    If the rows have different signatures, the last column contains them.
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


_SPECIAL = {character: "\\" + character for character in "&%$#_{}"}
_SPECIAL |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\n": " "}
_SPECIAL |= {"<": "$<$", ">": "$>$", "∅": r"$\emptyset$", "−": "$-$"}
_SPECIAL |= {"³": "$^3$", "⁺": "$^{+}$", "⁻": "$^{-}$", "₁": "$_1$"}


def escape_latex(text: str) -> str:
    """Escape text for LaTeX."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _cell(text: str) -> str:
    """Escape the text of a cell; a bracket at its start must not become an argument of the line end before it."""
    escaped = escape_latex(text)
    return "{}" + escaped if escaped.startswith(("[", "*")) else escaped


def to_latex(table: Table) -> str:
    """Return a LaTeX table for the package booktabs, with the signatures in its caption."""

    def note(number: int | None) -> str:
        return "" if number is None else rf"\textsuperscript{{{number}}}"

    environment = "table" if table.is_plain else "table*"  # as wide as a column, or as the page
    lines = [rf"\begin{{{environment}}}", r"\centering"]
    lines += [] if table.is_plain else [r"\small", r"\setlength{\tabcolsep}{3pt}"]
    aligned = "".join("l" if column.kind == "name" else "r" for column in table.columns)
    last = [""] if table.has_row_notes else []
    lines += [rf"\begin{{tabular}}{{l{aligned}{'l' * len(last)}}}", r"\toprule", *_format_headings(table)]
    titles = [_cell(column.title) + note(table.note(column)) for column in table.columns]
    lines.append(" & ".join([_cell(table.stub), *titles, *last]) + r" \\")
    cells = table.shown(lambda cell: rf"\textbf{{{cell}}}", _cell)
    for section, rows in table.sections:
        lines.append(r"\midrule")
        if section:
            lines.append(rf"\multicolumn{{{len(aligned) + 1 + len(last)}}}{{l}}{{\textit{{{_cell(section)}}}}} \\")
        for at in rows:
            row = table.rows[at]
            notes = [note(table.note(row))] if last else []
            lines.append(" & ".join([_cell(row.label), *cells[at], *notes]) + r" \\")
    signatures = [
        f"{note(number) if table.has_notes else ''}\\texttt{{{escape_latex(signature)}}}"
        for number, signature in enumerate(table.signatures, 1)
    ]
    title = [f"{_cell(table.title)}."] if table.title else []
    caption = " ".join([*title, *map(_cell, table.remarks), *signatures])
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", rf"\end{{{environment}}}"]
    return "\n".join(lines) + "\n"


def _format_headings(table: Table) -> list[str]:
    """Return the line of group headings and the rules below them, if there are any."""
    if not any(name for name, _ in table.headings):
        return []
    cells, rules, at = [""], [], 2
    for name, size in table.headings:
        cells.append(rf"\multicolumn{{{size}}}{{c}}{{{_cell(name)}}}")
        rules += [rf"\cmidrule(lr){{{at}-{at + size - 1}}}"] if name else []
        at += size
    return [" & ".join(cells) + r" \\", "".join(rules)]


def to_markdown(table: Table) -> str:
    """Return a Markdown table; its head has only one line, so each column title includes its group heading."""

    def note(number: int | None) -> str:
        return "" if number is None else f"<sup>{number}</sup>"

    heads = [escape(table.stub) or " "]
    for column in table.columns:
        head = f"{column.group} {column.title}" if column.group else column.title
        heads.append(escape(head) + note(table.note(column)))
    rule = ["---", *("---" if column.kind == "name" else "--:" for column in table.columns)]
    last = [" "] if table.has_row_notes else []
    lines = [_join_cells([*heads, *last]), _join_cells([*rule, *(["---"] if last else [])])]
    cells = table.shown(lambda cell: f"**{cell}**", escape)
    for section, rows in table.sections:
        if section:
            lines.append(_join_cells([f"**{escape(section)}**", *([" "] * len(table.columns)), *last]))
        for at in rows:
            row = table.rows[at]
            lines.append(_join_cells([_label(row.label), *cells[at], *([note(table.note(row))] if last else [])]))
    below = [f"{note(number) if table.has_notes else ''}`{text}`" for number, text in enumerate(table.signatures, 1)]
    paragraphs = ["<br>\n".join(below), *map(escape, table.remarks)]
    title = [f"**{escape(table.title)}**", ""] if table.title else []
    return "\n".join([*title, *lines]) + "".join(f"\n\n{paragraph}" for paragraph in paragraphs if paragraph) + "\n"


def _join_cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _label(text: str) -> str:
    """Return the escaped label of a row, which may be indented."""
    bare = text.lstrip(" ")
    return " " * (len(text) - len(bare)) + escape(bare)


GAP = "  "


def _text_note(number: int | None) -> str:
    return "" if number is None else f"[{number}]"


def to_text(table: Table, bold: Mark = str) -> str:
    """Return a table as text, with columns separated by spaces."""
    from rich.cells import cell_len  # some scripts have characters of double width

    heads = [table.stub, *(_format_title(table, column) for column in table.columns)]
    notes = [_text_note(table.note(row)) for row in table.rows]
    plain = [[row.label, *cells] for row, cells in zip(table.rows, table.shown(), strict=True)]
    marked = [[row.label, *cells] for row, cells in zip(table.rows, table.shown(bold), strict=True)]
    widths = [max(map(cell_len, cells)) for cells in zip(heads, *plain, strict=True)]
    widths = _widen(widths, table.headings, cell_len)
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


def _format_title(table: Table, column: Column) -> str:
    return f"{column.title} {_text_note(table.note(column))}".rstrip()


def _below(table: Table, note: Callable[[int], str]) -> list[str]:
    """Return the signatures, numbered if there are several."""
    if not table.has_notes:
        return table.signatures
    return [f"{note(number)} {signature}" for number, signature in enumerate(table.signatures, 1)]


def _widen(widths: list[int], headings: Sequence[tuple[str, int]], length: Callable[[str], int]) -> list[int]:
    """Return the widths of the columns, with space for the headings above them."""
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


def to_html(tables: Sequence[Table], charts: Sequence[Chart] = ()) -> str:
    """Return a page with the tables, and the charts below them."""
    from . import figures

    return figures.to_html(tables, charts)


def render(
    tables: Sequence[Table],
    form: str,
    *,
    bold: Mark = str,
    about: Mapping[str, Any] | None = None,
    charts: Sequence[Chart] = (),
) -> str:
    """Return the tables in one of `FORMS`, ending in a line feed.

    Parameters:
        tables: The tables to write.
        form: The name of the format: text, json, markdown, latex, csv or html.
        bold: Marks the best values in text.
        about: Further fields of the JSON object.
        charts: The charts on the HTML page.
    """
    if form not in FORMS:
        raise UnknownNameError("format of tables", form, FORMS)
    if form == "text":
        return "\n".join(to_text(table, bold) for table in tables)
    if form == "json":
        return to_json(tables, about)
    if form == "html":
        return to_html(tables, charts)
    return FORMS[form](tables)


def _write_all(write: Callable[[Table], str]) -> Callable[[Sequence[Table]], str]:
    return lambda tables: "\n".join(map(write, tables))


FORMS: dict[str, Callable[[Sequence[Table]], str]] = {
    "text": _write_all(to_text),
    "json": to_json,
    "markdown": _write_all(to_markdown),
    "latex": _write_all(to_latex),
    "csv": to_csv,
    "html": to_html,
}
