"""Documents as rows of Arrow tables, for the formats `parquet` and `arrow`.

A row has what an object of the format `json` has, in nested columns that other programs can query. Mentions are in one
list in reading order; entities, bridging relations and split antecedents refer to them by their number in it.
docs/notes/parquet.md describes the columns to users.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache
from pathlib import PurePath
from typing import Any, BinaryIO, Protocol
from urllib.parse import unquote

from ..document import Document, mention_order
from ..errors import CoindexError, MissingExtraError, quote
from ..text.language_names import UnknownLanguageError, language_code
from .detection import JSON_VERSION
from .json import COLUMNS, VERSION, WrongField, document_record, record_document
from .records import Record
from .registry import Option
from .sink import Sink
from .source import Source

REQUIRED = ("text", "tokens", "mentions", "entities")
"""The columns that identify a table of documents; other programs may have dropped or added others."""
FIELDS = ("language", "genre", "topic", "subtopic")
BATCH_ROWS = 64
BATCH_WORDS = 20_000
GROUP_ROWS = 1_000
GROUP_WORDS = 500_000
"""A row group ends after this many rows or words, so that memory does not depend on the number of documents."""
_INDEX = "__index_level_"
"""The start of the names of columns in which pandas stores an index."""
_NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"
SHARD_OPTIONS = (
    Option("shard_rows", (), "write a folder of files (part-00000, …) with at most this many documents each"),
    Option("shard_words", (), "write a folder of files, each ending with the document that reaches this many words"),
)
FOLDER_OPTIONS = tuple(option.name for option in SHARD_OPTIONS)


@dataclass(frozen=True, slots=True)
class Row:
    """The columns of a table that a document was read with and that are not its own: written back with their types."""

    values: Mapping[str, object]
    schema: Any = None
    """The Arrow schema with the types of the columns, None if the table has no types."""


def import_pyarrow() -> Any:
    """Return the package pyarrow, or raise an error that names the extra."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    return pyarrow


# --- the schema


@cache
def schema() -> Any:
    """Return the Arrow schema of a table of documents."""
    pa = import_pyarrow()
    text, number = pa.string(), pa.int32()

    def records(*fields: tuple[str, Any]) -> Any:
        return pa.list_(pa.struct(list(fields)))

    # not a map, which Hugging Face datasets cannot read
    pairs = records(("key", text), ("value", text))
    token_span, char_span = (("start", number), ("end", number)), (("start_char", number), ("end_char", number))
    relation = (("entity", text), ("mention", number))
    columns = [
        ("id", text),
        ("text", text),
        *((name, text) for name in FIELDS),
        (
            "mentions",
            records(
                ("entity", text),
                ("text", text),
                *char_span,
                ("char_spans", records(*token_span)),
                *token_span,
                ("positions", pa.list_(number)),
                ("sentence", number),
                ("head", number),
                ("head_text", text),
                ("is_zero", pa.bool_()),
                ("antecedent", number),
                ("by", text),
                ("score", pa.float64()),
                ("attributes", pairs),
            ),
        ),
        (
            "entities",
            records(
                ("id", text),
                ("name", text),
                ("type", text),
                ("kind", text),
                ("mentions", pa.list_(number)),
                ("attributes", pairs),
            ),
        ),
        ("bridging", records(*relation, ("antecedent", text), ("relation", text))),
        ("split_antecedents", records(*relation, ("antecedents", pa.list_(text)))),
        ("sentences", records(*token_span, *char_span, ("id", text), ("speaker", text), ("comments", pa.list_(text)))),
        (
            "tokens",
            records(
                ("id", text),
                ("form", text),
                *char_span,
                *((name, text) for name in COLUMNS),
                ("space", text),
                ("extra", pairs),
            ),
        ),
        ("multiwords", records(*token_span, ("form", text), ("misc", text), ("extra", pairs))),
        ("shared_ids", pa.bool_()),
        ("meta", pairs),
        ("columns", pa.list_(text)),
    ]
    return pa.schema(columns, metadata={JSON_VERSION: str(VERSION)})


@cache
def _own_names() -> frozenset[str]:
    """Return the names of our columns in lower case: Spark does not distinguish case."""
    return frozenset(name.lower() for name in schema().names)


# --- writing


