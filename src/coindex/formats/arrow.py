"""Arrow IPC files and streams, also called Feather: the columns of `parquet`, faster to read, in larger files."""

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

KIND = "an Arrow file"
MAGIC = b"ARROW1"


def read(source: Source) -> Iterator[Document]:
    """Read the documents of a file or stream, batch by batch."""
    table = open_table(source)
    if table is not None and check_table(source, table[0], KIND):
        yield from read_batches(source, table[1], KIND)


def open_table(source: Source) -> tuple[Any, Iterator[Any]] | None:
    """Return the schema and the batches of a file or stream; None after a problem."""
    pa = import_pyarrow()
    try:
        if not source.head().startswith(MAGIC):
            stream = pa.ipc.open_stream(source.open())
            return stream.schema, iter(stream)
        file = pa.ipc.open_file(source.seekable())
        return file.schema, map(file.get_batch, range(file.num_record_batches))
    except (pa.ArrowException, OSError, ValueError) as error:
        report_damage(source, KIND, error)
        return None


def write(
    docs: Iterable[Document],
    sink: Sink,
    *,
    layout: str = "file",
    compression: str = "zstd",
    shard_rows: str = "",
    shard_words: str = "",
) -> None:
    """Write documents in record batches; a shard is a file of a folder."""
    pa = import_pyarrow()
    packed = pa.ipc.IpcWriteOptions(compression=None if compression == "none" else compression)

    def open(stream: BinaryIO, schema: Any) -> Writer:
        new = pa.ipc.new_file if layout == "file" else pa.ipc.new_stream
        writer: Writer = new(stream, schema, options=packed)
        return writer

    write_tables(docs, sink, open, ending=".arrow", shard_rows=shard_rows, shard_words=shard_words)


FORMAT = Format(
    name="arrow",
    summary="Arrow IPC (Feather) files and streams: the columns of parquet",
    carries=frozenset(FEATURES),
    read=read,
    write=write,
    write_options=(
        Option("layout", ("file", "stream"), "a file with random access, or a stream"),
        Option("compression", ("zstd", "lz4", "none"), "how buffers are packed"),
        *SHARD_OPTIONS,
    ),
    folder_options=FOLDER_OPTIONS,
)
