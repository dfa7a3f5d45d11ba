"""Charts as plain data, drawn with matplotlib, and self-contained HTML pages of charts and tables.

Reports, corpus statistics, experiments and the web pages share the same axes, colours and number formats. Charts are
readable in greyscale: series also differ in brightness and in hatching, marker or line style. Inside a page, a chart
uses the colour of the surrounding text, so it follows dark mode, and has no inline styles, as the content security
policy of the servers requires. The same chart is drawn with the same bytes every time. matplotlib is imported only when
a chart is drawn.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from ..errors import CoindexError, MissingExtraError, UnknownNameError
from ..render.escaping import escape
from ..render.html import page_head
from .tables import Table

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Form = Literal["svg", "png"]
FORMS: tuple[Form, ...] = ("svg", "png")
INK = "#010203"
"""A unique colour, which inside a page is replaced by the text colour, so that charts follow dark mode."""
DARK_INK = "#e7e6e3"
FILLS = ("#3f7cb5", "#f0b775", "#79b0a8", "#dcdcdc")
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\", "||||")
"""Only lines: a dotted hatch needs 250 kB of SVG."""
MARKERS = "osD^vP*X"
FONT = "system-ui, sans-serif"
LONGEST_NAME = 20
TICKS = 6
"""The maximum number of labels below points; of more, evenly spaced ones are shown."""
TIP = "tip:"
"""The prefix of the ids of elements with a tooltip."""
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_drawing = Lock()
"""Protects the settings of matplotlib, which are global, as servers draw in threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The properties of all charts: a name for files, a title, and the labels of the axes."""

    name: str
    title: str
    x: str = ""
    y: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars(Chart):
    """Groups of bars: a group for each label with a bar for each series; None for no bar."""

    labels: Sequence[str]
    series: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackedBars(Chart):
    """A horizontal bar for each label, with the values of the series stacked and their sum at the end."""

    labels: Sequence[str]
    series: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth(Chart):
    """A value over ordered labels, starting at zero, with a dashed line at the goal; a chart of progress."""

    points: Sequence[tuple[str, float]]
    goal: float = 0
    """The goal; 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves(Chart):
    """Points over ordered labels, connected by lines: `series` on the left axis, `right` on the right axis."""

    labels: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    right: Mapping[str, Sequence[float | None]]
    y_right: str = ""
    spread: Mapping[str, Sequence[float]] | None = None
    """The half-lengths of the error bars of a series."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes(Chart):
    """Box plots, one per series, with outliers as points."""

    series: Mapping[str, Sequence[float]]


def require() -> None:
    """Raise an error if matplotlib is missing; call it before a long computation whose result is drawn."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots") from error


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    try:
        require()
    except MissingExtraError:
        return False
    return True


def draw(chart: Chart, form: Form = "svg", *, dark: bool = False) -> bytes:
    """Return the chart as the content of a file; an SVG is transparent, and `dark` is for dark backgrounds."""
    content = _draw(chart, form)
    if form == "png":
        return content
    from xml.etree import ElementTree as ET

    root = _tidy(content)
    text = ET.tostring(root, encoding="unicode").replace(INK, DARK_INK if dark else INK)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + text.encode()


def inline(chart: Chart) -> str:
    """Return the chart as an SVG element of a page, in the text colour and with its title for screen readers."""
    from xml.etree import ElementTree as ET

    root = _tidy(_draw(chart, "svg"))
    for element in root.iter():  # ids are global in a page, so charts must not share any
        for name, value in element.items():
            if name == "id":
                element.set(name, f"{chart.name}-{value}")
            elif value.startswith("#") and name == f"{{{XLINK}}}href":
                element.set(name, f"#{chart.name}-{value[1:]}")
            else:
                element.set(name, value.replace("url(#", f"url(#{chart.name}-").replace(INK, "currentColor"))
    for name, value in (("class", "chart"), ("role", "img"), ("aria-label", chart.title)):
        root.set(name, value)
    return ET.tostring(root, encoding="unicode")


def _tidy(content: bytes) -> Element:
    """Return the SVG of matplotlib without metadata, with styles as attributes, and with tooltips."""
    from xml.etree import ElementTree as ET

    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    root = ET.fromstring(content)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    # These replace the style sheet.
    for name, value in (("stroke-linejoin", "round"), ("stroke-linecap", "butt"), ("font-family", FONT)):
        root.set(name, value)
    for element in root.iter():
        for declaration in filter(None, element.attrib.pop("style", "").split(";")):
            name, _, value = declaration.partition(":")
            if name.strip() != "font-family":
                element.set(name.strip(), value.strip())
        if element.get("id", "").startswith(TIP):
            title = ET.Element(f"{{{SVG}}}title")
            title.text = element.attrib.pop("id").removeprefix(TIP)
            element.insert(0, title)
    return root


