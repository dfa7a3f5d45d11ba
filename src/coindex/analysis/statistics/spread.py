"""How documents differ: genres side by side, the documents one by one, spread, outliers, correlation."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..tables import Column, Row, Table, Value
from .counts import Counts, ratio, signature, total_of
from .survey import DocumentRow, Survey


@dataclass(frozen=True, slots=True)
class Spread:
    """Numbers in few: quartiles lie between neighbours where they hit none; `sd` is that of a sample, None for one."""

    number: int
    mean: float
    sd: float | None
    least: float
    first_quartile: float
    median: float
    third_quartile: float
    most: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        """The spread of some numbers.

        >>> spread = Spread.of([5, 1, 2, 4])
        >>> spread.mean, spread.least, spread.first_quartile, spread.median, spread.third_quartile, spread.most
        (3.0, 1, 1.75, 3.0, 4.25, 5)
        """
        several = len(numbers) > 1
        low, middle, high = statistics.quantiles(numbers, n=4, method="inclusive") if several else [*numbers] * 3
        return cls(
            number=len(numbers),
            mean=statistics.fmean(numbers),
            sd=statistics.stdev(numbers) if several else None,
            least=min(numbers),
            first_quartile=low,
            median=middle,
            third_quartile=high,
            most=max(numbers),
        )


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rank correlation, from -1 to 1; None where one side has no order: all alike, or a single number.

    >>> rank_correlation([1, 2, 30], [5, 6, 7]), rank_correlation([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(_ranks(one), _ranks(other))


def _ranks(numbers: Sequence[float]) -> list[float]:
    """The place of each number in their order; equal ones share the mean of their places."""
    order = sorted(range(len(numbers)), key=lambda at: numbers[at])
    ranks = [0.0] * len(numbers)
    place = 0
    for _, group in groupby(order, key=lambda at: numbers[at]):
        members = list(group)
        for at in members:
            ranks[at] = place + (len(members) - 1) / 2
        place += len(members)
    return ranks


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
