"""Tables 4 to 7 of the CRAC 2022 shared task (Žabokrtský et al. 2022) over any systems and datasets.

All means are over datasets, each counting the same. Systems stand in the order of the primary score, best first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...scoring import MacroResult, Result, macro_average, make_settings
from ...scoring.tables import Value
from ..tables import Column, Row, Table
from .kinds import DatasetReport, Results

PRIMARY = "primary"
VARIANTS = {
    PRIMARY: make_settings("crac22"),
    "head-match": make_settings("crac22", match="head"),
    "exact-match": make_settings("crac22", match="exact"),
    "with-singletons": make_settings("crac22", singletons=True),
}
METRICS = {"muc": "MUC", "b3": "B³", "ceafe": "CEAF-e", "blanc": "BLANC", "lea": "LEA", "mor": "MOR"}
PARTS = {"recall": "R", "precision": "P", "f1": "F₁"}


def make(results: Results) -> list[Table]:
    """Main results, all metrics, the datasets one by one, and zeros where there are any."""
    means = {system: _means(found) for system, found in results.items()}
    order = sorted(results, key=lambda system: -_conll(means[system][PRIMARY]))
    ordered = {system: results[system] for system in order}
    return [_main(order, means), _metrics(order, means), _datasets(ordered), *_zeros(ordered)]


def _means(found: Mapping[str, Mapping[str, Result]]) -> dict[str, MacroResult]:
    return {name: macro_average({dataset: by[name] for dataset, by in found.items()}) for name in VARIANTS}


def _conll(result: Result | MacroResult) -> float:
    assert result.conll is not None, "all variants have its three metrics"
    return result.conll


def _main(systems: Sequence[str], means: Mapping[str, Mapping[str, MacroResult]]) -> Table:
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


def _metrics(systems: Sequence[str], means: Mapping[str, Mapping[str, MacroResult]]) -> Table:
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


def _datasets(results: Results) -> Table:
    """Table 6: the primary score on each dataset."""
    names = list(next(iter(results.values())))
    columns = [Column(name, name, best=True) for name in names]
    rows = [
        Row(
            label=system,
            values=[_conll(found[name][PRIMARY]) for name in names],
            keys={"system": system},
            signature=found[names[0]][PRIMARY].signature,
        )
        for system, found in results.items()
    ]
    return _titled("datasets", "CoNLL score by dataset", columns, rows)


def _zeros(results: Results) -> list[Table]:
    """Table 7: zero anaphors, on the datasets whose key has some; no table where none has."""
    first = next(iter(results.values()))
    names = [name for name, found in first.items() if found[PRIMARY].counts["zero"].values[1]]
    if not names:
        return []
    columns = [column for name in names for column in _three(name, name)]
    rows = []
    for system, found in results.items():
        values = [getattr(found[name][PRIMARY]["zero"], part) for name in names for part in PARTS]
        signature = found[names[0]][PRIMARY].signature
        rows.append(Row(label=system, values=values, keys={"system": system}, signature=signature))
    return [_titled("zeros", "Zero anaphors by dataset", columns, rows)]


def _titled(name: str, title: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    return Table(name=name, title=title, columns=columns, rows=rows, stub="system")


REPORT = DatasetReport(
    name="crac22",
    summary="main results, all metrics, datasets and zeros of multilingual coreference",
    source="CRAC 2022 shared task, Tables 4 to 7",
    variants=VARIANTS,
    make=make,
)
