"""Charts: plain data, drawn by matplotlib, which is loaded here only and only when something is drawn.

All can be read when printed in grey: series differ in hatching, marker or line style too, and in how dark they are.
The same chart gives the same bytes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import CoindexError, MissingExtraError, UnknownNameError
from ..render.markup import escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Form = Literal["svg", "png"]
FORMS: tuple[Form, ...] = ("svg", "png")
INK = "#010203"
"""A colour that nothing else has: on pages it becomes that of the text around, so that charts follow dark mode."""
FILLS = ("#2f5d8a", "#f0b775", "#79b0a8", "#dcdcdc")
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\", "||||")
"""Lines alone: a hatch of dots takes a quarter of a megabyte of SVG."""
MARKERS = "osD^vP*X"
DASHES = ("-", "--", "-.", ":")


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
class Lines(Chart):
    """Points joined by lines, as (x, y); `log_x` where sizes grow by factors."""

    series: Mapping[str, Sequence[tuple[float, float]]]
    log_x: bool = False


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


def draw(chart: Chart, form: Form = "svg") -> bytes:
    """The chart as a file of this form."""
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
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # names in any script: a box in PNG, right in SVG
        figure = _figure(chart)
        metadata: dict[str, Any] = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, transparent=form == "svg", dpi=200, metadata=metadata)
    return out.getvalue()


def inline(chart: Chart) -> str:
    """The chart as an element of a page: in the colour of its text, with a title for those who cannot see it."""
    text = draw(chart).decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    # ids are those of the page: figures must not share any
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{chart.name}-", text)
    label = escape(chart.title)
    return text.replace(INK, "currentColor").replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


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
    elif isinstance(chart, Lines):
        _draw_lines(axes, chart)
    elif isinstance(chart, Curves):
        _draw_curves(figure, axes, chart)
    else:
        assert isinstance(chart, Boxes)
        _draw_boxes(axes, chart)
    axes.set_title(_plain(chart.title), fontsize=10)
    axes.set_xlabel(_plain(chart.x))
    axes.set_ylabel(_plain(chart.y))
    axes.spines[["top", "right"]].set_visible(False)
    if isinstance(chart, Bars | Lines) and len(chart.series) > 1:
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


def _draw_lines(axes: Axes, chart: Lines) -> None:
    for number, (name, points) in enumerate(chart.series.items()):
        axes.plot(
            [x for x, _ in points],
            [y for _, y in points],
            label=_named(name),
            color=INK if number == 0 else FILLS[(number - 1) % 3],
            marker=MARKERS[number % len(MARKERS)],
            markerfacecolor="none",
            linestyle=DASHES[number % len(DASHES)],
        )
    if chart.log_x:
        axes.set_xscale("log")


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
    axes.set_xticks(range(len(chart.labels)), [_plain(label) for label in chart.labels])
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
