"""Write tables and charts as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources

from ..errors import MissingExtraError
from ..render.escaping import escape
from ..render.html import page_head
from .figures import Chart, inline
from .tables import Table

STYLE = """
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif }
body { margin: 2rem auto; padding: 0 1rem; max-width: 90rem }
section { margin-bottom: 3rem; overflow-x: auto }
table { border-collapse: collapse; border-block: 2px solid; font-variant-numeric: tabular-nums }
caption { text-align: start; font-weight: 600; padding-bottom: .5rem; white-space: nowrap }
thead th { border-bottom: 1px solid; font-weight: 600 }
th, td { padding: .15rem .5rem; text-align: end; white-space: nowrap }
th[scope=row], th.stub, th[scope=rowgroup], td.name, th.name { text-align: start; font-weight: 400 }
th[scope=rowgroup] { font-style: italic; padding-top: .5rem; border-top: 1px solid }
td.first, th.first, th.group { padding-inline-start: 1.2rem }
th.group { text-align: center; border-bottom: 1px solid color-mix(in srgb, currentColor 40%, transparent) }
tbody tr:hover { background: color-mix(in srgb, currentColor 8%, transparent) }
tbody.summary > tr:first-child > * { border-top: 1px solid }
figure { margin: 0 0 3rem; overflow-x: auto } figure svg { max-width: 100%; height: auto }
ol, p { font-size: .85rem } code { overflow-wrap: anywhere }
"""


def to_html(tables: Sequence[Table], charts: Sequence[Chart] = ()) -> str:
    """Return a page with the tables, and the charts below them."""
    return shell(tables[0].title if tables else "coindex", fragment(tables, charts))


def shell(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a self-contained page, which loads nothing from the network and runs only this script."""
    code = f"<script>{script}</script>\n" if script else ""
    return f"{page_head(title, style=STYLE + style, script=script)}<body>\n{body}{code}</body>\n</html>\n"


def script_of(package: str, parts: Sequence[str]) -> str:
    """Return the script of a page from the .js files of a package, with the function `unpack` for embedded data."""
    here, there = resources.files(__package__), resources.files(package)
    files = [here / "unpack.js", *(there / f"{part}.js" for part in parts)]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return f'"use strict";\n(async () => {{\n{text}}})();\n'


def fragment(tables: Sequence[Table], charts: Sequence[Chart] = ()) -> str:
    """Return the tables and charts without a page and its style, for notebooks."""
    return "".join([*(line for table in tables for line in _section(table)), *map(_figure_element, charts)])


def _figure_element(chart: Chart) -> str:
    """Return a chart, or a note about the package that it needs; the tables have the same numbers."""
    try:
        return f"<figure>\n{inline(chart)}</figure>\n"
    except MissingExtraError as error:
        return f"<p>{escape(f'{chart.title}: the chart cannot be drawn. {error}')}</p>\n"


def _section(table: Table) -> Iterator[str]:
    yield f'<section id="{escape(table.name)}">\n<table>\n<caption>{escape(table.title)}</caption>\n<thead>\n'
    yield from _heads(table)
    yield "</thead>\n"
    cells = table.shown(lambda cell: f"<b>{cell}</b>", escape)
    for section, rows in table.sections:
        is_summary = bool(rows) and table.rows[rows[0]].is_summary
        yield '<tbody class="summary">\n' if is_summary else "<tbody>\n"
        if section:
            width = len(table.columns) + 1 + table.has_row_notes
            yield f'<tr><th scope="rowgroup" colspan="{width}">{escape(section)}</th></tr>\n'
        for at in rows:
            row = table.rows[at]
            values = "".join(f"<td{_class(table, n)}>{cell}</td>" for n, cell in enumerate(cells[at]))
            note = f'<td class="name">{_note(table.note(row))}</td>' if table.has_row_notes else ""
            yield f'<tr><th scope="row">{escape(row.label)}</th>{values}{note}</tr>\n'
        yield "</tbody>\n"
    yield "</table>\n"
    yield from _below(table)
    yield "</section>\n"


def _heads(table: Table) -> Iterator[str]:
    if any(name for name, _ in table.headings):
        groups = "".join(f'<th class="group" colspan="{size}">{escape(name)}</th>' for name, size in table.headings)
        yield f"<tr><td></td>{groups}{_last(table)}</tr>\n"
    titles = "".join(
        f'<th scope="col"{_class(table, number)}>{escape(column.title)}{_note(table.note(column))}</th>'
        for number, column in enumerate(table.columns)
    )
    yield f'<tr><th class="stub" scope="col">{escape(table.stub)}</th>{titles}{_last(table)}</tr>\n'


def _last(table: Table) -> str:
    """Return an empty cell above the column of notes, if there is one."""
    return "<td></td>" if table.has_row_notes else ""


def _class(table: Table, number: int) -> str:
    """Return the class attribute of a column: names are aligned, and the first column of a group has more space."""
    column = table.columns[number]
    is_first = not column.group or number == 0 or table.columns[number - 1].group != column.group
    names = [*(["name"] if column.kind == "name" else []), *(["first"] if is_first else [])]
    return f' class="{" ".join(names)}"' if names else ""


def _note(number: int | None) -> str:
    return "" if number is None else f"<sup>{number}</sup>"


def _below(table: Table) -> Iterator[str]:
    codes = [f"<code>{escape(signature)}</code>" for signature in table.signatures]
    if table.has_notes:
        yield "<ol>\n" + "".join(f"<li>{code}</li>\n" for code in codes) + "</ol>\n"
    else:
        yield from (f"<p>{code}</p>\n" for code in codes)
    yield from (f"<p>{escape(remark)}</p>\n" for remark in table.remarks)
