"""Measure the quality of annotation procedures against a refined annotation, as in Table 2 of the PreCo paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from ..corpora.key_and_response import Documents
from .agreement import Versions, name_versions, vote
from .scoring import ScoreOptions, score

if TYPE_CHECKING:
    from ..analysis.reports.base import Report
    from ..analysis.tables import Table
    from ..scoring import Result

SOURCE = "Chen et al. 2018 (PreCo), Table 2"
PARTS = {"precision": "P", "recall": "R", "f1": "F1"}
AVERAGED = ("muc", "b3", "ceafe")
METRICS = ("mentions", *AVERAGED)


def quality(
    once: Versions,
    final: Versions,
    merged: Versions = (),
    **options: Unpack[ScoreOptions],
) -> Report:
    """Measure the quality of single annotations, of voting and of merging, against refined annotations.

    Each annotation is a file, a folder or documents.

    Parameters:

    - `once`: independent annotations (A, B, C), as a list or as a dict from names.
    - `final`: refined annotations (D, E, F), whose vote is the key; a single one is the key itself.
    - `merged`: annotations that were merged by hand from two independent ones (AB).
    - `options`: those of `score`. By default mentions are matched exactly and singletons are kept.

    Returns a `Report` with a row for each procedure. Scores are means of MUC, B³ and CEAF-e over the annotations of a
    row.

    >>> print(quality(["a.conll", "b.conll", "c.conll"], ["d.conll", "e.conll", "f.conll"]))  # doctest: +SKIP
    """
    from ..analysis.reports.base import Report
    from ..annotation.agreement import scorer_options

    first, refined = name_versions(once, least=1), name_versions(final, least=1)
    scoring = {**scorer_options(options), "metrics": METRICS}

    def merge(versions: Mapping[str, Documents]) -> Documents:
        """Return the vote of the annotators; a single annotation stays as it is."""
        if len(versions) == 1:
            return next(iter(versions.values()))
        return list(vote(versions, format=options.get("format"), read_options=options.get("read_options")))

    key = merge(refined)
    rows: dict[str, list[Result]] = {"once": [score(key, side, **scoring) for side in first.values()]}
    if len(first) > 1:
        rows[f"{_join_names(first)}-voting"] = [score(key, merge(first), **scoring)]
    for name, side in name_versions(merged, least=0).items():
        rows[f"{name}-merge"] = [score(key, side, **scoring)]
    label = _join_names(refined)
    rows[f"{label}-voting" if len(refined) > 1 else label] = [score(key, key, **scoring)]
    return Report(name="quality", source=SOURCE, tables=[_table(rows)])


def _join_names(versions: Mapping[str, Documents]) -> str:
    """Return the names together: "ABC" if they are letters, otherwise "Ada+Ben+Cleo"."""
    return ("" if all(len(name) == 1 for name in versions) else "+").join(versions)


def _table(rows: Mapping[str, Sequence[Result]]) -> Table:
    from ..analysis.tables import Column, Row, Table

    columns = [
        Column(f"{name}_{part}", title, group=group)
        for name, group in (("average", "mean of MUC, B³, CEAF-e"), ("mentions", "mention detection"))
        for part, title in PARTS.items()
    ]
    table_rows = []
    for label, results in rows.items():
        values = [_mean_of_part(results, metrics, part) for metrics in (AVERAGED, ("mentions",)) for part in PARTS]
        table_rows.append(Row(label=label, values=values, keys={"process": label}, signature=results[0].signature))
    remark = f"Measured against {table_rows[-1].label}; once is the mean of {len(rows['once'])}."
    return Table(
        name="quality", title="Annotation quality", columns=columns, rows=table_rows, stub="process", remarks=[remark]
    )


def _mean_of_part(results: Sequence[Result], metrics: Sequence[str], part: str) -> float:
    numbers = [getattr(result[metric], part) for result in results for metric in metrics]
    return float(sum(numbers)) / len(numbers)