def _draw(chart: Chart, form: Form) -> bytes:
    require()
    import matplotlib

    if form not in FORMS:
        raise UnknownNameError("format of figures", form, FORMS)
    # Text stays text: small, searchable, in the font of the reader. The salt makes ids reproducible.
    settings: Any = {  # new versions type the names
        "svg.fonttype": "none",
        "svg.hashsalt": chart.name,
        "font.family": "sans-serif",
        "font.size": 9,
        "hatch.linewidth": 0.6,
        **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
        "hatch.color": INK,
        "legend.labelcolor": INK,
    }
    out = io.BytesIO()
    with _drawing, matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # missing glyphs are boxes in PNG but correct in SVG
        figure = _figure(chart)
        metadata: dict[str, Any] = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, transparent=form == "svg", dpi=200, metadata=metadata)
    return out.getvalue()


def save(charts: Iterable[Chart], folder: str | Path, form: Form = "svg") -> list[Path]:
    """Write the charts into a folder under their names; all are drawn before any is written. Return the paths."""
    drawn = [(chart.name, draw(chart, form)) for chart in charts]
    paths = []
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, content in drawn:
            paths.append(Path(folder) / f"{name}.{form}")
            paths[-1].write_bytes(content)
    except OSError as error:
        raise CoindexError(
            f"cannot write: {error.strerror or error}; choose another folder", code="unwritable-file", path=folder
        ) from error
    return paths


def form_of(path: str | Path) -> Form:
    """Return the format that the extension of a file specifies."""
    ending = Path(path).suffix.lower().removeprefix(".")
    for form in FORMS:
        if ending == form:
            return form
    raise CoindexError(
        "unknown figure format; use a file name that ends in .svg or .png",
        code="unknown-output-format",
        path=path,
    )


