"""The tables of papers: columns under common headings, rows in sections, and below them how the numbers were computed.

A table is plain data; `forms` turns it into text, Markdown, LaTeX, HTML, CSV or JSON. Columns and single values are
those of the scorer's tables (`scoring.tables`), which are flat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ..scoring.tables import Column as FlatColumn
from ..scoring.tables import Value, show

Mark = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Column(FlatColumn):
    """A column of values, perhaps with others under one heading (`group`)."""

    group: str = ""
    decimals: int = 2
    """Of percentages, as the paper prints them."""
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
        """The names of the sections with the numbers of their rows."""
        grouped = groupby(range(len(self.rows)), key=lambda number: self.rows[number].section)
        return [(name, list(numbers)) for name, numbers in grouped]

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
        plain = [show_in(row.values[index], column) for row in self.rows]
        best = self._best(index, plain) if column.best else set()
        return [mark(escape(cell)) if number in best else escape(cell) for number, cell in enumerate(plain)]

    def _best(self, index: int, plain: Sequence[str]) -> set[int]:
        """The rows with the highest value of their contest; none where all look alike."""
        contests: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows):
            if isinstance(row.values[index], int | float):
                contests.setdefault(row.contest, []).append(number)
        found: set[int] = set()
        for numbers in contests.values():
            winner = max(numbers, key=lambda number: float(self.rows[number].values[index] or 0))
            if len({plain[number] for number in numbers}) > 1:
                found.update(number for number in numbers if plain[number] == plain[winner])
        return found


def show_in(value: Value, column: Column) -> str:
    """A value as people see it.

    >>> show_in(2 / 3, Column("f1", "F1", decimals=1)), show_in(None, Column("f1", "F1"))
    ('66.7', '')
    """
    if column.kind == "percent" and isinstance(value, int | float):
        return f"{100 * value:.{column.decimals}f}"
    return show(value, column.kind)