def make_row(doc: Document) -> Record:
    """Return the columns of a document as Python values; lists are never null."""
    record = document_record(doc)
    entities: list[Record] = record["entities"]
    order = sorted(
        (mention_order(mention), at, index)
        for at, entity in enumerate(doc.entities)
        for index, mention in enumerate(entity.mentions)
    )
    numbers = {(at, index): number for number, (_, at, index) in enumerate(order)}
    mentions = [
        _mention_row(entities[at]["mentions"][index], entities[at]["id"], numbers.get((at, index - 1)))
        for _, at, index in order
    ]
    places = {entity["id"]: at for at, entity in enumerate(entities)}
    relations = {
        name: [_relation_row(relation, mentions, numbers, places) for relation in record.get(name, ())]
        for name in ("bridging", "split_antecedents")
    }
    return {
        **{name: record.get(name) for name in ("id", *FIELDS)},
        "text": record["text"],
        "shared_ids": doc.shared_ids,
        "mentions": mentions,
        "entities": [
            {
                **entity,
                "name": entity.get("representative", {}).get("text"),
                "mentions": [numbers[at, index] for index in range(len(entity["mentions"]))],
                "attributes": _pairs(entity.get("attributes")),
            }
            for at, entity in enumerate(entities)
        ],
        **relations,
        "sentences": [{**sentence, "comments": sentence.get("comments", ())} for sentence in record["sentences"]],
        "tokens": [
            {**values, "id": token.id, "extra": _pairs(values.get("extra"))}
            for values, token in zip(record["tokens"], doc.tokens, strict=True)
        ],
        "multiwords": [{**group, "extra": _pairs(group.get("extra"))} for group in record.get("multiwords", ())],
        "meta": _pairs(record.get("meta")),
        "columns": record.get("columns", ()),
    }


def _mention_row(record: Record, entity: str | None, antecedent: int | None) -> Record:
    return {
        **record,
        "entity": entity,
        "char_spans": [{"start": start, "end": end} for start, end in record.get("char_spans", ())],
        "positions": record.get("positions", ()),
        "is_zero": record.get("is_zero", False),
        "antecedent": antecedent,
        "score": record.get("link", {}).get("score"),
        "attributes": _pairs(record.get("attributes")),
    }


def _relation_row(
    record: Record, mentions: list[Record], numbers: Mapping[tuple[int, int], int], places: Mapping[str, int]
) -> Record:
    """Return a relation with the number of its mention, which is added to the list if its entity does not have it."""
    if "anaphor" in record:
        mentions.append(_mention_row(record["anaphor"], None, None))
        return {**record, "mention": len(mentions) - 1}
    return {**record, "mention": numbers[places[record["entity"]], record["mention"]]}


def _pairs(values: Mapping[str, str] | None) -> list[Record]:
    return [{"key": key, "value": value} for key, value in (values or {}).items()]


class Writer(Protocol):
    """What pyarrow writes a file with."""

    def write_table(self, table: Any) -> None: ...

    def close(self) -> None: ...


Open = Callable[[BinaryIO, Any], Writer]
"""Opens a file for writing, with the schema of its tables."""


def write_tables(
    docs: Iterable[Document], sink: Sink, open: Open, *, ending: str, shard_rows: str = "", shard_words: str = ""
) -> None:
    """Write documents to a file, or to a folder of files if a shard has a limit."""
    output = _Output(sink, open, ending, _limit("shard_rows", shard_rows), _limit("shard_words", shard_words))
    for doc in docs:
        output.add(doc)
    output.finish()


def _limit(name: str, value: str) -> int | None:
    if not value:
        return None
    if not value.isascii() or not value.isdigit() or int(value) < 1:
        raise CoindexError(f"{name}: expected a whole number from 1, not {quote(value)}", code="invalid-option")
    return int(value)


