"""The quality of ways to annotate, as in PreCo's Table 2: each measured against a refined annotation."""

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
    """How good annotating once, voting and merging are, measured against the vote of refined annotations.

    `once` are independent annotations (A, B, C), `merged` those that somebody made of two of them (AB), `final` the
    refined ones (D, E, F), which are voted on; of one alone no vote is needed. Numbers are means of MUC, B³ and CEAF-e,
    over all annotations of a row. The options are those of `score`; left out, mentions have to be exactly the same and
    singletons count.

    >>> print(quality(["a.conll", "b.conll", "c.conll"], ["d.conll", "e.conll", "f.conll"]))  # doctest: +SKIP
    """
    from ..analysis.reports.base import Report
    from ..annotation.agreement import scorer_options

    first, refined = name_versions(once, least=1), name_versions(final, least=1)
    given = {**scorer_options(options), "metrics": METRICS}

    def voted(versions: Mapping[str, Documents]) -> Documents:
        """What the annotators vote for; one alone is right."""
        if len(versions) == 1:
            return next(iter(versions.values()))
        return list(vote(versions, format=options.get("format"), read_options=options.get("read_options")))

    key = voted(refined)
    rows: dict[str, list[Result]] = {"once": [score(key, side, **given) for side in first.values()]}
    if len(first) > 1:
        rows[f"{_joined(first)}-voting"] = [score(key, voted(first), **given)]
    for name, side in name_versions(merged, least=0).items():
        rows[f"{name}-merge"] = [score(key, side, **given)]
    rows[f"{_joined(refined)}-voting" if len(refined) > 1 else _joined(refined)] = [score(key, key, **given)]
    return Report(name="quality", source=SOURCE, tables=[_table(rows)])


def _joined(versions: Mapping[str, Documents]) -> str:
    """The names together: "ABC" where they are letters, else "Ada+Ben+Cleo"."""
    return ("" if all(len(name) == 1 for name in versions) else "+").join(versions)


def _table(rows: Mapping[str, Sequence[Result]]) -> Table:
    from ..analysis.tables import Column, Row, Table

    columns = [
        Column(f"{name}_{part}", title, group=group)
        for name, group in (("average", "mean of MUC, B³, CEAF-e"), ("mentions", "mention detection"))
        for part, title in PARTS.items()
    ]
    made = []
    for label, results in rows.items():
        values = [_mean(results, metrics, part) for metrics in (AVERAGED, ("mentions",)) for part in PARTS]
        made.append(Row(label=label, values=values, keys={"process": label}, signature=results[0].signature))
    remark = f"Measured against {made[-1].label}; once is the mean of {len(rows['once'])}."
    return Table(
        name="quality", title="Annotation quality", columns=columns, rows=made, stub="process", remarks=[remark]
    )


def _mean(results: Sequence[Result], metrics: Sequence[str], part: str) -> float:
    numbers = [getattr(result[metric], part) for result in results for metric in metrics]
    return float(sum(numbers)) / len(numbers)
