"""The database: SQLite in a file, or PostgreSQL; transactions for reading and for writing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool

from ..errors import CoindexError, MissingExtraError
from .migrating import migrate

BUSY_SECONDS = 30
"""How long one process waits for another that is writing to the same SQLite file."""
CONNECTIONS = 20
"""At once, as many as the server has threads for."""


class Database:
    """A place where the tables are, brought to the schema of this program when it is opened."""

    def __init__(self, place: str | Path, *, bare: bool = False) -> None:
        """`bare` leaves the schema as it is, for a restore."""
        self.url = database_url(place)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = _engine(self.url)
        # SQLite has one writer: threads wait in line for it instead of asking again and again.
        self._writing = Lock() if self.is_sqlite else nullcontext()
        try:
            with self.opening(), self._writing, self._begin(write=True) as connection:
                if not bare:
                    migrate(connection, self.name)
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The database in messages, without its password."""
        return self.url.database or "memory" if self.is_sqlite else self.url.render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A transaction that looks: one consistent state of everything."""
        with self._begin(write=False) as connection, Session(connection, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction that changes; what it did is on the disk when it ends, or nothing of it after an error."""
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
    def opening(self) -> Iterator[None]:
        """Says what is wrong with the place, where the database does."""
        try:
            yield
        except OperationalError as error:
            remedy = "check the path and its rights" if self.is_sqlite else "check that the server runs and the address"
            raise CoindexError(f"{self.name}: the database cannot be opened: {_reason(error)}; {remedy}") from error
        except DatabaseError as error:
            raise CoindexError(f"{self.name}: not a database of coindex: {_reason(error)}; name another") from error


def _reason(error: DatabaseError) -> str:
    return str(error.orig).strip().partition("\n")[0]


def database_url(place: str | Path) -> URL:
    """A path is an SQLite file; an address is PostgreSQL's or SQLite's own."""
    text = str(place)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise CoindexError(f"{text!r} is no address of a database; write postgresql://user@host/name") from error
    kind = url.get_backend_name()
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise CoindexError(f"databases of kind {kind!r} are not known; give a file, or postgresql://…")
    return url.set(drivername="sqlite")


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        return _sqlite_engine(url)
    try:
        import psycopg  # noqa: F401 - to say what is missing
    except ImportError as error:
        raise MissingExtraError("psycopg", "postgres") from error
    return create_engine(url, pool_size=CONNECTIONS, pool_pre_ping=True)


def _sqlite_engine(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise CoindexError("a database in memory would be lost; name a file")
    folder = Path(url.database).absolute().parent
    if not folder.is_dir():
        raise CoindexError(f"{url.database}: its folder is not there; make it first")
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
