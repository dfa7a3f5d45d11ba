"""Tables of numbers as text, Markdown, CSV, LaTeX or JSON lines; whatever shows numbers makes them here.

People get percentages with two decimals and the best of a column in bold; CSV and JSON get the numbers as they are.
The caption, which is the signature, is in every form.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..errors import UnknownNameError

Value = str | float | int | None
Kind = Literal["name", "percent", "points", "probability", "number"]
"""What a column holds: names, fractions shown as percentages, differences of them, p-values, plain numbers."""
Mark = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name for programs, its title for people, what it holds, and whether the highest is the best."""

    name: str
    title: str
    kind: Kind = "percent"
    best: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of values under columns. The last `summary` rows are set apart and do not compete for the best."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    caption: str
    title: str = ""
    summary: int = 0

    @property
    def body(self) -> Sequence[Sequence[Value]]:
        return self.rows[: len(self.rows) - self.summary]

    def shown(self, mark: Mark, escape: Mark = str) -> list[list[str]]:
        """All cells as people see them, the best ones marked."""
        columns = [self._shown_column(index, mark, escape) for index in range(len(self.columns))]
        return [list(row) for row in zip(*columns, strict=True)]

    def _shown_column(self, index: int, mark: Mark, escape: Mark) -> list[str]:
        column = self.columns[index]
        cells = [escape(show(row[index], column.kind)) for row in self.rows]
        body = len(self.body)
        values = [value for row in self.body if isinstance(value := row[index], int | float)]
        if not column.best or len(set(cells[:body])) < 2:  # where all are alike none is best
            return cells
        best = escape(show(max(values), column.kind))  # what looks the same is as good
        return [mark(cell) if cell == best and at < body else cell for at, cell in enumerate(cells)]


def show(value: Value, kind: Kind) -> str:
    """A value as people see it.

    >>> show(2 / 3, "percent"), show(-0.012, "points"), show(0.00004, "probability")
    ('66.67', '-1.20', '<0.0001')
    """
    if value is None:
        return ""
    if isinstance(value, str) or kind == "name":
        return str(value)
    if kind == "percent":
        return f"{100 * value:.2f}"
    if kind == "points":
        return f"{100 * value:+.2f}"
    if kind == "probability":
        return "<0.0001" if value < 0.00005 else f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def render(table: Table, form: str, *, bold: Mark = str) -> str:
    """The table in one of `FORMS`, ending in a line feed. `bold` marks the best in text."""
    if form not in FORMS:
        raise UnknownNameError("form of a table", form, FORMS)
    return to_text(table, bold) if form == "text" else FORMS[form](table)


def to_text(table: Table, bold: Mark = str) -> str:
    """Columns parted by blanks, as wide as they must be."""
    from rich.cells import cell_len  # some scripts have characters twice as wide

    plain = [[column.title for column in table.columns], *table.shown(str)]
    marked = [plain[0], *table.shown(bold)]
    widths = [max(map(cell_len, cells)) for cells in zip(*plain, strict=True)]
    lines = []
    for cells, texts in zip(plain, marked, strict=True):
        padded = []
        for column, cell, text, width in zip(table.columns, cells, texts, widths, strict=True):
            space = " " * (width - cell_len(cell))
            padded.append(text + space if column.kind == "name" else space + text)
        lines.append("  ".join(padded).rstrip())
    if table.summary:
        lines.insert(len(lines) - table.summary, "─" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join([*([table.title] if table.title else []), *lines, table.caption]) + "\n"


def to_markdown(table: Table) -> str:
    """A table as GitHub and MkDocs show it."""
    cells = table.shown(lambda cell: f"**{cell}**", _escape_markdown)
    rule = ["---" if column.kind == "name" else "--:" for column in table.columns]
    heads = [_escape_markdown(column.title) or " " for column in table.columns]
    lines = [f"| {' | '.join(row)} |" for row in (heads, rule, *cells)]
    title = [f"**{_escape_markdown(table.title)}**", ""] if table.title else []
    return "\n".join([*title, *lines, "", f"`{table.caption}`"]) + "\n"


def _escape_markdown(text: str) -> str:
    for character in "\\`*_<>[]|":
        text = text.replace(character, "\\" + character)
    return text.replace("\n", " ")


def to_csv(table: Table) -> str:
    """Numbers as they are, the caption in a column of its own, so that tables can be put together."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names, rows = _with_signature(table)
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()


def to_json_lines(table: Table) -> str:
    """An object a row."""
    names, rows = _with_signature(table)
    return "".join(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)


def _with_signature(table: Table) -> tuple[list[str], list[list[Value]]]:
    """Names and values, each row with its signature: the caption, unless there is a column of that name."""
    names = [column.name for column in table.columns]
    if "signature" in names:
        return names, list(map(list, table.rows))
    return [*names, "signature"], [[*row, table.caption] for row in table.rows]


_LATEX = {character: "\\" + character for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "³": "$^3$", "\n": " "}
_LATEX |= {"<": "$<$", ">": "$>$", "∅": r"$\emptyset$", "−": "$-$"}


def escape_latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def to_latex(table: Table) -> str:
    """A table for the package booktabs, with the signature in its caption."""
    cells = table.shown(lambda cell: rf"\textbf{{{cell}}}", escape_latex)
    rows = [" & ".join(row) + r" \\" for row in cells]
    if table.summary:
        rows.insert(len(rows) - table.summary, r"\midrule")
    heads = " & ".join(escape_latex(column.title) for column in table.columns)
    signature = rf"\texttt{{{escape_latex(table.caption)}}}"
    caption = f"{escape_latex(table.title)}. {signature}" if table.title else signature
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{''.join('l' if column.kind == 'name' else 'r' for column in table.columns)}}}",
        r"\toprule",
        heads + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{caption}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


FORMS: dict[str, Callable[[Table], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "csv": to_csv,
    "latex": to_latex,
    "jsonl": to_json_lines,
}
