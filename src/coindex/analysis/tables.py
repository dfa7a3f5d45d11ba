"""Tables of results: columns, rows, notes, and what scores of a corpus look like as a table.

A table is plain data; `forms` turns it into text, Markdown, LaTeX, HTML, CSV or JSON. Papers' tables, statistics and
the scores of `coindex score` are all made of it.
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
"""What a column holds: names, fractions shown as percentages, differences of them, p-values, plain numbers."""
Mark = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name for programs, its title for people, what it holds, and whether the highest is the best."""

    name: str
    title: str
    kind: Kind = "percent"
    best: bool = False
    group: str = ""
    """The heading that stands above it and its neighbours, if any."""
    decimals: int | None = None
    """As people see them: of percentages two, of plain numbers as many as they have, where None."""
    signature: str = ""
    """What its numbers were computed by, where columns differ in that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row: its label for people, its keys for programs, a value for each column."""

    label: str
    values: Sequence[Value]
    section: str = ""
    """Rows that follow each other in one section stand together under its name."""
    keys: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    """What its numbers were computed by, where rows differ in that."""
    contest: str = ""
    """The best of a column is looked for among the rows of one contest: those that compare like with like."""
    is_summary: bool = False
    """Whether it is about the rows above: set apart from them, and never the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under columns; `remarks` are sentences to stand below."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    stub: str = ""
    """What stands above the labels of the rows."""
    remarks: Sequence[str] = ()
    is_plain: bool = False
    """Plain tables have no rule below their heads and are narrow in LaTeX; in CSV each of their rows is one."""

    @property
    def signatures(self) -> list[str]:
        """All signatures, in the order in which they are first met; the notes of a table are numbered by it."""
        found = [column.signature for column in self.columns] + [row.signature for row in self.rows]
        return [signature for signature in dict.fromkeys(found) if signature]

    @property
    def has_notes(self) -> bool:
        """Whether rows or columns say which signature is theirs; where there is only one, it goes without saying."""
        return len(self.signatures) > 1

    @property
    def has_row_notes(self) -> bool:
        """Whether there is a last column that says which signature is that of the row."""
        return self.has_notes and any(row.signature for row in self.rows)

    def note(self, item: Row | Column) -> int | None:
        """The number of the signature of a row or column, if it is to be shown."""
        return self.signatures.index(item.signature) + 1 if item.signature and self.has_notes else None

    @property
    def sections(self) -> list[tuple[str, list[int]]]:
        """The names of the sections with the numbers of their rows; a summary is one without a name."""

        def section(number: int) -> tuple[str, bool]:
            row = self.rows[number]
            return row.section, row.is_summary

        grouped = groupby(range(len(self.rows)), key=section)
        return [("" if is_summary else name, list(numbers)) for (name, is_summary), numbers in grouped]

    @property
    def headings(self) -> list[tuple[str, int]]:
        """The headings above the columns with the number of columns below each; empty names where there is none."""
        grouped = groupby(self.columns, key=lambda column: column.group or id(column))
        runs = [list(columns) for _, columns in grouped]
        return [(columns[0].group, len(columns)) for columns in runs]

    def shown(self, mark: Mark = str, escape: Mark = str) -> list[list[str]]:
        """All values as people see them, the best of each contest marked."""
        columns = [self._shown_column(index, mark, escape) for index in range(len(self.columns))]
        return [[column[number] for column in columns] for number in range(len(self.rows))]

    def _shown_column(self, index: int, mark: Mark, escape: Mark) -> list[str]:
        column = self.columns[index]
        plain = [show(row.values[index], column.kind, column.decimals) for row in self.rows]
        best = self._best(index, plain) if column.best else set()
        return [mark(escape(cell)) if number in best else escape(cell) for number, cell in enumerate(plain)]

    def _best(self, index: int, plain: Sequence[str]) -> set[int]:
        """The rows with the highest value of their contest; none where all look alike."""
        contests: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows):
            if isinstance(row.values[index], int | float) and not row.is_summary:
                contests.setdefault(row.contest, []).append(number)
        found: set[int] = set()
        for numbers in contests.values():
            winner = max(numbers, key=lambda number: float(self.rows[number].values[index] or 0))
            if len({plain[number] for number in numbers}) > 1:
                found.update(number for number in numbers if plain[number] == plain[winner])
        return found


def plain_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Value]],
    signature: str | Sequence[str],
    *,
    title: str = "",
    summary: int = 0,
) -> Table:
    """A plain table whose first column has the labels; the last `summary` rows are about the others.

    `signature` is that of all rows, or there is one for each.
    """
    signatures = [signature] * len(rows) if isinstance(signature, str) else signature
    found = []
    for number, ((label, *values), own) in enumerate(zip(rows, signatures, strict=True)):
        is_summary = number >= len(rows) - summary
        keys = {columns[0].name: str(label)}
        found.append(Row(label=str(label), values=values, keys=keys, signature=own, is_summary=is_summary))
    return Table(name="", title=title, stub=columns[0].title, columns=columns[1:], rows=found, is_plain=True)


def show(value: Value, kind: Kind, decimals: int | None = None) -> str:
    """A value as people see it.

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
