"""Results as tables: one result, results by document, dataset or tag, and comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..scoring import MacroResult, Result
from ..scoring.comparison import Comparison
from ..scoring.counts import Score
from ..scoring.metrics.registry import get_metric
from .tables import Column, Table, Value, plain_table

Scored = Result | MacroResult
CONLL = "conll"
WITH_PARTS = ("mentions",)
"""Metrics whose parts are shown beside the whole."""

_NUMBERS = (Column("recall", "recall"), Column("precision", "precision"), Column("f1", "F1"))


def title_of(metric: str) -> str:
    """The name of a metric as people write it."""
    return "CoNLL" if metric == CONLL else get_metric(metric).title


def scores_table(result: Scored) -> Table:
    """A row for each metric, CoNLL last."""
    rows: list[list[Value]] = []
    for name in result:
        rows.append([title_of(name), *_numbers(result[name])])
        if name in WITH_PARTS:
            rows += ([f"  {_length(part)}", *_numbers(score)] for part, score in result[name].parts.items())
    summary = 0
    if result.conll is not None:
        rows.append([title_of(CONLL), None, None, result.conll])
        summary = 1
    return plain_table((Column("metric", "", "name"), *_NUMBERS), rows, result.signature, summary=summary)


def _numbers(score: Score) -> tuple[float, float, float]:
    return score.recall, score.precision, score.f1


def _length(part: str) -> str:
    return {"0": "zeros", "1": "1 word"}.get(part, f"{part} words")


def groups_table(groups: Mapping[str, Scored], total: Scored | None, *, group: str, summary: str = "all") -> Table:
    """The F1 of each metric for each document, dataset or tag, and of all together in the last row."""
    first = total or next(iter(groups.values()))
    names = list(first)
    if first.conll is not None:
        names.append(CONLL)
    best = total is not None
    columns = [Column(group, group, "name"), *(Column(name, title_of(name), best=best) for name in names)]
    rows = [[name, *_f1s(result, names)] for name, result in groups.items()]
    if total is not None:
        rows.append([summary, *_f1s(total, names)])
    caption = first.signature if total is not None else _common(result.signature for result in groups.values())
    return plain_table(columns, rows, caption, title="F1", summary=int(total is not None))


def _f1s(result: Scored, names: list[str]) -> list[Value]:
    return [result.conll if name == CONLL else result[name].f1 for name in names]


def _common(signatures: Iterable[str]) -> str:
    """One signature for several: where they differ, what all of them say."""
    fields = zip(*(signature.split("|") for signature in dict.fromkeys(signatures)), strict=True)
    return "|".join(_joined(values) for values in fields)


def _joined(values: tuple[str, ...]) -> str:
    name, colon, _ = values[0].rpartition(":")
    return name + colon + "+".join(dict.fromkeys(value.rpartition(":")[2] for value in values))


def long_table(
    groups: Mapping[str, Scored], total: Scored | None, *, group: str | None = None, summary: str = "all"
) -> Table:
    """A row for each metric of each group with all three numbers: the form that programs like."""
    columns = [*([Column(group, group, "name")] if group else []), Column("metric", "metric", "name"), *_NUMBERS]
    rows: list[list[Value]] = []
    signatures = []
    for name, result in [*groups.items(), *([(summary, total)] if total is not None else [])]:
        for metric, numbers in _long(result):
            rows.append([*([name] if group else []), metric, *numbers])
            signatures.append(result.signature)
    return plain_table(columns, rows, signatures)


def _long(result: Scored) -> Iterator[tuple[str, tuple[Value, ...]]]:
    for metric in result:
        yield metric, _numbers(result[metric])
        if metric in WITH_PARTS:
            for part, score in result[metric].parts.items():
                yield f"{metric}:{part}", _numbers(score)
    if result.conll is not None:
        yield CONLL, (None, None, result.conll)


def comparison_tables(comparison: Comparison) -> tuple[Table, Table]:
    """The scores of the responses, and the difference of each pair with its interval and p-value."""
    level = f"{100 * comparison.confidence:g}%"
    metrics = list(comparison.scores)
    responses = list(comparison.scores[metrics[0]])
    columns = [Column("response", "response", "name"), *(Column(name, title_of(name), best=True) for name in metrics)]
    rows: list[list[Value]] = [[name, *(comparison.scores[m][name].score for m in metrics)] for name in responses]
    last = comparison.scores[metrics[-1]]
    columns += [Column("low", f"{level} from"), Column("high", "to")]
    rows = [[*row, last[str(row[0])].interval.low, last[str(row[0])].interval.high] for row in rows]
    title = {"f1": "F1"}.get(comparison.measure, comparison.measure)
    scores = plain_table(columns, rows, comparison.signature, title=title)
    return scores, _differences(comparison, level)


def _differences(comparison: Comparison, level: str) -> Table:
    columns = (
        Column("metric", "", "name"),
        Column("responses", "difference", "name"),
        Column("difference", "points", "points"),
        Column("low", f"{level} from", "points"),
        Column("high", "to", "points"),
        Column("p", "p" if comparison.correction == "none" else f"p ({comparison.correction})", "probability"),
    )
    rows: list[list[Value]] = [
        [
            title_of(metric),
            f"{found.first} − {found.second}",
            found.difference,
            found.interval.low,
            found.interval.high,
            found.p_adjusted,
        ]
        for metric, differences in comparison.differences.items()
        for found in differences
    ]
    return plain_table(columns, rows, comparison.signature, title=f"Differences, {comparison.test}")


def long_comparison(comparison: Comparison) -> Table:
    """Scores and differences in one table: a difference has a second response and p-values."""
    names = ("metric", "first", "second")
    columns = [Column(name, name, "name") for name in names]
    columns += [Column(name, name) for name in ("value", "low", "high")]
    columns += [Column(name, name, "probability") for name in ("p_value", "p_adjusted")]
    rows: list[list[Value]] = []
    for metric, scores in comparison.scores.items():
        for name, one in scores.items():
            rows.append([metric, name, None, one.score, one.interval.low, one.interval.high, None, None])
        for two in comparison.differences[metric]:
            ends = two.interval.low, two.interval.high
            rows.append([metric, two.first, two.second, two.difference, *ends, two.p_value, two.p_adjusted])
    return plain_table(columns, rows, comparison.signature)
