"""Tables as plain data: columns, rows and notes, and the tables of scores and comparisons.

`writers` turns tables into text, Markdown, LaTeX, HTML, CSV or JSON. Reports, statistics and the output of
`coindex score` all use these tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from ..scoring import MacroResult, Result
from ..scoring.alignment import Score
from ..scoring.metrics.registry import get_metric

if TYPE_CHECKING:
    from ..scoring.significance import Comparison

Value = str | float | int | None
Kind = Literal["name", "percent", "points", "probability", "number"]
"""The content of a column: names, fractions shown as percentages, differences of fractions, p-values, or numbers."""
Mark = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name for programs, its title for people, its content, and whether its highest value is marked."""

    name: str
    title: str
    kind: Kind = "percent"
    best: bool = False
    group: str = ""
    """The heading above this column and its neighbours, if any."""
    decimals: int | None = None
    """The decimals shown; None for two decimals of percentages and all decimals of numbers."""
    signature: str = ""
    """How its numbers were computed, if columns differ in that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row: its label for people, its keys for programs, a value for each column."""

    label: str
    values: Sequence[Value]
    section: str = ""
    """The section; adjacent rows of a section are shown together under its name."""
    keys: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    """How its numbers were computed, if rows differ in that."""
    contest: str = ""
    """The group of comparable rows in which the best value of a column is marked."""
    is_summary: bool = False
    """Whether the row summarises those above; it is separated from them and never marked as the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with columns and rows; `remarks` are sentences below it."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    stub: str = ""
    """The heading of the row labels."""
    remarks: Sequence[str] = ()
    is_plain: bool = False
    """Plain tables have no rule below their head, are narrow in LaTeX, and keep their rows in CSV."""

    @property
    def signatures(self) -> list[str]:
        """All distinct signatures in order of their first occurrence, which is the number of their note."""
        signatures = [column.signature for column in self.columns] + [row.signature for row in self.rows]
        return [signature for signature in dict.fromkeys(signatures) if signature]

    @property
    def has_notes(self) -> bool:
        """Whether rows or columns refer to their signature by a note, as there is more than one."""
        return len(self.signatures) > 1

    @property
    def has_row_notes(self) -> bool:
        """Whether the last column refers to the signatures of the rows."""
        return self.has_notes and any(row.signature for row in self.rows)

    def note(self, item: Row | Column) -> int | None:
        """Return the number of the signature of a row or column, if it is shown."""
        return self.signatures.index(item.signature) + 1 if item.signature and self.has_notes else None

    @property
    def sections(self) -> list[tuple[str, list[int]]]:
        """The names of the sections with the numbers of their rows; a summary is a section without a name."""

        def section(number: int) -> tuple[str, bool]:
            row = self.rows[number]
            return row.section, row.is_summary

        grouped = groupby(range(len(self.rows)), key=section)
        return [("" if is_summary else name, list(numbers)) for (name, is_summary), numbers in grouped]

    @property
    def headings(self) -> list[tuple[str, int]]:
        """The headings above the columns with the number of columns below each; "" for no heading."""
        grouped = groupby(self.columns, key=lambda column: column.group or id(column))
        runs = [list(columns) for _, columns in grouped]
        return [(columns[0].group, len(columns)) for columns in runs]

    def shown(self, mark: Mark = str, escape: Mark = str) -> list[list[str]]:
        """Return all values formatted for people, with the best of each contest marked."""
        columns = [self._format_column(index, mark, escape) for index in range(len(self.columns))]
        return [[column[number] for column in columns] for number in range(len(self.rows))]

    def _format_column(self, index: int, mark: Mark, escape: Mark) -> list[str]:
        column = self.columns[index]
        plain = [show(row.values[index], column.kind, column.decimals) for row in self.rows]
        best = self._find_best(index, plain) if column.best else set()
        return [mark(escape(cell)) if number in best else escape(cell) for number, cell in enumerate(plain)]

    def _find_best(self, index: int, plain: Sequence[str]) -> set[int]:
        """Return the rows with the highest value of their contest; none if all values look equal."""
        contests: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows):
            if isinstance(row.values[index], int | float) and not row.is_summary:
                contests.setdefault(row.contest, []).append(number)
        best: set[int] = set()
        for numbers in contests.values():
            winner = max(numbers, key=lambda number: float(self.rows[number].values[index] or 0))
            if len({plain[number] for number in numbers}) > 1:
                best.update(number for number in numbers if plain[number] == plain[winner])
        return best


def plain_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Value]],
    signature: str | Sequence[str],
    *,
    title: str = "",
    summary: int = 0,
) -> Table:
    """Return a plain table whose first column has the labels.

    `signature` is that of all rows, or a sequence with one for each row. The last `summary` rows summarise the others.
    """
    signatures = [signature] * len(rows) if isinstance(signature, str) else signature
    made = []
    for number, ((label, *values), own) in enumerate(zip(rows, signatures, strict=True)):
        is_summary = number >= len(rows) - summary
        keys = {columns[0].name: str(label)}
        made.append(Row(label=str(label), values=values, keys=keys, signature=own, is_summary=is_summary))
    return Table(name="", title=title, stub=columns[0].title, columns=columns[1:], rows=made, is_plain=True)


def show(value: Value, kind: Kind, decimals: int | None = None) -> str:
    """Format a value for people.

    >>> show(2 / 3, "percent"), show(2 / 3, "percent", 0), show(-0.012, "points"), show(0.00004, "probability")
    ('66.67', '67', '-1.20', '<0.0001')
    >>> show(1234, "number"), show(2.25, "number"), show(1234.56, "number", 1), show(None, "number")
    ('1,234', '2.25', '1,234.6', '')
    """
    if isinstance(value, str) or value is None:
        return value or ""
    places = 2 if decimals is None else decimals
    if kind in ("percent", "points"):
        return f"{100 * value:{'+' if kind == 'points' else ''}.{places}f}"
    if kind == "probability":
        return "<0.0001" if value < 0.00005 else f"{value:.4f}"
    if kind == "number" and isinstance(value, int):
        return f"{value:,}"
    if kind == "number":
        return f"{value:g}" if decimals is None else f"{value:,.{decimals}f}"
    return str(value)


Scored = Result | MacroResult
CONLL = "conll"
WITH_PARTS = ("mentions",)
"""Metrics whose parts are shown too."""

_NUMBERS = (Column("recall", "recall"), Column("precision", "precision"), Column("f1", "F1"))


def title_of(metric: str) -> str:
    """Return the usual spelling of a metric."""
    return "CoNLL" if metric == CONLL else get_metric(metric).title


def scores_table(result: Scored) -> Table:
    """Return a table with a row for each metric, CoNLL last."""
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
    """Return a table of F1 by metric for each document, dataset or tag, with the total in the last row."""
    first = total or next(iter(groups.values()))
    names = list(first)
    if first.conll is not None:
        names.append(CONLL)
    best = total is not None
    columns = [Column(group, group, "name"), *(Column(name, title_of(name), best=best) for name in names)]
    rows = [[name, *_f1s(result, names)] for name, result in groups.items()]
    if total is not None:
        rows.append([summary, *_f1s(total, names)])
    caption = (
        first.signature if total is not None else _merge_signatures(result.signature for result in groups.values())
    )
    return plain_table(columns, rows, caption, title="F1", summary=int(total is not None))


def _f1s(result: Scored, names: list[str]) -> list[Value]:
    return [result.conll if name == CONLL else result[name].f1 for name in names]


def _merge_signatures(signatures: Iterable[str]) -> str:
    """Merge several signatures into one, which lists all values where they differ."""
    fields = zip(*(signature.split("|") for signature in dict.fromkeys(signatures)), strict=True)
    return "|".join(_merge_fields(values) for values in fields)


def _merge_fields(values: tuple[str, ...]) -> str:
    name, colon, _ = values[0].rpartition(":")
    return name + colon + "+".join(dict.fromkeys(value.rpartition(":")[2] for value in values))


def long_table(
    groups: Mapping[str, Scored], total: Scored | None, *, group: str | None = None, summary: str = "all"
) -> Table:
    """Return a table with a row for each metric of each group with all three numbers, for programs."""
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
    """Return a table of the scores of responses, and one of the differences with interval and p-value."""
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
            f"{item.first} − {item.second}",
            item.difference,
            item.interval.low,
            item.interval.high,
            item.p_adjusted,
        ]
        for metric, differences in comparison.differences.items()
        for item in differences
    ]
    return plain_table(columns, rows, comparison.signature, title=f"Differences, {comparison.test}")


def long_comparison(comparison: Comparison) -> Table:
    """Return scores and differences in one table; a difference has a second response and p-values."""
    names = ("metric", "first", "second")
    columns = [Column(name, name, "name") for name in names]
    columns += [Column(name, name) for name in ("value", "low", "high")]
    columns += [Column(name, name, "probability") for name in ("p_value", "p_adjusted")]
    rows: list[list[Value]] = []
    for metric, scores in comparison.scores.items():
        for name, own in scores.items():
            rows.append([metric, name, None, own.score, own.interval.low, own.interval.high, None, None])
        for gap in comparison.differences[metric]:
            ends = gap.interval.low, gap.interval.high
            rows.append([metric, gap.first, gap.second, gap.difference, *ends, gap.p_value, gap.p_adjusted])
    return plain_table(columns, rows, comparison.signature)
