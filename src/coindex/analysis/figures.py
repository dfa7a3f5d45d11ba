"""All charts of coindex: plain data, drawn by matplotlib, which is loaded here only and only when something is drawn.

Reports, corpus statistics, experiments and the pages of the servers use the same axes, colours and number formats.
Charts can be read when printed in grey: series differ in hatching, marker or line style too, and in how dark they are.
Inside a page a chart takes the colour of the text around it, so it follows dark mode, and has no inline styles, as the
content security policy of the servers requires. The same chart gives the same bytes.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from ..errors import CoindexError, MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Form = Literal["svg", "png"]
FORMS: tuple[Form, ...] = ("svg", "png")
INK = "#010203"
"""A colour that nothing else has: inside a page it becomes that of the text around, so that charts follow dark mode."""
DARK_INK = "#e7e6e3"
FILLS = ("#3f7cb5", "#f0b775", "#79b0a8", "#dcdcdc")
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\", "||||")
"""Lines alone: a hatch of dots takes a quarter of a megabyte of SVG."""
MARKERS = "osD^vP*X"
FONT = "system-ui, sans-serif"
LONGEST_NAME = 20
TICKS = 6
"""The most labels below points; of more, some evenly spaced ones are shown."""
TIP = "tip:"
"""Begins the id of what shows a text when the pointer is over it."""
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_drawing = Lock()
"""Settings of matplotlib belong to the process; servers draw in threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What all charts have: a name for files, a title, and what the axes say."""

    name: str
    title: str
    x: str = ""
    y: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars(Chart):
    """Groups of bars: a group for each label, in it a bar for each series; None is no bar."""

    labels: Sequence[str]
    series: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackedBars(Chart):
    """A horizontal bar for each label: the values of the series one after the other, and their sum at the end."""

    labels: Sequence[str]
    series: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth(Chart):
    """One value over labels in order, from zero, with a dashed line at the goal; a chart of progress."""

    points: Sequence[tuple[str, float]]
    goal: float = 0
    """0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves(Chart):
    """Points over labels in order, joined by lines: `series` by the axis on the left, `right` by one of their own."""

    labels: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    right: Mapping[str, Sequence[float | None]]
    y_right: str = ""
    spread: Mapping[str, Sequence[float]] | None = None
    """How far the points of a series reach up and down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes(Chart):
    """Quartiles as boxes, one a series, side by side; what is far out as points."""

    series: Mapping[str, Sequence[float]]


def require() -> None:
    """Say now, before a long work, if nothing can be drawn at its end."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots") from error


def can_draw() -> bool:
    """Whether there is anything to draw with."""
    try:
        require()
    except MissingExtraError:
        return False
    return True


def draw(chart: Chart, form: Form = "svg", *, dark: bool = False) -> bytes:
    """Return the chart as a file of this form; an SVG, which is transparent, also for a dark background."""
    content = _draw(chart, form)
    if form == "png":
        return content
    from xml.etree import ElementTree as ET

    root = _tidy(content)
    text = ET.tostring(root, encoding="unicode").replace(INK, DARK_INK if dark else INK)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + text.encode()


def inline(chart: Chart) -> str:
    """Return the chart as an element of a page, in the colour of its text and with its title for screen readers."""
    from xml.etree import ElementTree as ET

    root = _tidy(_draw(chart, "svg"))
    for element in root.iter():  # ids are those of the page: figures must not share any
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
    """Return what matplotlib wrote without metadata, styles as attributes, and with titles where ids ask for them."""
    from xml.etree import ElementTree as ET

    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    root = ET.fromstring(content)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    # what the style sheet set for all elements
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
        raise UnknownNameError("form of a figure", form, FORMS)
    # Text stays text: small, searchable, in the reader's font. The salt makes ids the same each time.
    settings: Any = {  # its names are a type of their own in new versions only
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
        warnings.filterwarnings("ignore", message="Glyph")  # names in any script: a box in PNG, right in SVG
        figure = _figure(chart)
        metadata: dict[str, Any] = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, transparent=form == "svg", dpi=200, metadata=metadata)
    return out.getvalue()


def save(charts: Iterable[Chart], folder: str | Path, form: Form = "svg") -> list[Path]:
    """Write the charts into a folder, each under its name; all are drawn before any is written."""
    drawn = [(chart.name, draw(chart, form)) for chart in charts]
    paths = []
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, content in drawn:
            paths.append(Path(folder) / f"{name}.{form}")
            paths[-1].write_bytes(content)
    except OSError as error:
        raise CoindexError(
            f"cannot be written: {error.strerror or error}; name another folder", code="unwritable-file", path=folder
        ) from error
    return paths


def form_of(path: str | Path) -> Form:
    """The form that the name of a file says."""
    ending = Path(path).suffix.lower().removeprefix(".")
    for form in FORMS:
        if ending == form:
            return form
    raise CoindexError(
        "no name of a figure; expected one that ends in .svg or .png; rename it",
        code="unknown-output-format",
        path=path,
    )