def save_as(chart: Chart, path: str | Path) -> None:
    """Write a chart to a file, in the format of its extension."""
    content = draw(chart, form_of(path))
    target = Path(path)
    temporary = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.replace(target)
    except OSError as error:
        raise CoindexError(
            f"cannot write: {error.strerror or error}; choose another file", code="unwritable-file", path=path
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def _figure(chart: Chart) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.add_subplot()
    if isinstance(chart, Bars):
        _draw_bars(axes, chart)
    elif isinstance(chart, StackedBars):
        _draw_stacked_bars(figure, axes, chart)
    elif isinstance(chart, Growth):
        _draw_growth(axes, chart)
    elif isinstance(chart, Curves):
        _draw_curves(figure, axes, chart)
    else:
        assert isinstance(chart, Boxes)
        _draw_boxes(axes, chart)
    axes.set_title(_escape(chart.title), fontsize=10)
    axes.set_xlabel(_escape(chart.x))
    axes.set_ylabel(_escape(chart.y))
    axes.spines[["top", "right"]].set_visible(False)
    values = axes.xaxis if isinstance(chart, StackedBars) else axes.yaxis
    values.set_major_formatter(lambda value, _: f"{value:,.10g}")
    values.grid(color=(INK, 0.15), linewidth=0.6)
    axes.set_axisbelow(True)
    if isinstance(chart, Bars | StackedBars) and len(chart.series) > 1:
        # below the axes, where it does not cover anything
        figure.legend(loc="outside lower center", ncols=min(4, len(chart.series)), frameon=False, fontsize=8)
    return figure


def _escape(text: str) -> str:
    """Escape dollar signs, which would start a formula."""
    return text.replace("$", r"\$")


def _draw_bars(axes: Axes, chart: Bars) -> None:
    width = 0.8 / max(1, len(chart.series))
    for number, (name, values) in enumerate(chart.series.items()):
        at = [place + (number - (len(chart.series) - 1) / 2) * width for place in range(len(values))]
        axes.bar(
            at,
            [value or 0 for value in values],
            width,
            label=_escape_name(name),
            color=FILLS[number % len(FILLS)],
            hatch=HATCHES[number % len(HATCHES)],
            edgecolor=INK,
            linewidth=0.6,
        )
    axes.set_xticks(range(len(chart.labels)), [_escape(label) for label in chart.labels])


def _draw_stacked_bars(figure: Figure, axes: Axes, chart: StackedBars) -> None:
    figure.set_size_inches(7, 1.3 + 0.28 * len(chart.labels))
    lefts = [0] * len(chart.labels)
    for number, (name, values) in enumerate(chart.series.items()):
        bars = axes.barh(
            range(len(values)),
            values,
            0.7,
            lefts,
            label=_escape_name(name),
            color=FILLS[number % len(FILLS)],
            hatch=HATCHES[number % len(HATCHES)],
            edgecolor=INK,
            linewidth=0.6,
        )
        for bar, label, value in zip(bars, chart.labels, values, strict=True):
            bar.set_gid(f"{TIP}{label}, {name}: {value:,}")
        lefts = [left + value for left, value in zip(lefts, values, strict=True)]
    axes.bar_label(bars, [f"{total:,}" for total in lefts], padding=4)
    axes.margins(x=0.1)
    axes.set_yticks(range(len(chart.labels)), [_escape(_shorten(label)) for label in chart.labels])
    axes.invert_yaxis()  # the first at the top


def _draw_growth(axes: Axes, chart: Growth) -> None:
    labels, values = [label for label, _ in chart.points], [value for _, value in chart.points]
    axes.plot(range(len(values)), values, color=FILLS[0], linewidth=2)
    axes.fill_between(range(len(values)), values, color=FILLS[0], alpha=0.15, linewidth=0)
    for at, (label, value) in enumerate(chart.points):
        if at in (0, len(values) - 1) or value != values[at - 1]:
            axes.plot([at], [value], "o", markersize=4, color=FILLS[0], gid=f"{TIP}{label}: {value:,.10g}")
    if chart.goal:
        axes.axhline(chart.goal, color=INK, linestyle="--", linewidth=1)
    axes.set_ylim(0, 1.05 * max(chart.goal, *values) or 1)
    _label_points(axes, labels)


def _label_points(axes: Axes, labels: Sequence[str]) -> None:
    """Label the points of the x axis: all of them if they are few, otherwise evenly spaced ones."""
    steps = min(len(labels), TICKS) - 1
    shown = sorted({round(step * (len(labels) - 1) / max(steps, 1)) for step in range(steps + 1)})
    axes.set_xticks(shown, [_escape(labels[at]) for at in shown])


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _draw_curves(figure: Figure, axes: Axes, chart: Curves) -> None:
    """Draw solid lines and markers for the left axis, dashed lines and hollow markers for the right one."""
    figure.set_size_inches(7, 4.4)  # space for the legend
    other = axes.twinx()
    drawn = []
    for own, side, dashes in ((axes, chart.series, "-"), (other, chart.right, "--")):
        for number, (name, values) in enumerate(side.items()):
            colour = INK if number == 0 else FILLS[(number - 1) % 3]
            points = [float("nan") if value is None else value for value in values]
            drawn += own.plot(
                range(len(points)),
                points,
                label=_escape_name(name),
                color=colour,
                marker=MARKERS[number % len(MARKERS)],
                markerfacecolor=colour if own is axes else "none",
                linestyle=dashes,
            )
            if chart.spread is not None and name in chart.spread:
                own.errorbar(range(len(points)), points, chart.spread[name], fmt="none", ecolor=colour, capsize=3)
    _label_points(axes, chart.labels)
    other.set_ylabel(_escape(chart.y_right))
    other.set_ylim(bottom=0)
    other.spines["top"].set_visible(False)
    figure.legend(handles=drawn, loc="outside lower center", ncols=2, frameon=False, fontsize=8)


def _draw_boxes(axes: Axes, chart: Boxes) -> None:
    line = {"color": INK}
    axes.boxplot(
        list(chart.series.values()),
        patch_artist=True,
        boxprops={"facecolor": (INK, 0.12), "edgecolor": INK},  # visible on light and dark backgrounds
        whiskerprops=line,
        capprops=line,
        medianprops={"color": INK, "linewidth": 2},
        flierprops={"marker": "o", "markersize": 3, "markerfacecolor": "none", "markeredgecolor": INK},
    )
    names = [_escape(name) for name in chart.series]
    slanted = sum(map(len, names)) > 70
    axes.set_xticks(range(1, len(names) + 1), names, rotation=35 if slanted else 0, ha="right" if slanted else "center")


def _escape_name(name: str) -> str:
    """Return the name for the legend; matplotlib hides names that start with an underscore."""
    return _escape(f"\u200b{name}" if name.startswith("_") else name)


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
