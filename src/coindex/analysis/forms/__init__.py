"""Tables written out: text, Markdown, LaTeX (booktabs) and HTML for people, CSV and JSON for programs.

People get rounded percentages, the best in bold and numbered notes for the signatures. CSV and JSON have the numbers as
they are, each with its signature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import UnknownNameError
from ..figures import Chart
from ..page import to_html
from ..tables import Mark, Table
from .data import to_csv, to_json
from .latex import to_latex
from .markdown import to_markdown
from .text import to_text

__all__ = ["FORMS", "render", "to_csv", "to_html", "to_json", "to_latex", "to_markdown", "to_text"]


def render(
    tables: Sequence[Table],
    form: str,
    *,
    bold: Mark = str,
    about: Mapping[str, Any] | None = None,
    charts: Sequence[Chart] = (),
) -> str:
    """The tables in one of `FORMS`, ending in a line feed.

    `bold` marks the best in text, `about` goes into JSON, `charts` are drawn on the HTML page.
    """
    if form not in FORMS:
        raise UnknownNameError("form of a table", form, FORMS)
    if form == "text":
        return "\n".join(to_text(table, bold) for table in tables)
    if form == "json":
        return to_json(tables, about)
    if form == "html":
        return to_html(tables, charts)
    return FORMS[form](tables)


def _all(one: Callable[[Table], str]) -> Callable[[Sequence[Table]], str]:
    return lambda tables: "\n".join(map(one, tables))


FORMS: dict[str, Callable[[Sequence[Table]], str]] = {
    "text": _all(to_text),
    "json": to_json,
    "markdown": _all(to_markdown),
    "latex": _all(to_latex),
    "csv": to_csv,
    "html": to_html,
}