def save_as(chart: Chart, path: str | Path) -> None:
    """Write one chart under this name, in the form that it says."""
    content = draw(chart, form_of(path))
    target = Path(path)
    beside = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
        beside.replace(target)
    except OSError as error:
        raise CoindexError(
            f"cannot be written: {error.strerror or error}; name another file", code="unwritable-file", path=path
        ) from error
    finally:
        beside.unlink(missing_ok=True)


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
    axes.set_title(_plain(chart.title), fontsize=10)
    axes.set_xlabel(_plain(chart.x))
    axes.set_ylabel(_plain(chart.y))
    axes.spines[["top", "right"]].set_visible(False)
    values = axes.xaxis if isinstance(chart, StackedBars) else axes.yaxis
    values.set_major_formatter(lambda value, _: f"{value:,.10g}")
    values.grid(color=(INK, 0.15), linewidth=0.6)
    axes.set_axisbelow(True)
    if isinstance(chart, Bars | StackedBars) and len(chart.series) > 1:
        # below the axes, where it covers nothing
        figure.legend(loc="outside lower center", ncols=min(4, len(chart.series)), frameon=False, fontsize=8)
    return figure


def _plain(text: str) -> str:
    """Text as it is: a dollar sign begins no formula, and a name that begins with _ is shown too."""
    return text.replace("$", r"\$")


def _draw_bars(axes: Axes, chart: Bars) -> None:
    width = 0.8 / max(1, len(chart.series))
    for number, (name, values) in enumerate(chart.series.items()):
        at = [place + (number - (len(chart.series) - 1) / 2) * width for place in range(len(values))]
        axes.bar(
            at,
            [value or 0 for value in values],
            width,
            label=_named(name),
            color=FILLS[number % len(FILLS)],
            hatch=HATCHES[number % len(HATCHES)],
            edgecolor=INK,
            linewidth=0.6,
        )
    axes.set_xticks(range(len(chart.labels)), [_plain(label) for label in chart.labels])


def _draw_stacked_bars(figure: Figure, axes: Axes, chart: StackedBars) -> None:
    figure.set_size_inches(7, 1.3 + 0.28 * len(chart.labels))
    lefts = [0] * len(chart.labels)
    for number, (name, values) in enumerate(chart.series.items()):
        bars = axes.barh(
            range(len(values)),
            values,
            0.7,
            lefts,
            label=_named(name),
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
    axes.set_yticks(range(len(chart.labels)), [_plain(_shorten(label)) for label in chart.labels])
    axes.invert_yaxis()  # the first on top


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
    """Write labels below points that are counted from 0: all of them if they are few, or evenly spaced ones."""
    steps = min(len(labels), TICKS) - 1
    shown = sorted({round(step * (len(labels) - 1) / max(steps, 1)) for step in range(steps + 1)})
    axes.set_xticks(shown, [_plain(labels[at]) for at in shown])


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _draw_curves(figure: Figure, axes: Axes, chart: Curves) -> None:
    """On the left full lines and marks, on the right dashed lines and hollow marks."""
    figure.set_size_inches(7, 4.4)  # there is more below it
    other = axes.twinx()
    drawn = []
    for own, side, dashes in ((axes, chart.series, "-"), (other, chart.right, "--")):
        for number, (name, values) in enumerate(side.items()):
            colour = INK if number == 0 else FILLS[(number - 1) % 3]
            points = [float("nan") if value is None else value for value in values]
            drawn += own.plot(
                range(len(points)),
                points,
                label=_named(name),
                color=colour,
                marker=MARKERS[number % len(MARKERS)],
                markerfacecolor=colour if own is axes else "none",
                linestyle=dashes,
            )
            if chart.spread is not None and name in chart.spread:
                own.errorbar(range(len(points)), points, chart.spread[name], fmt="none", ecolor=colour, capsize=3)
    _label_points(axes, chart.labels)
    other.set_ylabel(_plain(chart.y_right))
    other.set_ylim(bottom=0)
    other.spines["top"].set_visible(False)
    figure.legend(handles=drawn, loc="outside lower center", ncols=2, frameon=False, fontsize=8)


def _draw_boxes(axes: Axes, chart: Boxes) -> None:
    line = {"color": INK}
    axes.boxplot(
        list(chart.series.values()),
        patch_artist=True,
        boxprops={"facecolor": (INK, 0.12), "edgecolor": INK},  # a veil of ink, on light paper and on dark
        whiskerprops=line,
        capprops=line,
        medianprops={"color": INK, "linewidth": 2},
        flierprops={"marker": "o", "markersize": 3, "markerfacecolor": "none", "markeredgecolor": INK},
    )
    names = [_plain(name) for name in chart.series]
    slanted = sum(map(len, names)) > 70
    axes.set_xticks(range(1, len(names) + 1), names, rotation=35 if slanted else 0, ha="right" if slanted else "center")


def _named(name: str) -> str:
    """A name in the legend; matplotlib would hide one that begins with an underscore."""
    return _plain(f"\u200b{name}" if name.startswith("_") else name)
