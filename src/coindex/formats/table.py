"""Tables of texts: a row is a document, one column has its text, and the other columns become metadata.

Parquet, Arrow, JSON Lines, CSV and TSV. The format is not detected: the name of the text column selects it.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, cast

from ..document import Document
from ..document.documents import Markup
from ..errors import Problem
from . import arrow, parquet
from .columns import (
    Row,
    SeenIds,
    add_carried,
    carried_rows,
    check_batches,
    import_pyarrow,
    list_columns,
    partition_values,
    value_text,
)
from .foreign import recognise
from .records import records
from .registry import Format, Option
from .source import BOM, Source

SEARCHED = 1000
"""How many rows of JSON Lines are searched for the text column, because a row may omit it."""
_BATCH = 64
_DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";"}


@dataclass(frozen=True, slots=True)
class TextRow:
    """A row of a table: its number from 1, text and id as they are in the table, and the other columns."""

    number: int
    text: object
    id: object
    others: Row


@dataclass(slots=True)
class Texts:
    """Makes documents of rows, with unique ids for rows without one."""

    source: Source
    language: str | None = None
    markup: Markup = "plain"
    seen: SeenIds = field(default_factory=SeenIds)

    def document(self, row: TextRow) -> Document | None:
        """Return the document of a row; None after a problem."""
        text = "" if row.text is None else row.text
        if isinstance(text, str) and not text.strip():
            self.source.count("rows without text, read as documents without words", code="missing-text")
        if not isinstance(text, str):
            self.source.problem(
                row.number,
                f"{type(text).__name__} in the text column",
                "a string",
                "fix the row, or name another column",
                code="invalid-text",
            )
            return None
        id = f"{self.source.stem}_{row.number}" if row.id in (None, "") else value_text(row.id)
        self.seen.check(self.source, id)
        return add_carried(Document.from_text(text, id=id, language=self.language, markup=self.markup), row.others)


def read(
    source: Source,
    *,
    text_column: str = "",
    id_column: str = "",
    language: str = "",
    markup: str = "plain",
    delimiter: str = "auto",
) -> Iterator[Document]:
    """Read the rows of a table, in the order of the table."""
    texts = Texts(source, language or None, cast(Markup, markup))
    columns = Columns(source, text_column, id_column)
    foreign = recognise(source.head())
    if foreign is not None and foreign.format is not None:
        rows = _arrow_rows(columns, foreign.format)
    elif source.head().removeprefix(BOM).lstrip().startswith(b"{"):
        rows = _json_rows(columns)
    else:
        rows = _csv_rows(columns, delimiter)
    for row in rows:
        doc = texts.document(row)
        if doc is not None:
            yield doc


class Columns:
    """The names of the text column and the id column, and the check that a table has them."""

    def __init__(self, source: Source, text: str, id: str = "") -> None:
        self.source = source
        self.text = text
        self.id = id

    @property
    def named(self) -> list[str]:
        """The columns that are not metadata."""
        return [name for name in (self.text, self.id) if name]

    def check(self, names: Iterable[str]) -> bool:
        """Return whether the columns exist; report those that do not."""
        known = list(names)
        if not self.text:
            found = f"a table with the columns {list_columns(known)}"
            remedy = "name the column with --text-column (text_column=… in Python)"
            self.source.problem(None, found, "the name of the column with the texts", remedy, code="missing-column")
            return False
        missing = [name for name in self.named if name not in known]
        if missing:
            found = f"no column {list_columns(missing)}"
            remedy = "check the name, including upper and lower case"
            self.source.problem(None, found, f"one of {list_columns(known)}", remedy, code="missing-column")
        return not missing

    def row(self, number: int, values: Mapping[str, Any], schema: Any = None) -> TextRow:
        """Return a row of these values."""
        others = {name: value for name, value in values.items() if name not in self.named}
        return TextRow(number, values.get(self.text), values.get(self.id) if self.id else None, Row(others, schema))


# --- Parquet and Arrow


def _arrow_rows(columns: Columns, format: str) -> Iterator[TextRow]:
    source = columns.source
    if format == "parquet":
        file = parquet.open_file(source)
        table = None if file is None else (file.schema_arrow, file.iter_batches(_BATCH, use_threads=False))
        kind = parquet.KIND
    else:
        table, kind = arrow.open_table(source), arrow.KIND
    if table is None:
        return
    schema, batches = table
    partition = partition_values(source)
    if not columns.check([*schema.names, *(name for name in partition if name not in schema.names)]):
        return
    if not _has_texts(columns, schema):
        return
    number = 0
    for batch in check_batches(source, batches, kind):
        texts, ids = (_values(batch, name, partition) for name in (columns.text, columns.id))
        for text, id, others in zip(texts, ids, carried_rows(batch, columns.named, partition), strict=True):
            number += 1
            yield TextRow(number, text, id, others)


def _values(batch: Any, name: str, partition: Mapping[str, str]) -> list[Any]:
    if name in batch.schema.names:
        values: list[Any] = batch.column(name).to_pylist()
        return values
    return [partition.get(name)] * batch.num_rows


def _has_texts(columns: Columns, schema: Any) -> bool:
    """Return whether the text column has strings; report it otherwise."""
    types = import_pyarrow().types
    if columns.text not in schema.names:
        return True  # the value of a partition
    type = schema.field(columns.text).type
    if types.is_dictionary(type):
        type = type.value_type
    if types.is_string(type) or types.is_large_string(type) or types.is_string_view(type) or types.is_null(type):
        return True
    columns.source.problem(
        None,
        f"the column {columns.text!r} has the type {type}",
        "a column of strings",
        "name another column, or convert this one",
        code="invalid-text",
    )
    return False


# --- JSON Lines


def _json_rows(columns: Columns) -> Iterator[TextRow]:
    stream = records(columns.source)
    first = []
    names: dict[str, None] = {}
    for line, record in stream:
        first.append((line, record))
        names |= dict.fromkeys(record)
        if set(columns.named) <= names.keys() or len(first) >= SEARCHED:
            break
    partition = partition_values(columns.source)
    if first and not columns.check([*names, *(name for name in partition if name not in names)]):
        return
    for line, record in chain(first, stream):
        yield columns.row(line, {**partition, **record})


# --- CSV and TSV


def _csv_rows(columns: Columns, delimiter: str) -> Iterator[TextRow]:
    source = columns.source
    csv.field_size_limit(min(sys.maxsize, (1 << 31) - 1))  # articles are longer than the default limit
    rows = _cells(source, _find_delimiter(columns, delimiter))
    header = next(rows, None)
    if header is None:
        return
    names = header[1]
    partition = partition_values(source)
    if len(set(names)) < len(names):
        twice = list_columns(sorted({name for name in names if names.count(name) > 1}))
        remedy = "rename one of them"
        source.problem(1, f"several columns {twice}", "different names", remedy, code="invalid-column-names")
        return
    if not columns.check([*names, *(name for name in partition if name not in names)]):
        return
    number = 0
    for line, cells in rows:
        if not cells:  # an empty line
            continue
        number += 1
        if len(cells) != len(names):
            source.problem(
                line,
                f"{len(cells)} cells",
                f"{len(names)}, as in the first line",
                "fix the row; cells with a delimiter or a line end need quotation marks",
                code="column-count",
            )
            continue
        yield columns.row(number, {**partition, **dict(zip(names, cells, strict=True))})


def _find_delimiter(columns: Columns, name: str) -> str:
    """Return the delimiter: as specified, otherwise one with which the first line has the text column."""
    if name != "auto":
        return _DELIMITERS[name]
    line = columns.source.head().removeprefix(BOM).split(b"\n")[0].decode("utf-8", errors="replace").rstrip("\r")
    names = {delimiter: next(csv.reader([line], delimiter=delimiter), []) for delimiter in _DELIMITERS.values()}
    fitting = [delimiter for delimiter in names if columns.text in names[delimiter]]
    return (fitting or sorted(names, key=lambda delimiter: -len(names[delimiter])))[0]


def _cells(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the last line of each row, and its cells."""
    rows = csv.reader(source.raw_lines(), delimiter=delimiter, strict=True)
    try:
        for row in rows:
            yield rows.line_num, row
    except csv.Error as error:
        remedy = "fix the row; a quotation mark in a cell is written twice"
        source.problem(max(rows.line_num, 1), f"a row that is not CSV ({error})", "CSV", remedy, code="invalid-line")