class _Output:
    """Collects documents in batches, batches in row groups, and row groups in files."""

    def __init__(self, sink: Sink, open: Open, ending: str, most_rows: int | None, most_words: int | None) -> None:
        self._sink = sink
        self._open = open
        self._ending = ending
        self._most = most_rows, most_words
        self._files = 0
        self._schema: Any = None
        self._writer: Writer | None = None
        self._stream: BinaryIO | None = None
        self._docs: list[Document] = []
        self._batches: list[Any] = []
        self._batch, self._group, self._file = (0, 0), (0, 0), (0, 0)  # rows and words so far

    def add(self, doc: Document) -> None:
        self._docs.append(doc)
        words = len(doc.tokens)
        self._batch, self._group, self._file = (
            (rows + 1, total + words) for rows, total in (self._batch, self._group, self._file)
        )
        is_full = any(most is not None and size >= most for size, most in zip(self._file, self._most, strict=True))
        if is_full or _reaches(self._group, GROUP_ROWS, GROUP_WORDS):
            self._write_group()
        elif _reaches(self._batch, BATCH_ROWS, BATCH_WORDS):
            self._convert()
        if is_full:
            self._close()

    def finish(self) -> None:
        """Write the rest; without any document, a file without rows."""
        if self._docs or self._batches or not self._files:
            self._write_group()
        self._close()

    def _convert(self) -> None:
        """Convert the documents to Arrow, which takes less memory."""
        pa = import_pyarrow()
        if self._schema is None:
            self._schema = _with_carried(self._docs)
        own = schema()
        rows = [make_row(doc) for doc in self._docs]
        carried = {}
        for field in list(self._schema)[len(own) :]:
            carried[field.name], kept = _carried_column(self._docs, field)
            for row, is_kept in zip(rows, kept, strict=True):
                if is_kept:  # it is in the column, and does not have to be in the metadata
                    row["meta"] = [pair for pair in row["meta"] if pair["key"] != field.name]
        arrays = [pa.array([row[field.name] for row in rows], field.type) for field in own]
        self._batches.append(pa.record_batch([*arrays, *carried.values()], schema=self._schema))
        self._docs, self._batch = [], (0, 0)

    def _write_group(self) -> None:
        pa = import_pyarrow()
        if self._docs or self._schema is None:
            self._convert()
        if self._writer is None:
            name = f"part-{self._files:05}{self._ending}"
            self._stream = self._sink.binary_file(name) if self._sink.is_folder else self._sink.binary
            self._writer = self._open(self._stream, self._schema)
            self._files += 1
        self._writer.write_table(pa.Table.from_batches(self._batches, self._schema).combine_chunks())
        self._batches, self._group = [], (0, 0)

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._stream is not None and self._sink.is_folder:
            self._stream.close()
        self._writer = self._stream = None
        self._file = (0, 0)


def _reaches(size: tuple[int, int], rows: int, words: int) -> bool:
    return size[0] >= rows or size[1] >= words


def _with_carried(docs: Sequence[Document]) -> Any:
    """Return the schema with the columns that the first documents were read with."""
    pa = import_pyarrow()
    own = _own_names()
    values: dict[str, list[object]] = {}
    types: dict[str, Any] = {}
    for doc in docs:
        if isinstance(doc.origin, Row):
            for name, value in doc.origin.values.items():
                if name.lower() not in own:
                    values.setdefault(name, []).append(value)
                    if doc.origin.schema is not None and name in doc.origin.schema.names:
                        types.setdefault(name, doc.origin.schema.field(name).type)
    fields = [pa.field(name, types.get(name) or _infer_type(column)) for name, column in values.items()]
    return pa.schema([*schema(), *fields], metadata=schema().metadata)


def _infer_type(values: list[object]) -> Any:
    pa = import_pyarrow()
    try:
        inferred = pa.infer_type(values)
    except (pa.ArrowException, OverflowError):  # values of several types
        return pa.string()
    return pa.string() if pa.types.is_null(inferred) else inferred


def _carried_column(docs: Sequence[Document], field: Any) -> tuple[Any, list[bool]]:
    """Return a column of the original table, and which of its values are still those of the metadata.

    A value that was changed, or does not fit the type, is null in the column and stays in the metadata.
    """
    pa = import_pyarrow()
    values: list[object] = []
    for doc in docs:
        value = doc.origin.values.get(field.name) if isinstance(doc.origin, Row) else None
        is_same = value is not None and doc.meta.get(field.name) == value_text(value)
        values.append(value if is_same else None)
    try:
        array = pa.array(values, field.type)
    except (pa.ArrowException, OverflowError, TypeError):
        values = [value if _fits(value, field.type) else None for value in values]
        array = pa.array(values, field.type)
    return array, [value is not None for value in values]


def _fits(value: object, type: Any) -> bool:
    pa = import_pyarrow()
    try:
        pa.array([value], type)
    except (pa.ArrowException, OverflowError, TypeError):
        return False
    return True


