"""Tables 4 to 14 of the CRAC 2022 shared task (Žabokrtský et al. 2022) for any systems and datasets.

Means are over datasets with equal weight. Systems are sorted by the primary score, best first.

Tables 9 to 14 are statistics of the key and the responses, as defined in `analysis.statistics`: Tables 9 to 11 of all
datasets together, Tables 12 to 14 of the dataset with the most words; these are omitted if there is only one dataset.
As in the paper, the heads of responses are determined by the tree, even if a response specifies heads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from ...errors import CoindexError, quote
from ...scoring import MacroResult, Result, macro_average, make_settings
from ...scoring.corpus import TAGS
from ..statistics import Counts, detail_table, entity_table, mention_table
from ..tables import Column, Row, Table, Value
from .base import DatasetReport, ReportData, SystemData, Wanted

GOLD = "gold"
"""The name of the key in tables."""


def statistics_tables(data: ReportData) -> list[Table]:
    """Return Tables 9 to 14, or only Tables 9 to 11 if there is one dataset."""
    if GOLD in data.systems:
        raise CoindexError(
            f"the system name {quote(GOLD)} is reserved for the key in Tables 9 to 14; rename the system, or choose "
            "other tables with --tables (tables=… in Python)",
            code="reserved-name",
        )
    datasets = data.datasets
    made = _make_tables(_sum_counts(data, datasets))
    if len(datasets) > 1:
        largest = max(sorted(datasets), key=lambda name: data.key_counts[name].words)
        for table in _make_tables(_sum_counts(data, [largest])):
            made.append(replace(table, name=f"largest-{table.name}", title=f"{table.title} in {largest}"))
    return made


def _make_tables(counts: Mapping[str, Counts]) -> list[Table]:
    return [entity_table(counts), mention_table(counts), detail_table(counts)]


def _sum_counts(data: ReportData, datasets: list[str]) -> dict[str, Counts]:
    """Return the counts of the key and of each system over these datasets; datasets never share entities."""
    counts = {GOLD: sum((data.key_counts[name].settled() for name in datasets), Counts())}
    for system, by_dataset in data.systems.items():
        counts[system] = Counts()
        for name in datasets:
            own = by_dataset[name].counts
            assert own is not None, "the report requests the counts"
            counts[system] += own.settled()
    return counts


PRIMARY = "primary"
VARIANTS = {
    PRIMARY: make_settings("crac22"),
    "head-match": make_settings("crac22", match="head"),
    "exact-match": make_settings("crac22", match="exact"),
    "with-singletons": make_settings("crac22", singletons=True),
}
METRICS = {"muc": "MUC", "b3": "B³", "ceafe": "CEAF-e", "blanc": "BLANC", "lea": "LEA", "mor": "MOR"}
PARTS = {"recall": "R", "precision": "P", "f1": "F₁"}
STATISTICS = {
    "entities": "9",
    "mentions": "10",
    "details": "11",
    "largest-entities": "12",
    "largest-mentions": "13",
    "largest-details": "14",
}
TABLES = {"main": "4", "metrics": "5", "datasets": "6", "zeros": "7", "upos": "8", **STATISTICS}
SHOWN_TAGS = TAGS[:8]
"""The tags with a column in Table 8."""
Means = Mapping[str, Mapping[str, MacroResult]]
"""By system and variant."""


def want(tables: Collection[str]) -> Wanted:
    """Return the data that the tables need: all variants for Table 4, otherwise only the primary one."""
    return Wanted(
        variants=list(VARIANTS) if "main" in tables else [PRIMARY],
        upos=PRIMARY if "upos" in tables else None,
        counts=any(name in tables for name in STATISTICS),
    )


def make(data: ReportData, tables: Collection[str]) -> list[Table]:
    """Return the chosen tables in the order of the paper."""
    means = {system: _means(by_dataset) for system, by_dataset in data.systems.items()}
    order = sorted(means, key=lambda system: (-_conll(means[system][PRIMARY]), system))
    data = data.in_order(order)
    makers: dict[str, Callable[[], list[Table]]] = {
        "main": lambda: [_make_main(order, means)],
        "metrics": lambda: [_make_metrics(order, means)],
        "datasets": lambda: [_make_datasets(data)],
        "zeros": lambda: _make_zeros(data),
        "upos": lambda: _make_upos(data),
    }
    made = [table for name, maker in makers.items() if name in tables for table in maker()]
    if any(name in tables for name in STATISTICS):
        made += [table for table in statistics_tables(data) if table.name in tables]
    return made


def _means(by_dataset: Mapping[str, SystemData]) -> dict[str, MacroResult]:
    variants = next(iter(by_dataset.values())).results
    return {
        variant: macro_average({dataset: system_data.results[variant] for dataset, system_data in by_dataset.items()})
        for variant in variants
    }


def _conll(result: Result | MacroResult) -> float:
    assert result.conll is not None, "all variants include its three metrics"
    return result.conll


def _make_main(systems: Sequence[str], means: Means) -> Table:
    """Return Table 4: the primary score, and the scores under other settings with the difference."""
    columns = []
    for name in VARIANTS:
        signature = means[systems[0]][name].signature
        columns.append(Column(name, "F₁", best=True, group=name, signature=signature))
        if name != PRIMARY:
            columns.append(Column(f"{name}_difference", "±", "points", group=name, signature=signature))
    rows = []
    for system in systems:
        primary = _conll(means[system][PRIMARY])
        values: list[Value] = [primary]
        for name in list(VARIANTS)[1:]:
            values += [(value := _conll(means[system][name])), value - primary]
        rows.append(Row(label=system, values=values, keys={"system": system}))
    return _make_system_table("main", "CoNLL score, mean over datasets", columns, rows)


def _make_metrics(systems: Sequence[str], means: Means) -> Table:
    """Return Table 5: recall, precision and F1 of each metric under the primary settings."""
    columns = [column for metric, title in METRICS.items() for column in _three(metric, title)]
    rows = []
    for system in systems:
        mean = means[system][PRIMARY]
        values = [getattr(mean[metric], part) for metric in METRICS for part in PARTS]
        rows.append(Row(label=system, values=values, keys={"system": system}, signature=mean.signature))
    return _make_system_table("metrics", "All metrics, mean over datasets", columns, rows)


def _three(name: str, title: str) -> list[Column]:
    return [
        Column(f"{name}_{part}", short, best=part == "f1", group=title, decimals=0) for part, short in PARTS.items()
    ]


def _make_datasets(data: ReportData) -> Table:
    """Return Table 6: the primary score on each dataset."""
    names = data.datasets
    columns = [Column(name, name, best=True) for name in names]
    rows = []
    for system, by_dataset in data.systems.items():
        results = [by_dataset[name].results[PRIMARY] for name in names]
        values = [_conll(result) for result in results]
        rows.append(Row(label=system, values=values, keys={"system": system}, signature=results[0].signature))
    return _make_system_table("datasets", "CoNLL score by dataset", columns, rows)


def _make_zeros(data: ReportData) -> list[Table]:
    """Return Table 7: zero anaphors on the datasets whose key has some; no table if none has."""
    first = next(iter(data.systems.values()))
    names = [name for name, system_data in first.items() if system_data.results[PRIMARY].counts["zero"].values[1]]
    if not names:
        return []
    columns = [column for name in names for column in _three(name, name)]
    rows = []
    for system, by_dataset in data.systems.items():
        scores = [by_dataset[name].results[PRIMARY]["zero"] for name in names]
        values = [getattr(score, part) for score in scores for part in PARTS]
        signature = by_dataset[names[0]].results[PRIMARY].signature
        rows.append(Row(label=system, values=values, keys={"system": system}, signature=signature))
    return [_make_system_table("zeros", "Zero anaphors by dataset", columns, rows)]


def _make_upos(data: ReportData) -> list[Table]:
    """Return Table 8: entities by the tag of a head, over the datasets whose key has such entities."""
    columns, means = [], []
    for tag in SHOWN_TAGS:
        datasets = [name for name in data.datasets if _has_tag(data, name, tag)]
        if datasets:
            by_system = [
                macro_average({name: by_dataset[name].by_upos[tag] for name in datasets})
                for by_dataset in data.systems.values()
            ]
            columns.append(Column(tag, tag, best=True, signature=by_system[0].signature))
            means.append([_conll(mean) for mean in by_system])
    if not columns:
        return []
    rows = [
        Row(label=system, values=values, keys={"system": system})
        for system, values in zip(data.systems, zip(*means, strict=True), strict=True)
    ]
    return [_make_system_table("upos", "CoNLL score by the tag of heads, mean over datasets", columns, rows)]


def _has_tag(data: ReportData, dataset: str, tag: str) -> bool:
    """Return whether the key has entities with such a head; then all systems have a result for it."""
    first = next(iter(data.systems.values()))
    result = first[dataset].by_upos.get(tag)
    return result is not None and result.counts["b3"].values[1] > 0


def _make_system_table(name: str, title: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    return Table(name=name, title=title, columns=columns, rows=rows, stub="system")


REPORT = DatasetReport(
    name="crac22",
    summary="multilingual coreference by metric, dataset, zeros and tags, and statistics of the responses",
    source="CRAC 2022 shared task, Tables 4 to 14",
    tables=TABLES,
    variants=VARIANTS,
    want=want,
    make=make,
)
