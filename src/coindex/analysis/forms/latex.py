"""Tables for LaTeX, by the package booktabs."""

from __future__ import annotations

from ..tables import Table

_SPECIAL = {character: "\\" + character for character in "&%$#_{}"}
_SPECIAL |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\n": " "}
_SPECIAL |= {"<": "$<$", ">": "$>$", "∅": r"$\emptyset$", "−": "$-$"}
_SPECIAL |= {"³": "$^3$", "⁺": "$^{+}$", "⁻": "$^{-}$", "₁": "$_1$"}


def escape(text: str) -> str:
    """Text that LaTeX sets as it is."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _cell(text: str) -> str:
    """Text for a cell, with no bracket first that the line end before it would swallow."""
    escaped = escape(text)
    return "{}" + escaped if escaped.startswith(("[", "*")) else escaped


def to_latex(table: Table) -> str:
    """A table for the package booktabs, with the signatures in its caption."""

    def note(number: int | None) -> str:
        return "" if number is None else rf"\textsuperscript{{{number}}}"

    environment = "table" if table.is_plain else "table*"  # a column wide, or the page
    lines = [rf"\begin{{{environment}}}", r"\centering"]
    lines += [] if table.is_plain else [r"\small", r"\setlength{\tabcolsep}{3pt}"]
    aligned = "".join("l" if column.kind == "name" else "r" for column in table.columns)
    last = [""] if table.has_row_notes else []
    lines += [rf"\begin{{tabular}}{{l{aligned}{'l' * len(last)}}}", r"\toprule", *_headings(table)]
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
        f"{note(number) if table.has_notes else ''}\\texttt{{{escape(signature)}}}"
        for number, signature in enumerate(table.signatures, 1)
    ]
    title = [f"{_cell(table.title)}."] if table.title else []
    caption = " ".join([*title, *map(_cell, table.remarks), *signatures])
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", rf"\end{{{environment}}}"]
    return "\n".join(lines) + "\n"


def _headings(table: Table) -> list[str]:
    """The line of headings and the rules below them, if there are any."""
    if not any(name for name, _ in table.headings):
        return []
    cells, rules, at = [""], [], 2
    for name, size in table.headings:
        cells.append(rf"\multicolumn{{{size}}}{{c}}{{{_cell(name)}}}")
        rules += [rf"\cmidrule(lr){{{at}-{at + size - 1}}}"] if name else []
        at += size
    return [" & ".join(cells) + r" \\", "".join(rules)]