def value_text(value: object) -> str:
    """Return the value of a column as metadata: strings and dates as usual, everything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if value is None or isinstance(value, bool | int | float | list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=value_text)
    return str(value)


# --- reading


def read_batches(source: Source, batches: Iterable[Any], kind: str) -> Iterator[Document]:
    """Yield the documents of the batches of a table."""
    partition = partition_values(source)
    seen = SeenIds()
    number = 0
    own = schema()
    for batch in check_batches(source, batches, kind):
        names = [name for name in batch.schema.names if name in own.names]
        columns = [python_values(batch.column(name)) for name in names]
        carried = carried_rows(batch, own.names, partition)
        for values, row in zip(zip(*columns, strict=True), carried, strict=True):
            number += 1
            record = {name: value for name, value in zip(names, values, strict=True) if value is not None}
            doc = _read_row(source, number, record)
            if doc is not None:
                if doc.id is not None:
                    seen.check(source, doc.id)
                yield add_carried(doc, row)


def check_table(source: Source, table: Any, kind: str) -> bool:
    """Return whether a table of this Arrow schema has documents; report what it lacks."""
    found = (table.metadata or {}).get(JSON_VERSION.encode(), str(VERSION).encode())
    if found != str(VERSION).encode():
        source.problem(
            None,
            f"version {found.decode(errors='replace')[:80]!r}",
            f"version {VERSION}",
            "write the file with this version of coindex",
            code="unknown-version",
        )
        return False
    missing = [name for name in REQUIRED if name not in table.names]
    if missing:
        source.problem(
            None,
            f"{kind} without the columns {', '.join(missing)}; its columns are {list_columns(table.names)}",
            "a table that coindex wrote",
            "if it is a table of texts, name their column with --text-column (text_column=… in Python)",
            code="missing-column",
        )
    return not missing


def list_columns(names: Sequence[str]) -> str:
    """Return the names of columns for a message, at most 20 of them."""
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return (", ".join(quote(name) for name in names[:20]) or "none") + more


def check_batches(source: Source, batches: Iterable[Any], kind: str) -> Iterator[Any]:
    """Yield the batches of a table, with every value checked; report a damaged file."""
    pa = import_pyarrow()
    stream = iter(batches)
    while True:
        try:
            batch = next(stream)
            batch.validate(full=True)
        except StopIteration:
            return
        except (pa.ArrowException, OSError, ValueError, EOFError) as error:
            report_damage(source, kind, error)
            return
        yield batch


def report_damage(source: Source, kind: str, error: Exception) -> None:
    """Report a file that pyarrow cannot read."""
    text = " ".join(str(error).split())[:200]
    reason = text if text.isprintable() else quote(text, len(text))  # it can quote bytes of the file
    source.problem(
        None,
        f"{kind} that is damaged ({reason})",
        "a complete file",
        "copy or write the file again",
        code="broken-table",
    )


def python_values(array: Any) -> list[Any]:
    """Return an Arrow array as Python values, column by column, which is much faster than `to_pylist`.

    Records are dicts without the keys of null values.
    """
    types = import_pyarrow().types
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if types.is_struct(array.type):
        names = [field.name for field in array.type]
        columns = [python_values(column) for column in array.flatten()]
        return [
            {name: value for name, value in zip(names, row, strict=True) if value is not None}
            for row in (zip(*columns, strict=True) if columns else ((),) * len(array))
        ]
    if types.is_list(array.type) or types.is_large_list(array.type):
        items = python_values(array.flatten())
        lists: list[Any] = []
        at = 0
        for length in array.value_lengths().to_pylist():
            lists.append(None if length is None else items[at : at + length])
            at += length or 0
        return lists
    values: list[Any] = array.to_pylist()
    if types.is_map(array.type):
        return [value and [{"key": key, "value": text} for key, text in value] for value in values]
    return values


def _read_row(source: Source, number: int, row: Record) -> Document | None:
    try:
        return record_document(_record(row))
    except WrongField as wrong:
        remedy = "fix it, or write the document again"
        source.problem(number, wrong.found, wrong.expected, remedy, code="invalid-json-value")
    return None


def _record(row: Record) -> Record:
    """Return a row in the form of the format `json`, which checks the values."""
    mentions = [_mention_record(mention, at) for at, mention in enumerate(_records(row, "mentions"))]
    places: dict[int, tuple[object, int]] = {}
    entities = []
    for at, entity in enumerate(_records(row, "entities")):
        numbers = entity.get("mentions", [])
        if not isinstance(numbers, list) or not all(_is_index(number, mentions) for number in numbers):
            raise WrongField(f"'mentions' of entities[{at}]", f"numbers of mentions, from 0 to {len(mentions) - 1}")
        places |= {number: (entity.get("id"), index) for index, number in enumerate(numbers)}
        entities.append(_with_dicts(entity, "attributes") | {"mentions": [mentions[number] for number in numbers]})

    def relations(name: str) -> list[Record]:
        records = []
        for at, relation in enumerate(_records(row, name)):
            number: Any = relation.get("mention")
            if not _is_index(number, mentions):
                raise WrongField(
                    f"'mention' of {name}[{at}]", f"the number of a mention, from 0 to {len(mentions) - 1}"
                )
            id, index = places.get(number, (None, 0))
            is_inside = id is not None and id == relation.get("entity")
            records.append(relation | ({"mention": index} if is_inside else {"anaphor": mentions[number]}))
        return records

    return _with_dicts(row, "meta") | {
        "tokens": [_with_dicts(token, "extra") for token in _records(row, "tokens")],
        "multiwords": [_with_dicts(group, "extra") for group in _records(row, "multiwords")],
        "entities": entities,
        "bridging": relations("bridging"),
        "split_antecedents": relations("split_antecedents"),
    }


def _records(row: Record, name: str) -> list[Record]:
    value = row.get(name, [])
    if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
        raise WrongField(f"{quote(str(value))} for {name!r} in the document", "a list of structs")
    return value


def _is_index(number: object, values: list[Any]) -> bool:
    return type(number) is int and 0 <= number < len(values)


def _mention_record(mention: Record, at: int) -> Record:
    record = _with_dicts(mention, "attributes")
    if not record.get("positions"):
        record.pop("positions", None)
    if "score" in record:
        record["link"] = {"score": record["score"]}
    return record


def _with_dicts(record: Record, key: str) -> Record:
    """Return a record with the pairs under a key as a dict."""
    pairs = record.get(key)
    if not pairs:
        return {name: value for name, value in record.items() if name != key} if key in record else dict(record)
    if not isinstance(pairs, list) or not all(isinstance(pair, dict) and "key" in pair for pair in pairs):
        raise WrongField(f"{quote(str(pairs))} for {key!r}", "a list of structs with 'key' and 'value'")
    return record | {key: {pair["key"]: pair.get("value") for pair in pairs}}


MOST_IDS = 1_000_000
"""How many ids are remembered to find duplicates, so that memory stays constant."""


class SeenIds:
    """Counts documents with the id of an earlier one of the same file."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def check(self, source: Source, id: str) -> None:
        key = hash(id)
        if key in self._seen:
            source.count("rows with the id of an earlier row", code="duplicate-document-id")
        elif len(self._seen) < MOST_IDS:
            self._seen.add(key)


