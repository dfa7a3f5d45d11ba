"""Parquet: a row for each document, with nested columns that pandas, Polars, DuckDB and Spark can query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from ..document import Document
from .columns import (
    FOLDER_OPTIONS,
    SHARD_OPTIONS,
    Writer,
    check_table,
    import_pyarrow,
    read_batches,
    report_damage,
    write_tables,
)
from .losses import FEATURES
from .registry import Format, Option
from .sink import Sink
from .source import Source

KIND = "a Parquet file"
_BATCH = 64
_BUFFER = 1 << 20


def read(source: Source) -> Iterator[Document]:
    """Read the documents of a file, in batches of rows."""
    file = open_file(source)
    if file is not None and check_table(source, file.schema_arrow, KIND):
        yield from read_batches(source, file.iter_batches(_BATCH, use_threads=False), KIND)


def open_file(source: Source) -> Any:
    """Open a file for reading; pages are read when they are needed. None after a problem."""
    pa = import_pyarrow()
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(source.seekable(), pre_buffer=False, buffer_size=_BUFFER)
    except (pa.ArrowException, OSError, ValueError) as error:
        report_damage(source, KIND, error)
        return None


def write(
    docs: Iterable[Document], sink: Sink, *, compression: str = "zstd", shard_rows: str = "", shard_words: str = ""
) -> None:
    """Write documents in row groups; a shard is a file of a folder."""
    import_pyarrow()
    from pyarrow import parquet

    def open(stream: BinaryIO, schema: Any) -> Writer:
        writer: Writer = parquet.ParquetWriter(stream, schema, compression=compression)
        return writer

    write_tables(docs, sink, open, ending=".parquet", shard_rows=shard_rows, shard_words=shard_words)


FORMAT = Format(
    name="parquet",
    summary="Parquet tables for pandas, Polars, DuckDB and Spark: a row per document, with nested columns",
    carries=frozenset(FEATURES),
    read=read,
    write=write,
    write_options=(Option("compression", ("zstd", "snappy", "gzip", "none"), "how columns are packed"), *SHARD_OPTIONS),
    folder_options=FOLDER_OPTIONS,
)
