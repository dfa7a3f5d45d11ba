"""The database: SQLite or PostgreSQL, column types for both, transactions and migrations."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, DateTime, Dialect, Engine, LargeBinary, Text, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool
from sqlalchemy.types import TypeDecorator

from ..errors import CoindexError, MissingExtraError


def now() -> datetime:
    """Return the current time in UTC, as all times in the database."""
    return datetime.now(UTC)


def to_json(value: Any) -> str:
    """Return compact JSON that any database can store; refuse lone surrogates."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CoindexError(
            "the text contains a lone surrogate (half a character); correct the escape \\ud…", code="lone-surrogate"
        ) from error
    return text


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC; SQLite does not store the time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """A value as JSON text, the same bytes in both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else to_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class PackedJson(TypeDecorator[Any]):
    """A large value as compressed JSON."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.compress(to_json(value).encode("utf-8"), level=1)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(zlib.decompress(value))


_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x636F696E  # any number that PostgreSQL's other users do not lock by


def migrate(connection: Connection, name: str, to: str = "head") -> None:
    """Migrate the schema in the transaction of the caller; programs that start at the same time wait for each other."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    current = revision(connection)
    if current is None:
        if others := inspect(connection).get_table_names():
            raise CoindexError(
                f"{name}: contains tables of another program ({', '.join(sorted(others)[:3])}); use an empty database",
                code="invalid-database",
            )
    elif current not in list_revisions():
        raise CoindexError(
            f"{name}: the schema {current!r} is newer than this version of coindex, which knows {latest_revision()!r}; "
            "upgrade coindex",
            code="newer-schema",
        )
    if current != (latest_revision() if to == "head" else to):
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, to)


def revision(connection: Connection) -> str | None:
    """Return the schema revision of the database, or None."""
    return MigrationContext.configure(connection).get_current_revision()


def list_revisions() -> list[str]:
    """Return all schema revisions, newest first."""
    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]


def latest_revision() -> str:
    return list_revisions()[0]


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


BUSY_SECONDS = 30
"""How long a process waits for another that writes to the same SQLite file."""
CONNECTIONS = 20
"""The size of the pool, enough for all threads of the server."""


class Database:
    """An open database, migrated to the current schema."""

    def __init__(self, place: str | Path, *, bare: bool = False) -> None:
        """`bare` leaves the schema as it is, for a restore."""
        self.url = database_url(place)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = _engine(self.url)
        # SQLite has one writer: threads wait in line for it instead of asking again and again.
        self._writing = Lock() if self.is_sqlite else nullcontext()
        try:
            with self.translate_opening_errors(), self._writing, self._begin(write=True) as connection:
                if not bare:
                    migrate(connection, self.name)
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """Return the name of the database for messages, without the password."""
        return self.url.database or "memory" if self.is_sqlite else self.url.render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a read transaction, which sees one consistent state."""
        with self._begin(write=False) as connection, Session(connection, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a write transaction: its changes are on disk when it ends, and rolled back after an error."""
        with (
            self._writing,
            self._begin(write=True) as connection,
            Session(connection, expire_on_commit=False) as session,
        ):
            yield session
            session.flush()

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _begin(self, *, write: bool) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            level = "READ COMMITTED" if write else "REPEATABLE READ"
            options: dict[str, Any] = {"coindex_write": write} if self.is_sqlite else {"isolation_level": level}
            with connection.execution_options(**options).begin():
                yield connection

    @contextmanager
    def translate_opening_errors(self) -> Iterator[None]:
        """Translate errors of opening the database."""
        try:
            yield
        except OperationalError as error:
            remedy = (
                "check the path and its permissions"
                if self.is_sqlite
                else "check the address and that the server is running"
            )
            raise CoindexError(
                f"{self.name}: cannot open the database: {_reason(error)}; {remedy}", code="database-unavailable"
            ) from error
        except DatabaseError as error:
            raise CoindexError(
                f"{self.name}: not a coindex database: {_reason(error)}; use another file", code="invalid-database"
            ) from error


def _reason(error: DatabaseError) -> str:
    return str(error.orig).strip().partition("\n")[0]


def database_url(place: str | Path) -> URL:
    """Return the URL of a database: a path is an SQLite file."""
    text = str(place)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise CoindexError(
            f"{text!r} is not the address of a database; write postgresql://user@host/name", code="invalid-database"
        ) from error
    kind = url.get_backend_name()
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise CoindexError(
            f"databases of kind {kind!r} are not supported; give a file or postgresql://…", code="invalid-database"
        )
    return url.set(drivername="sqlite")


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        return _sqlite_engine(url)
    try:
        import psycopg  # noqa: F401 - to report what is missing
    except ImportError as error:
        raise MissingExtraError("psycopg", "postgres") from error
    return create_engine(url, pool_size=CONNECTIONS, pool_pre_ping=True)


def _sqlite_engine(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise CoindexError("a database in memory would be lost; give a file", code="invalid-database")
    folder = Path(url.database).absolute().parent
    if not folder.is_dir():
        raise CoindexError(f"{url.database}: the folder does not exist; create it first", code="database-unavailable")
    engine = create_engine(url, poolclass=QueuePool, pool_size=CONNECTIONS)
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # the driver begins no transaction by itself: `_on_begin` does
    for pragma in (
        f"busy_timeout = {BUSY_SECONDS * 1000}",  # first: the next one may have to wait
        "journal_mode = WAL",
        "synchronous = FULL",  # in WAL mode the default loses the last commits with the power
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _on_begin(connection: Connection) -> None:
    is_write = connection.get_execution_options().get("coindex_write", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_write else "BEGIN")


class Store:
    """An open database. Functions of `accounts`, `projects` and others take a session of it."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a read transaction."""
        with self.database.read() as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a write transaction: all changes are stored or none."""
        with self.database.write() as session:
            yield session

    def close(self) -> None:
        self.database.close()
