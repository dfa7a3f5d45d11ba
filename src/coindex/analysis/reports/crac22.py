"""Tables 4 to 14 of the CRAC 2022 shared task (Žabokrtský et al. 2022) over any systems and datasets.

All means are over datasets, each counting the same. Systems stand in the order of the primary score, best first.

Tables 9 to 14 of the CRAC 2022 shared task: what the key and the responses are made of.

Tables 9 to 11 are of all datasets together, Tables 12 to 14 of the largest one, by the words of its key; they are left
out where there is only one. What is counted is defined in `analysis.statistics`. As in the paper, the heads of
responses are those of the tree, whatever a response says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from ...errors import CoindexError, quote
from ...scoring import MacroResult, Result, macro_average, make_settings
from ...scoring.corpus import TAGS
from ..statistics import Counts, detail_table, entity_table, mention_table
from ..tables import Column, Row, Table, Value
from .base import DatasetReport, Findings, Found, Wanted

GOLD = "gold"
"""What the row of the key is called."""


def statistics_tables(findings: Findings) -> list[Table]:
    """All six tables, or three where there is one dataset."""
    if GOLD in findings.systems:
        raise CoindexError(
            f"system {quote(GOLD)}: the key has that name in Tables 9 to 14; expected another; rename it, or choose "
            "other tables with --tables (tables=… in Python)",
            code="reserved-name",
        )
    datasets = findings.datasets
    made = _tables(_together(findings, datasets))
    if len(datasets) > 1:
        largest = max(sorted(datasets), key=lambda name: findings.key_counts[name].words)
        for table in _tables(_together(findings, [largest])):
            made.append(replace(table, name=f"largest-{table.name}", title=f"{table.title} in {largest}"))
    return made


def _tables(counts: Mapping[str, Counts]) -> list[Table]:
    return [entity_table(counts), mention_table(counts), detail_table(counts)]


def _together(findings: Findings, datasets: list[str]) -> dict[str, Counts]:
    """The counts of the key, and of each system, over these datasets; entities of two datasets are never one."""
    counts = {GOLD: sum((findings.key_counts[name].settled() for name in datasets), Counts())}
    for system, found in findings.systems.items():
        counts[system] = Counts()
        for name in datasets:
            own = found[name].counts
            assert own is not None, "they were wanted"
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
"""The tags that have a column in Table 8."""
Means = Mapping[str, Mapping[str, MacroResult]]
"""By system and variant."""


def want(tables: Collection[str]) -> Wanted:
    """All settings for Table 4 only; the systems are put in order by the primary score for all tables."""
    return Wanted(
        variants=list(VARIANTS) if "main" in tables else [PRIMARY],
        upos=PRIMARY if "upos" in tables else None,
        counts=any(name in tables for name in STATISTICS),
    )


def make(findings: Findings, tables: Collection[str]) -> list[Table]:
    """The chosen tables, in the order of the paper."""
    means = {system: _means(by_dataset) for system, by_dataset in findings.systems.items()}
    order = sorted(means, key=lambda system: (-_conll(means[system][PRIMARY]), system))
    findings = findings.in_order(order)
    makers: dict[str, Callable[[], list[Table]]] = {
        "main": lambda: [_main(order, means)],
        "metrics": lambda: [_metrics(order, means)],
        "datasets": lambda: [_datasets(findings)],
        "zeros": lambda: _zeros(findings),
        "upos": lambda: _upos(findings),
    }
    made = [table for name, maker in makers.items() if name in tables for table in maker()]
    if any(name in tables for name in STATISTICS):
        made += [table for table in statistics_tables(findings) if table.name in tables]
    return made


def _means(by_dataset: Mapping[str, Found]) -> dict[str, MacroResult]:
    variants = next(iter(by_dataset.values())).results
    return {
        variant: macro_average({dataset: found.results[variant] for dataset, found in by_dataset.items()})
        for variant in variants
    }


def _conll(result: Result | MacroResult) -> float:
    assert result.conll is not None, "all variants have its three metrics"
    return result.conll


def _main(systems: Sequence[str], means: Means) -> Table:
    """Table 4: the primary score and what it becomes under other settings, with the difference."""
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
    return _titled("main", "CoNLL score, mean of the datasets", columns, rows)


def _metrics(systems: Sequence[str], means: Means) -> Table:
    """Table 5: recall, precision and F1 of each metric under the primary settings."""
    columns = [column for metric, title in METRICS.items() for column in _three(metric, title)]
    rows = []
    for system in systems:
        mean = means[system][PRIMARY]
        values = [getattr(mean[metric], part) for metric in METRICS for part in PARTS]
        rows.append(Row(label=system, values=values, keys={"system": system}, signature=mean.signature))
    return _titled("metrics", "All metrics, mean of the datasets", columns, rows)


def _three(name: str, title: str) -> list[Column]:
    return [
        Column(f"{name}_{part}", short, best=part == "f1", group=title, decimals=0) for part, short in PARTS.items()
    ]


def _datasets(findings: Findings) -> Table:
    """Table 6: the primary score on each dataset."""
    names = findings.datasets
    columns = [Column(name, name, best=True) for name in names]
    rows = []
    for system, found in findings.systems.items():
        results = [found[name].results[PRIMARY] for name in names]
        values = [_conll(result) for result in results]
        rows.append(Row(label=system, values=values, keys={"system": system}, signature=results[0].signature))
    return _titled("datasets", "CoNLL score by dataset", columns, rows)


def _zeros(findings: Findings) -> list[Table]:
    """Table 7: zero anaphors, on the datasets whose key has some; no table where none has."""
    first = next(iter(findings.systems.values()))
    names = [name for name, found in first.items() if found.results[PRIMARY].counts["zero"].values[1]]
    if not names:
        return []
    columns = [column for name in names for column in _three(name, name)]
    rows = []
    for system, found in findings.systems.items():
        scores = [found[name].results[PRIMARY]["zero"] for name in names]
        values = [getattr(score, part) for score in scores for part in PARTS]
        signature = found[names[0]].results[PRIMARY].signature
        rows.append(Row(label=system, values=values, keys={"system": system}, signature=signature))
    return [_titled("zeros", "Zero anaphors by dataset", columns, rows)]


def _upos(findings: Findings) -> list[Table]:
    """Table 8: only entities with such a head, each tag on the datasets whose key has some; none without tags."""
    columns, means = [], []
    for tag in SHOWN_TAGS:
        datasets = [name for name in findings.datasets if _has_tag(findings, name, tag)]
        if datasets:
            by_system = [
                macro_average({name: found[name].by_upos[tag] for name in datasets})
                for found in findings.systems.values()
            ]
            columns.append(Column(tag, tag, best=True, signature=by_system[0].signature))
            means.append([_conll(mean) for mean in by_system])
    if not columns:
        return []
    rows = [
        Row(label=system, values=values, keys={"system": system})
        for system, values in zip(findings.systems, zip(*means, strict=True), strict=True)
    ]
    return [_titled("upos", "CoNLL score of entities with a head of the tag, mean of the datasets", columns, rows)]


def _has_tag(findings: Findings, dataset: str, tag: str) -> bool:
    """Whether the key has entities to find with such a head: then all systems have a result for it."""
    first = next(iter(findings.systems.values()))
    result = first[dataset].by_upos.get(tag)
    return result is not None and result.counts["b3"].values[1] > 0


def _titled(name: str, title: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    return Table(name=name, title=title, columns=columns, rows=rows, stub="system")


REPORT = DatasetReport(
    name="crac22",
    summary="results of multilingual coreference by metric, dataset, zeros and tags, and statistics of the responses",
    source="CRAC 2022 shared task, Tables 4 to 14",
    tables=TABLES,
    variants=VARIANTS,
    want=want,
    make=make,
)
