"""The tables as charts: distributions side by side, and how documents differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..figures import Bars, Boxes, Chart
from ..tables import Table
from .spread import NO_GENRE
from .survey import Survey

MOST_BOXES = 30
"""More genres or corpora than these cannot be told apart in one chart."""


def charts(surveys: Mapping[str, Survey], tables: Mapping[str, Table]) -> list[Chart]:
    """Figure 4 of PreCo, lengths of mentions, heads, and the densities of documents."""
    sizes, lengths, heads = (tables[name] for name in ("cluster_sizes", "mentions", "details"))
    found: list[Chart | None] = [
        _bars(sizes, "size_", "cluster_sizes", sizes.title, "mentions in an entity", "entities [%]"),
        _bars(lengths, "length_", "mention_lengths", f"{lengths.title} by length", "words", "mentions [%]"),
        _bars(heads, "head_", "head_upos", f"{heads.title}: their heads", "UPOS of the head", "mentions [%]"),
        _densities(surveys),
    ]
    return [chart for chart in found if chart is not None]


def _bars(table: Table, prefix: str, name: str, title: str, x: str, y: str) -> Bars | None:
    """The shares of a table whose columns begin so; None where there are none."""
    chosen = [at for at, column in enumerate(table.columns) if column.name.startswith(prefix) and _is_share(table, at)]
    series = {row.label: [_percent(row.values[at]) for at in chosen] for row in table.rows}
    if all(value is None for values in series.values() for value in values):
        return None
    labels = [table.columns[at].title for at in chosen]
    return Bars(name=name, title=title, x=x, y=y, labels=labels, series=series)


def _is_share(table: Table, at: int) -> bool:
    return table.columns[at].kind == "percent"


def _percent(value: object) -> float | None:
    return 100 * value if isinstance(value, int | float) else None


def _densities(surveys: Mapping[str, Survey]) -> Boxes | None:
    """Mentions per thousand words of the documents: of each corpus, or where there is one, of each genre."""
    groups: dict[str, Sequence[float]] = {}
    if len(surveys) == 1 and (only := next(iter(surveys.values()))).has_genres:
        for genre in sorted(only.genres, key=lambda genre: (not genre, genre)):
            groups[genre or NO_GENRE] = _numbers(only, genre)
    else:
        groups = {name: _numbers(one) for name, one in surveys.items()}
    groups = {name: numbers for name, numbers in groups.items() if numbers}
    if not groups or len(groups) > MOST_BOXES:
        return None
    title = "Density of mentions in documents"
    return Boxes(name="density", title=title, y="mentions per 1k words", series=groups)


def _numbers(one: Survey, genre: str | None = None) -> list[float]:
    rows = (row for row in one.documents if genre is None or row.genre == genre)
    return sorted(density for row in rows if (density := row.mention_density) is not None)
