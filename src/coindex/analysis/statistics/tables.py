"""The statistics tables of CRAC 2022 (1 and 9 to 14) and PreCo (Table 4 and Figure 4; Chen et al. 2018), by name.

By default singletons are included as in the papers. The caption of Table 11 does not specify whether they are, but its
numbers show it: 10.2 % of the mentions of Table 10 consist of empty nodes only, but only 9.9 % of those of Table 11
contain an empty node at all, so Table 11 must have more mentions.

The rate of unknown words in Table 4 of PreCo needs a training corpus: see `coindex overlap`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ...scoring.corpus import TAGS
from ..tables import Column, Row, Table, Value
from .counts import Counts, MentionCounts, ratio, signature, total_of
from .survey import DocumentRow, Survey


@dataclass(frozen=True, slots=True)
class Spread:
    """A summary of numbers: quartiles are interpolated; `sd` is the sample standard deviation, None for one number."""

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
        """Return the spread of some numbers.

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


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, or None if the numbers of one side are all equal.

    >>> rank_correlation([1, 2, 30], [5, 6, 7]), rank_correlation([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return statistics.correlation(_rank(first), _rank(second))


def _rank(numbers: Sequence[float]) -> list[float]:
    """Return the rank of each number; equal numbers share the mean of their ranks."""
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
"""Outliers are further from the nearer quartile than this many interquartile ranges (Tukey)."""
NO_GENRE = "(none)"
NO_ID = "(no id)"
SurveyByCorpus = Mapping[str, Survey]
"""Surveys by the name of the corpus."""
Measure = Callable[[DocumentRow], float | None]

MEASURES: dict[str, tuple[str, Measure]] = {
    "words": ("words", lambda row: row.words),
    "mentions_per_1k": ("mentions per 1k words", lambda row: row.mention_density),
    "entities_per_1k": ("entities per 1k words", lambda row: row.entity_density),
    "entity_length": ("mentions per entity", lambda row: row.entity_length),
    "singleton_rate": ("share of singletons", lambda row: row.singleton_rate),
}


def genre_table(surveys: SurveyByCorpus) -> Table:
    """Return a table with a row for each genre; corpora without genres are omitted."""
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
    for name, survey in surveys.items():
        for genre in sorted(survey.genres, key=lambda genre: (not genre, genre)) if survey.has_genres else ():
            rows.append(_row(name, "genre", genre or NO_GENRE, _genre_values(survey.genres[genre].settled()), surveys))
    return Table(name="genres", title="Genres", columns=columns, rows=rows, stub="genre")


def _genre_values(corpus_counts: Counts) -> list[Value]:
    mentions = corpus_counts.mentions(singletons=True)
    entities = corpus_counts.sizes.total()
    return [
        corpus_counts.documents,
        corpus_counts.words,
        ratio(1000 * entities, corpus_counts.words),
        ratio(total_of(corpus_counts.sizes), entities),
        ratio(1000 * mentions.total, corpus_counts.words),
        ratio(mentions.words, mentions.total),
        ratio(corpus_counts.singletons.total, mentions.total),
    ]


def document_table(surveys: SurveyByCorpus) -> Table:
    """Return a table with a row for each document, sorted by id."""
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
    for name, survey in surveys.items():
        for document in sorted(survey.documents):
            sizes: list[Value] = [
                document.genre,
                document.sentences,
                document.words,
                document.zeros,
                document.entities,
                document.mentions,
            ]
            shares = [
                document.mention_density,
                document.entity_density,
                document.entity_length,
                document.singleton_rate,
            ]
            rows.append(_row(name, "document", document.id or NO_ID, [*sizes, *shares], surveys))
    return Table(name="documents", title="Documents", columns=columns, rows=rows, stub="document")


def spread_table(surveys: SurveyByCorpus) -> Table:
    """Return a table of the quartiles of each measure over documents, the number of outliers, and the furthest one.

    Corpora of one document are omitted.
    """
    titles = {"lowest": "lowest", "q1": "Q1", "median": "median", "q3": "Q3", "highest": "highest"}
    columns = [
        *(Column(name, title, "number", decimals=2) for name, title in titles.items()),
        Column("outliers", "outliers", "number"),
        Column("furthest", "furthest outlier", "name"),
    ]
    rows = []
    for name, survey in surveys.items():
        for measure, (title, value) in MEASURES.items() if len(survey.documents) > 1 else ():
            values = spread(
                [(number, row.id or NO_ID) for row in survey.documents if (number := value(row)) is not None]
            )
            rows.append(_row(name, "measure", measure, values, surveys, label=title))
    remark = f"Outliers are more than {FAR:g} interquartile ranges below Q1 or above Q3."
    return Table(
        name="spread", title="Spread over documents", columns=columns, rows=rows, stub="measure", remarks=[remark]
    )


def spread(numbers: list[tuple[float, str]]) -> list[Value]:
    """Return minimum, quartiles, maximum, number of outliers and the furthest outlier of named numbers.

    >>> spread([(1, "a"), (2, "b"), (3, "c"), (4, "d"), (90, "e")])
    [1.0, 2.0, 3.0, 4.0, 90.0, 1, 'e']
    >>> spread([])
    [None, None, None, None, None, 0, None]
    """
    if not numbers:
        return [None, None, None, None, None, 0, None]
    whole = Spread.of([float(number) for number, _ in numbers])
    low, high = whole.first_quartile, whole.third_quartile

    def beyond(number: float) -> float:
        return max(low - number, number - high)

    outliers = [(-beyond(number), name) for number, name in numbers if beyond(number) > FAR * (high - low)]
    furthest = min(outliers)[1] if outliers else None
    return [whole.least, low, whole.median, high, whole.most, len(outliers), furthest]


def _row(corpus: str, kind: str, name: str, values: list[Value], surveys: SurveyByCorpus, *, label: str = "") -> Row:
    """Return a row about a part of a corpus; several corpora are sections."""
    return Row(
        label=label or name,
        values=values,
        section=corpus if len(surveys) > 1 else "",
        keys={"corpus": corpus, kind: name},
        signature=signature("yes"),
    )


SIZES = range(1, 6)
LENGTHS = range(6)
SELECTED = TAGS[:8]
"""The tags with a column; all others are "other"."""
By = Mapping[str, Counts]
"""Counts by the name of the corpus or system."""


def dataset_table(counts: By, *, stub: str = "dataset") -> Table:
    """Return Table 1: the size of each dataset, with all entities and non-singleton mentions."""
    names = {
        "documents": "docs",
        "sentences": "sents",
        "words": "words",
        "zeros": "zeros",
        "entities": "entities",
        "entity_length": "avg. len.",
        "non_singletons": "non-singletons",
    }
    columns = [_number(name, title, decimals=1) for name, title in names.items()]

    def values(corpus_counts: Counts) -> list[Value]:
        entities = corpus_counts.sizes.total()
        mean = ratio(total_of(corpus_counts.sizes), entities)
        return [
            corpus_counts.documents,
            corpus_counts.sentences,
            corpus_counts.words,
            corpus_counts.zeros,
            entities,
            mean,
            corpus_counts.others.total,
        ]

    return make_table("dataset", "Sizes of the datasets", columns, counts, values, stub=stub, sing="yes")


def entity_table(counts: By, *, singletons: bool = True, stub: str = "system") -> Table:
    """Return Tables 9 and 12: entities by the number of their mentions."""
    columns = _totals("entities") + _shares("size", SIZES, "distribution of lengths [%]")

    def values(corpus_counts: Counts) -> list[Value]:
        sizes = corpus_counts.entity_sizes(singletons=singletons)
        return _totals_of(sizes, corpus_counts.words) + distribution(sizes, SIZES)

    return make_table("entities", "Entities", columns, counts, values, stub=stub, sing=_yes(singletons))


def mention_table(counts: By, *, singletons: bool = False, stub: str = "system") -> Table:
    """Return Tables 10 and 13: mentions by the number of their words, by default without singletons."""
    columns = _totals("mentions") + _shares("length", LENGTHS, "distribution of lengths [%]")

    def values(corpus_counts: Counts) -> list[Value]:
        lengths = corpus_counts.mentions(singletons=singletons).lengths
        return _totals_of(lengths, corpus_counts.words) + distribution(lengths, LENGTHS)

    title = "Mentions" if singletons else "Non-singleton mentions"
    return make_table("mentions", title, columns, counts, values, stub=stub, sing=_yes(singletons))


def mention_type_table(counts: By, *, singletons: bool = True, stub: str = "system") -> Table:
    """Return the left part of Tables 11 and 14: mentions with empty nodes, with gaps, and without a connected tree."""
    return _details("mention_types", "Types of mentions", counts, [_TYPES], singletons, stub)


def upos_table(counts: By, *, singletons: bool = True, stub: str = "system") -> Table:
    """Return the right part of Tables 11 and 14: the universal tags of heads."""
    return _details("head_upos", "Heads of mentions", counts, [_HEADS], singletons, stub)


def detail_table(counts: By, *, singletons: bool = True, stub: str = "system") -> Table:
    """Return Tables 11 and 14 as printed, with both parts side by side."""
    return _details("details", "Details of mentions", counts, [_TYPES, _HEADS], singletons, stub)


Part = tuple[Sequence[Column], Callable[[MentionCounts], list[Value]]]


def _type_values(mentions: MentionCounts) -> list[Value]:
    return [
        ratio(mentions.with_empty, mentions.total),
        ratio(mentions.with_gap, mentions.total),
        ratio(mentions.non_treelet, mentions.in_trees),
    ]


def _head_values(mentions: MentionCounts) -> list[Value]:
    if set(mentions.heads) <= {"_"}:  # a corpus without tags
        return [None] * (len(SELECTED) + 1)
    selected = [mentions.heads[tag] for tag in SELECTED]
    return [ratio(number, mentions.total) for number in (*selected, mentions.total - sum(selected))]


_TYPES: Part = (
    [
        Column("with_empty", "w/empty", group="mention type [%]", decimals=1),
        Column("with_gap", "w/gap", group="mention type [%]", decimals=1),
        Column("non_treelet", "non-tree", group="mention type [%]", decimals=1),
    ],
    _type_values,
)
_HEADS: Part = (
    [Column(f"head_{tag}", tag, group="head UPOS [%]", decimals=1) for tag in (*SELECTED, "other")],
    _head_values,
)


def _details(name: str, title: str, counts: By, parts: Sequence[Part], singletons: bool, stub: str) -> Table:
    columns = [column for columns, _ in parts for column in columns]

    def values(corpus_counts: Counts) -> list[Value]:
        mentions = corpus_counts.mentions(singletons=singletons)
        return [value for _, values in parts for value in values(mentions)]

    return make_table(name, title, columns, counts, values, stub=stub, sing=_yes(singletons))


def _number(name: str, title: str, *, group: str = "", decimals: int = 0) -> Column:
    return Column(name, title, "number", group=group, decimals=decimals)


def _totals(group: str) -> list[Column]:
    return [
        _number("total", "total", group=group),
        _number("per_1k", "per 1k words", group=group),
        _number("length_max", "length max", group=group),
        _number("length_avg", "avg.", group=group, decimals=1),
    ]


def _totals_of(numbers: Mapping[int, int], words: int) -> list[Value]:
    total = sum(numbers.values())
    longest = max(numbers, default=None)
    per_thousand = ratio(1000 * total, words)
    return [total, per_thousand, longest, ratio(total_of(numbers), total)]


def _shares(name: str, steps: range, group: str) -> list[Column]:
    """Return a column for each step; the last includes everything above it."""
    titles = [*(str(step) for step in steps[:-1]), f"{steps[-1]}+"]
    return [Column(f"{name}_{title}", title, group=group, decimals=1) for title in titles]


def distribution(numbers: Mapping[int, int], steps: range) -> list[Value]:
    """Return the share of each step; the last includes everything above it. Without any numbers, shares are None."""
    total = sum(numbers.values())
    below = [numbers.get(step, 0) for step in steps[:-1]]
    last = sum(number for step, number in numbers.items() if step >= steps[-1])
    return [ratio(number, total) for number in (*below, last)]


def make_table(
    name: str,
    title: str,
    columns: Sequence[Column],
    counts: By,
    values: Callable[[Counts], list[Value]],
    *,
    stub: str,
    sing: str,
    **more: Any,
) -> Table:
    """Return a table with a row for each corpus or system; `sing` specifies whether singletons are included."""
    rows = [
        Row(label=label, values=values(corpus_counts.settled()), keys={stub: label}, signature=signature(sing))
        for label, corpus_counts in counts.items()
    ]
    return Table(name=name, title=title, columns=columns, rows=rows, stub=stub, **more)


def _yes(singletons: bool) -> str:
    return "yes" if singletons else "no"


CLUSTER_SIZES = range(2, 17)
"""The steps of Figure 4; the last is 16 or more."""
_OTHERS, _SINGLES = "non-singleton mentions", "singleton mentions"


def property_table(counts: By, *, stub: str = "corpus") -> Table:
    """Return Table 4. A density is the number of mentions or clusters per token."""
    columns = [
        Column("documents", "documents", "number"),
        Column("tokens", "tokens", "number"),
        Column("tokens_per_document", "tokens per document", "number", decimals=0),
        Column("mention_length", "mention length", "number", group=_OTHERS, decimals=2),
        Column("mention_density", "density", "number", group=_OTHERS, decimals=2),
        Column("cluster_size", "cluster size", "number", group=_OTHERS, decimals=2),
        Column("cluster_density", "cluster density", "number", group=_OTHERS, decimals=3),
        Column("singleton_length", "length", "number", group=_SINGLES, decimals=2),
        Column("singleton_density", "density", "number", group=_SINGLES, decimals=2),
        Column("singleton_rate", "rate [%]", group=_SINGLES, decimals=1),
    ]

    def values(corpus_counts: Counts) -> list[Value]:
        clusters = corpus_counts.entity_sizes(singletons=False)
        several, alone = corpus_counts.others, corpus_counts.singletons
        return [
            corpus_counts.documents,
            corpus_counts.words,
            ratio(corpus_counts.words, corpus_counts.documents),
            ratio(several.words, several.total),
            ratio(several.total, corpus_counts.words),
            ratio(total_of(clusters), clusters.total()),
            ratio(clusters.total(), corpus_counts.words),
            ratio(alone.words, alone.total),
            ratio(alone.total, corpus_counts.words),
            ratio(alone.total, alone.total + several.total),
        ]

    return make_table("properties", "Properties of the corpora", columns, counts, values, stub=stub, sing="apart")


def cluster_size_table(counts: By, *, stub: str = "corpus") -> Table:
    """Return Figure 4 as a table: the distribution of the sizes of non-singleton entities."""
    titles = [*(str(size) for size in CLUSTER_SIZES[:-1]), f"{CLUSTER_SIZES[-1]}+"]
    columns = [Column(f"size_{title}", title, group="number of mentions [%]", decimals=1) for title in titles]

    def values(corpus_counts: Counts) -> list[Value]:
        return distribution(corpus_counts.entity_sizes(singletons=False), CLUSTER_SIZES)

    title = "Sizes of non-singleton entities"
    return make_table("cluster_sizes", title, columns, counts, values, stub=stub, sing="no")


Surveys = Mapping[str, Survey]
STUB = "corpus"


def _choose_singletons(singletons: bool | None, paper: bool) -> bool:
    """Return whether singletons count: by default as in the paper."""
    return paper if singletons is None else singletons


def all_tables(surveys: Surveys, *, singletons: bool | None = None) -> dict[str, Table]:
    """Return all tables by name.

    Parameters:
        surveys: The statistics of corpora by name.
        singletons: Whether singletons are included in the tables of entities and mentions; by default as in the papers.
    """
    totals = {name: survey.total.settled() for name, survey in surveys.items()}
    tables = [
        dataset_table(totals, stub=STUB),
        entity_table(totals, singletons=_choose_singletons(singletons, True), stub=STUB),
        mention_table(totals, singletons=_choose_singletons(singletons, False), stub=STUB),
        detail_table(totals, singletons=_choose_singletons(singletons, True), stub=STUB),
        property_table(totals, stub=STUB),
        cluster_size_table(totals, stub=STUB),
        genre_table(surveys),
        spread_table(surveys),
        document_table(surveys),
    ]
    return {table.name: table for table in tables}


TABLES = {
    "dataset": "sizes of the corpora (CRAC 2022, Table 1)",
    "entities": "entities and their lengths (CRAC 2022, Tables 9 and 12)",
    "mentions": "mentions and their lengths (CRAC 2022, Tables 10 and 13)",
    "details": "types of mentions, tags of heads (CRAC 2022, Tables 11 and 14)",
    "properties": "lengths and densities, with separate singletons (PreCo, Table 4)",
    "cluster_sizes": "sizes of entities with several mentions (PreCo, Figure 4)",
    "genres": "one row per genre",
    "spread": "quartiles over documents, outliers",
    "documents": "one row per document",
}
LONG = ("documents",)
"""Tables that are shown only on request."""
