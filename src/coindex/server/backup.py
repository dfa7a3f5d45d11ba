"""Backups: one compressed file of JSON lines, the same for SQLite and PostgreSQL.

The first line names the schema; each following line holds the name of a table and some of its rows; the last line
counts them. Sessions are not included, so everybody has to log in again after a restore.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import secrets
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, Table, func, insert, select, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from ..errors import CoindexError, quote
from .database import Database, list_revisions, migrate, revision

_KIND = "coindex backup"
_LEFT_OUT = {"sessions", "alembic_version"}
_ROWS = 100
_ROWS_OF = {"campaign_files": 1}
"""Rows per line for tables whose rows may be very large."""


def back_up(database: Database, path: Path) -> int:
    """Write a consistent copy of the database to a new file; return the number of rows. The server can keep running."""
    if path.exists():
        raise CoindexError("already exists; choose a new file", code="file-exists", path=path)
    staged = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as raw:
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=5) as file:
                count = _dump(database, file)
            raw.flush()
            os.fsync(raw.fileno())
        staged.rename(path)
    except OSError as error:
        raise CoindexError(
            f"cannot be written: {error.strerror or error}", code="unwritable-file", path=path
        ) from error
    finally:
        staged.unlink(missing_ok=True)
    return count


def _dump(database: Database, file: gzip.GzipFile) -> int:
    count = 0
    with database.read() as session:
        connection = session.connection()
        _write(file, {"kind": _KIND, "schema": revision(connection)})
        for table in _tables(connection):
            at_once = _ROWS_OF.get(table.name, _ROWS)
            result_rows = session.execute(select(table), execution_options={"yield_per": at_once})
            for rows in result_rows.partitions(at_once):
                count += len(rows)
                _write(file, {"table": table.name, "rows": [dict(row._mapping) for row in rows]})
        _write(file, {"end": count})
    return count


def _write(file: gzip.GzipFile, line: dict[str, Any]) -> None:
    file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=_plain).encode("utf-8") + b"\n")


def _plain(value: object) -> dict[str, str]:
    """Encode a value that JSON cannot represent."""
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    assert isinstance(value, datetime)
    return {"time": (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()}


def _value(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    return base64.b64decode(content) if kind == "bytes" else datetime.fromisoformat(content).astimezone(UTC)


def _tables(connection: Connection) -> list[Table]:
    """Return the tables of the database in any schema, each after those it refers to."""
    metadata = MetaData()
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name not in _LEFT_OUT]


def restore(place: str | Path, path: Path) -> int:
    """Fill an empty database from a backup of this or an older schema, all or nothing; return the number of rows."""
    lines = _lines(path)
    first = next(lines, {})
    schema = first.get("schema")
    if first.get("kind") != _KIND:
        raise CoindexError(
            "not a coindex backup; give a file written by `coindex backup`", code="invalid-backup", path=path
        )
    if schema not in list_revisions():
        raise CoindexError(
            f"the schema {quote(str(schema))} of the backup is newer than this version of coindex; upgrade coindex",
            code="newer-schema",
            path=path,
        )
    database = Database(place, bare=True)
    try:
        with database.translate_opening_errors(), database.write() as session:
            connection = session.connection()
            if revision(connection) is not None:
                raise CoindexError(
                    f"{database.name}: the database is not empty; restore into a new database", code="database-in-use"
                )
            migrate(connection, database.name, to=str(schema))
            count = _fill(connection, lines, path)
            migrate(connection, database.name)
    finally:
        database.close()
    return count


def _fill(connection: Connection, lines: Iterator[dict[str, Any]], path: Path) -> int:
    tables = {table.name: table for table in _tables(connection)}
    count, end = 0, None
    try:
        for line in lines:
            if "end" in line:
                end = line["end"]
            else:
                rows = [{name: _value(value) for name, value in row.items()} for row in line["rows"]]
                connection.execute(insert(tables[line["table"]]), rows)
                count += len(rows)
    except OperationalError:  # for example a full disk; the file is not to blame
        raise
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, SQLAlchemyError) as error:
        raise CoindexError(
            f"damaged backup ({quote(str(error))}); use another one", code="invalid-backup", path=path
        ) from error
    if end != count:
        raise CoindexError(
            f"truncated backup: {count} of {quote(str(end))[1:-1]} rows; use another one",
            code="invalid-backup",
            path=path,
        )
    if connection.dialect.name == "postgresql":
        _set_sequences(connection, tables)
    return count


def _set_sequences(connection: Connection, tables: dict[str, Table]) -> None:
    """Set the id sequences of PostgreSQL to continue after the restored rows."""
    for name, table in tables.items():
        if "id" in table.columns:
            last = connection.scalar(select(func.max(table.c.id)))
            if last:
                sequence = connection.scalar(select(func.pg_get_serial_sequence(name, "id")))
                connection.execute(text("SELECT setval(:sequence, :last)"), {"sequence": sequence, "last": last})


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rb") as file:
            for line in file:
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise ValueError("a line is not an object")
                yield record
    except (EOFError, zlib.error, gzip.BadGzipFile, ValueError, RecursionError) as error:
        raise CoindexError(
            f"damaged or incomplete backup ({quote(str(error))}); use another one", code="invalid-backup", path=path
        ) from error
    except OSError as error:
        raise CoindexError(f"cannot be read: {error.strerror or error}", code="unreadable-file", path=path) from error