# --- rows of other programs


def row_documents(
    rows: Iterable[Mapping[str, Any]],
    options: Mapping[str, str],
    *,
    names: Iterable[str] | None,
    schema: Any,
    on_problem: Callable[[Problem], None],
) -> Iterator[Document]:
    """Yield the documents of the rows of a dataset; names and types of its columns are None if they are not known."""
    source = Source("dataset", on_problem=on_problem)
    columns = Columns(source, options.get("text_column", ""), options.get("id_column", ""))
    texts = Texts(source, options.get("language"), cast(Markup, options.get("markup", "plain")))
    for number, row in enumerate(rows, 1):
        if number == 1 and not columns.check(names or row):
            return
        doc = texts.document(columns.row(number, row, schema))
        if doc is not None:
            yield doc
    source.warn_counts()


FORMAT = Format(
    name="table",
    summary="tables with a column of texts: Parquet, Arrow, JSON Lines, CSV and TSV; other columns become metadata",
    carries=frozenset({"spaces"}),
    read=read,
    read_options=(
        Option("text_column", (), "the column with the texts; required"),
        Option("id_column", (), "the column with the ids (default: the name of the file and the number of the row)"),
        Option("language", (), "ISO 639-1 code such as en or pt-BR, for clitics and abbreviations"),
        Option("markup", ("plain", "markdown", "none"), "what is protected from resolvers, as in the format text"),
        Option("delimiter", ("auto", *_DELIMITERS), "what separates the cells of CSV"),
    ),
)
