"""Small charts as SVG in the page: no script, no styles of their own, colours from the style sheet, dark mode too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

WIDTH = 720
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 14, 34
HEIGHT = 240
BAR = 26
NAMES = 150
LONGEST_NAME = 20


def lines(points: Sequence[tuple[str, int]], *, goal: int, title: str) -> Markup:
    """Values that grow over days, with a dashed line at the goal; nothing where there are no points."""
    if not points:
        return Markup()
    top = nice_top(max(goal, *(value for _, value in points)))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(number: int) -> float:
        return LEFT + (width * number / (len(points) - 1) if len(points) > 1 else width / 2)

    def y(value: float) -> float:
        return TOP + height * (1 - value / top)

    parts = [_grid(top, y)]
    parts += [
        Markup('<text class="axis" x="{}" y="{}" text-anchor="{}">{}</text>').format(
            _n(x(at)), HEIGHT - 12, "middle" if 0 < at < len(points) - 1 or len(points) == 1 else anchor, points[at][0]
        )
        for at, anchor in _labelled(len(points))
    ]
    path = " ".join(f"{'L' if at else 'M'}{_n(x(at))} {_n(y(value))}" for at, (_, value) in enumerate(points))
    ground = f"{path} L{_n(x(len(points) - 1))} {_n(y(0))} L{_n(x(0))} {_n(y(0))} Z"
    parts.append(Markup('<path class="area" d="{}"/><path class="line" d="{}"/>').format(ground, path))
    if goal:
        at = _n(y(goal))
        parts.append(Markup('<path class="goal" d="M{} {} H{}"/>').format(LEFT, at, WIDTH - RIGHT))
    dots = [
        Markup('<circle class="dot" cx="{}" cy="{}" r="3"><title>{}: {}</title></circle>').format(
            _n(x(at)), _n(y(value)), day, f"{value:,}"
        )
        for at, (day, value) in enumerate(points)
        if at in (0, len(points) - 1) or value != points[at - 1][1]
    ]
    return _svg(HEIGHT, title, [*parts, *dots])


def stacked_bars(rows: Sequence[tuple[str, Sequence[int]]], *, series: Sequence[str], title: str) -> Markup:
    """A bar for each row, its parts one after the other in the order of the series."""
    if not rows:
        return Markup()
    top = nice_top(max(sum(values) for _, values in rows))
    width = WIDTH - NAMES - LEFT
    parts: list[Markup] = []
    for number, (name, values) in enumerate(rows):
        y = TOP + number * BAR
        short = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
        parts.append(
            Markup('<text class="axis" x="{}" y="{}" text-anchor="end">{}</text>').format(NAMES - 8, y + 14, short)
        )
        x = float(NAMES)
        for at, value in enumerate(values):
            length = width * value / top
            parts.append(
                Markup(
                    '<rect class="part-{}" x="{}" y="{}" width="{}" height="{}"><title>{}, {}: {}</title></rect>'
                ).format(at, _n(x), y, _n(length), BAR - 8, name, series[at], f"{value:,}")
            )
            x += length
        parts.append(Markup('<text class="axis" x="{}" y="{}">{}</text>').format(_n(x + 6), y + 14, f"{sum(values):,}"))
    below = TOP + len(rows) * BAR + 18
    for at, name in enumerate(series):
        x = NAMES + at * 110
        parts.append(
            Markup('<rect class="part-{}" x="{}" y="{}" width="12" height="12"/>').format(at, x, below - 10)
            + Markup('<text class="axis" x="{}" y="{}">{}</text>').format(x + 18, below, name)
        )
    return _svg(below + 10, title, parts)


def nice_top(value: float) -> int:
    """The end of an axis: the next of 1, 2, 4, 5, 8 times a power of ten.

    >>> [nice_top(value) for value in (0, 7, 31, 1204)]
    [1, 8, 40, 2000]
    """
    power = 1
    while True:
        for step in (1, 2, 4, 5, 8):
            if step * power >= value:
                return step * power
        power *= 10


def _grid(top: int, y: Callable[[float], float]) -> Markup:
    found = Markup()
    for quarter in range(5):
        value = top * quarter / 4
        at = _n(y(value))
        label = f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
        found += Markup(
            '<path class="grid" d="M{} {} H{}"/><text class="axis" x="{}" y="{}" text-anchor="end">{}</text>'
        ).format(LEFT, at, WIDTH - RIGHT, LEFT - 8, _n(y(value) + 4), label)
    return found


def _labelled(count: int) -> list[tuple[int, str]]:
    """The points that get a label, and how it stands when it is at an edge."""
    chosen = {0: "start", count - 1: "end"}
    if count > 4:
        chosen[count // 2] = "middle"
    return sorted(chosen.items())


def _svg(height: int, title: str, parts: Sequence[Markup]) -> Markup:
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, escape(title), Markup().join(parts)
    )


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
