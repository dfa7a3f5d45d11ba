"""How documents differ: genres side by side, the documents one by one, and their spread with the odd ones out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..spread import Spread
from ..tables import Column, Row, Table, Value
from .counts import Counts, ratio, total_of
from .crac import signature
from .survey import DocumentRow, Survey

FAR = 1.5
"""A document is an outlier where it is further from the nearer quartile than this many times their distance (Tukey)."""
NO_GENRE = "(none)"
NO_ID = "(no id)"
By = Mapping[str, Survey]
"""Surveys by the name of the corpus."""
Measure = Callable[[DocumentRow], float | None]

MEASURES: dict[str, tuple[str, Measure]] = {
    "words": ("words", lambda row: row.words),
    "mentions_per_1k": ("mentions per 1k words", lambda row: row.mention_density),
    "entities_per_1k": ("entities per 1k words", lambda row: row.entity_density),
    "entity_length": ("mentions per entity", lambda row: row.entity_length),
    "singleton_rate": ("share of singletons", lambda row: row.singleton_rate),
}


def genre_table(surveys: By) -> Table:
    """A row for each genre, under its corpus; corpora without any genre are left out."""
    columns = [
        Column("documents", "docs", "number"),
        Column("words", "words", "number"),
        Column("entities_per_1k", "per 1k words", "number", group="entities", decimals=0),
        Column("entity_length", "avg. len.", "number", group="entities", decimals=1),
        Column("mentions_per_1k", "per 1k words", "number", group="mentions", decimals=0),
        Column("mention_length", "avg. len.", "number", group="mentions", decimals=1),
        Column("singleton_rate", "singletons [%]", group="mentions", decimals=1),
    ]
    rows = []
    for name, found in surveys.items():
        for genre in sorted(found.genres, key=lambda genre: (not genre, genre)) if found.has_genres else ():
            rows.append(_row(name, "genre", genre or NO_GENRE, _genre_values(found.genres[genre].settled()), surveys))
    return Table(name="genres", title="Genres", columns=columns, rows=rows, stub="genre")


def _genre_values(one: Counts) -> list[Value]:
    mentions = one.mentions(singletons=True)
    entities = one.sizes.total()
    return [
        one.documents,
        one.words,
        ratio(1000 * entities, one.words),
        ratio(total_of(one.sizes), entities),
        ratio(1000 * mentions.total, one.words),
        ratio(mentions.words, mentions.total),
        ratio(one.singletons.total, mentions.total),
    ]


def document_table(surveys: By) -> Table:
    """A row for each document, in the order of their ids."""
    columns = [
        Column("genre", "genre", "name"),
        Column("sentences", "sents", "number"),
        Column("words", "words", "number"),
        Column("zeros", "zeros", "number"),
        Column("entities", "entities", "number"),
        Column("mentions", "mentions", "number"),
        Column("mentions_per_1k", "mentions per 1k", "number", decimals=0),
        Column("entities_per_1k", "entities per 1k", "number", decimals=0),
        Column("entity_length", "avg. len.", "number", decimals=1),
        Column("singleton_rate", "singletons [%]", decimals=1),
    ]
    rows = []
    for name, found in surveys.items():
        for one in sorted(found.documents):
            sizes: list[Value] = [one.genre, one.sentences, one.words, one.zeros, one.entities, one.mentions]
            shares = [one.mention_density, one.entity_density, one.entity_length, one.singleton_rate]
            rows.append(_row(name, "document", one.id or NO_ID, [*sizes, *shares], surveys))
    return Table(name="documents", title="Documents", columns=columns, rows=rows, stub="document")


def spread_table(surveys: By) -> Table:
    """For each measure its quartiles over documents, how many are outliers, and which is the furthest out.

    A corpus of one document has no spread and is left out.
    """
    titles = {"lowest": "lowest", "q1": "Q1", "median": "median", "q3": "Q3", "highest": "highest"}
    columns = [
        *(Column(name, title, "number", decimals=2) for name, title in titles.items()),
        Column("outliers", "outliers", "number"),
        Column("furthest", "furthest out", "name"),
    ]
    rows = []
    for name, found in surveys.items():
        for measure, (title, value) in MEASURES.items() if len(found.documents) > 1 else ():
            values = spread(
                [(number, row.id or NO_ID) for row in found.documents if (number := value(row)) is not None]
            )
            rows.append(_row(name, "measure", measure, values, surveys, label=title))
    remark = f"An outlier is more than {FAR:g} times the distance of Q1 and Q3 below Q1 or above Q3."
    return Table(
        name="spread", title="Spread over documents", columns=columns, rows=rows, stub="measure", remarks=[remark]
    )


def spread(found: list[tuple[float, str]]) -> list[Value]:
    """Lowest, quartiles, highest, number of outliers and the furthest of numbers that have names.

    >>> spread([(1, "a"), (2, "b"), (3, "c"), (4, "d"), (90, "e")])
    [1.0, 2.0, 3.0, 4.0, 90.0, 1, 'e']
    >>> spread([])
    [None, None, None, None, None, 0, None]
    """
    if not found:
        return [None, None, None, None, None, 0, None]
    whole = Spread.of([float(number) for number, _ in found])
    low, high = whole.first_quartile, whole.third_quartile

    def beyond(number: float) -> float:
        return max(low - number, number - high)

    outliers = [(-beyond(number), name) for number, name in found if beyond(number) > FAR * (high - low)]
    furthest = min(outliers)[1] if outliers else None
    return [whole.least, low, whole.median, high, whole.most, len(outliers), furthest]


def _row(corpus: str, kind: str, name: str, values: list[Value], surveys: By, *, label: str = "") -> Row:
    """A row about part of a corpus; the corpora are sections where there are several."""
    return Row(
        label=label or name,
        values=values,
        section=corpus if len(surveys) > 1 else "",
        keys={"corpus": corpus, kind: name},
        signature=signature("yes"),
    )