# --- columns that are carried along


def partition_values(source: Source) -> dict[str, str]:
    """Return the values in the names of the folders around a file: `year=2024/part-0.parquet`."""
    values: dict[str, str] = {}
    for folder in PurePath("." if source.path is None else source.path).parents:
        name, equals, value = folder.name.partition("=")
        if not name or not equals:
            break
        if value != _NO_PARTITION:
            values.setdefault(unquote(name), unquote(value))
    return values


def carried_rows(batch: Any, own: Iterable[str], partition: Mapping[str, str]) -> list[Row]:
    """Return the other columns of each row, and the values of its partition."""
    pa = import_pyarrow()
    leave_out = set(own)
    chosen = [
        (field, batch.column(index))
        for index, field in enumerate(batch.schema)
        if field.name not in leave_out and not field.name.startswith(_INDEX)
    ]
    columns = [_plain_column(column) for _, column in chosen]
    names = [field.name for field, _ in chosen]
    more = {name: value for name, value in partition.items() if name not in names}
    types = pa.schema([(name, column.type) for name, column in zip(names, columns, strict=True)])
    rows = zip(*(column.to_pylist() for column in columns), strict=True) if columns else ((),) * batch.num_rows
    return [Row(dict(zip(names, row, strict=True)) | more, types) for row in rows]


def _plain_column(column: Any) -> Any:
    """Return a column whose values Python can represent: times have no nanoseconds."""
    pa = import_pyarrow()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    type = column.type
    if pa.types.is_timestamp(type) and type.unit == "ns":
        return column.cast(pa.timestamp("us", type.tz), safe=False)
    if pa.types.is_time64(type) and type.unit == "ns":
        return column.cast(pa.time64("us"), safe=False)
    if pa.types.is_duration(type) and type.unit == "ns":
        return column.cast(pa.duration("us"), safe=False)
    return column


def _field(name: str, value: object) -> str | None:
    """Return the value of a column that is also a field of documents; None if it cannot be one."""
    if not isinstance(value, str) or name != "language":
        return value if isinstance(value, str) else None
    try:
        return language_code(value)
    except UnknownLanguageError:
        return None


def add_carried(doc: Document, row: Row) -> Document:
    """Return a document with the other columns of its row as metadata, so far as it has no own value for them."""
    if not row.values:
        return doc
    present = {name: value for name, value in row.values.items() if value is not None}
    own = {name: value for name in FIELDS if getattr(doc, name) is None and (value := _field(name, present.get(name)))}
    meta = {name: value_text(value) for name, value in present.items() if name not in own}
    return doc.replace(**own, meta=meta | dict(doc.meta), origin=row)
