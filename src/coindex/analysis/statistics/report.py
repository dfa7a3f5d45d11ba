"""Write corpus statistics as an HTML page: tables, charts, and lists of documents, entities and mentions.

The lists are embedded as compressed columns, with repeated texts replaced by numbers. The script shows one page of a
list at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from ...render.escaping import escape
from ...render.html import pack_json
from ..figures import Bars, Boxes, Chart, fragment, inline, script_of, shell
from ..tables import Table
from .survey import Survey
from .tables import NO_GENRE, NO_ID

MOST_BOXES = 30
"""The maximum number of genres or corpora that are legible in one chart."""


def charts(surveys: Mapping[str, Survey], tables: Mapping[str, Table]) -> list[Chart]:
    """Return the charts: Figure 4 of PreCo, lengths of mentions, heads of mentions, and densities of documents."""
    sizes, lengths, heads = (tables[name] for name in ("cluster_sizes", "mentions", "details"))
    drawn: list[Chart | None] = [
        _draw_bars(sizes, "size_", "cluster_sizes", sizes.title, "mentions in an entity", "entities [%]"),
        _draw_bars(lengths, "length_", "mention_lengths", f"{lengths.title} by length", "words", "mentions [%]"),
        _draw_bars(heads, "head_", "head_upos", f"{heads.title}: heads", "UPOS of the head", "mentions [%]"),
        _draw_densities(surveys),
    ]
    return [chart for chart in drawn if chart is not None]


def _draw_bars(table: Table, prefix: str, name: str, title: str, x: str, y: str) -> Bars | None:
    """Return a chart of the columns of shares with this prefix, or None if there are no values."""
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


def _draw_densities(surveys: Mapping[str, Survey]) -> Boxes | None:
    """Return a chart of mentions per thousand words of documents, by corpus, or by genre if there is one corpus."""
    groups: dict[str, Sequence[float]] = {}
    if len(surveys) == 1 and (only := next(iter(surveys.values()))).has_genres:
        for genre in sorted(only.genres, key=lambda genre: (not genre, genre)):
            groups[genre or NO_GENRE] = _collect_densities(only, genre)
    else:
        groups = {name: _collect_densities(survey) for name, survey in surveys.items()}
    groups = {name: numbers for name, numbers in groups.items() if numbers}
    if not groups or len(groups) > MOST_BOXES:
        return None
    title = "Density of mentions in documents"
    return Boxes(name="density", title=title, y="mentions per 1k words", series=groups)


def _collect_densities(survey: Survey, genre: str | None = None) -> list[float]:
    rows = (row for row in survey.documents if genre is None or row.genre == genre)
    return sorted(density for row in rows if (density := row.mention_density) is not None)


FEW = 4
"""A column of texts is embedded as numbers if each text occurs this often on average."""
MOST_CHOICES = 60
"""A column with at most this many distinct texts has a menu to filter by them."""


def report_page(surveys: Mapping[str, Survey], tables: Mapping[str, Table], shown: Sequence[str], title: str) -> str:
    """Return the page; `shown` names its tables."""
    pictures = "".join(f"<figure>{inline(chart)}</figure>\n" for chart in charts(surveys, tables))
    body = (
        f'<h1>{escape(title)}</h1>\n<nav><a href="#tables">tables</a> <a href="#charts">charts</a> '
        '<a href="#lists">documents, entities, mentions</a></nav>\n<div id="tables">\n'
        f"{fragment([tables[name] for name in shown if tables[name].rows])}"
        f'</div>\n<section class="charts" id="charts">\n{pictures}</section>\n'
        '<div id="lists"><noscript>The lists need JavaScript.</noscript></div>\n'
        f'<script type="text/plain" id="data">{pack_json(_data(surveys))}</script>\n'
    )
    return shell(title, body, style=_style(), script=script_of(__package__, ["report"]))


def _data(surveys: Mapping[str, Survey]) -> dict[str, Any]:
    return {"corpora": [{"name": name, "lists": list(_make_lists(survey))} for name, survey in surveys.items()]}


def _make_lists(survey: Survey) -> Iterator[dict[str, Any]]:
    documents = sorted(survey.documents)
    yield _list(
        "Documents",
        [
            _texts("document", [row.id or NO_ID for row in documents], search=True),
            _texts("genre", [row.genre for row in documents]),
            _numbers("words", [row.words for row in documents]),
            _numbers("sentences", [row.sentences for row in documents]),
            _numbers("entities", [row.entities for row in documents]),
            _numbers("mentions", [row.mentions for row in documents]),
            _measures("mentions per 1k words", (row.mention_density for row in documents)),
            _measures("entities per 1k words", (row.entity_density for row in documents)),
            _measures("singletons [%]", (row.singleton_rate for row in documents), 100),
        ],
    )
    if survey.lists is None:
        return
    genres = {row.id: row.genre for row in documents}
    entities, mentions = survey.lists.entities, survey.lists.mentions
    yield _list(
        "Entities",
        [
            _texts("entity", [row.name for row in entities], search=True),
            _numbers("mentions", [row.mentions for row in entities], at_least=True),
            _texts("type", [row.type for row in entities]),
            _texts("document", [row.document or NO_ID for row in entities], search=True),
            _texts("genre", [genres.get(row.document, "") for row in entities]),
        ],
    )
    yield _list(
        "Mentions",
        [
            _texts("mention", [form.text for form, _ in mentions], search=True),
            _numbers("occurrences", [counts.times for _, counts in mentions], at_least=True),
            _numbers("entities", [counts.entities for _, counts in mentions]),
            _numbers("as singleton", [counts.alone for _, counts in mentions]),
            _numbers("words", [form.words for form, _ in mentions]),
            _texts("head", ["" if form.tag == "_" else form.tag for form, _ in mentions]),
        ],
    )


def _list(name: str, columns: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
    """Return a list without its empty columns."""
    return {"name": name, "columns": [column for column in columns if column is not None]}


def _texts(title: str, values: Sequence[str], *, search: bool = False) -> dict[str, Any] | None:
    """Return a column of texts, or None if all are empty."""
    distinct = sorted(set(values))
    if distinct in ([], [""]):
        return None
    choose = not search and 1 < len(distinct) <= MOST_CHOICES
    column: dict[str, Any] = {"title": title, "search": search, "choose": choose}
    if not choose and len(values) < FEW * len(distinct):
        return {**column, "values": values}
    number = {text: at for at, text in enumerate(distinct)}
    return {**column, "texts": distinct, "values": [number[text] for text in values]}


def _numbers(title: str, values: Sequence[int], *, at_least: bool = False) -> dict[str, Any]:
    """Return a column of integers; with `at_least`, it has a field for the minimum."""
    return {"title": title, "number": True, "decimals": 0, "atLeast": at_least, "values": values}


def _measures(title: str, values: Iterable[float | None], by: int = 1) -> dict[str, Any]:
    """Return a column of numbers with one decimal; None for a missing value."""
    rounded = [None if value is None else round(by * value, 1) for value in values]
    return {"title": title, "number": True, "decimals": 1, "values": rounded}


@cache
def _style() -> str:
    return resources.files(__package__).joinpath("report.css").read_text(encoding="utf-8")
