"""The store as a whole: one database, its transactions and its layers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.orm import Session

from .database import Database
from .layers import SNAPSHOT_EVERY, Layers


class Store:
    """What annotation and campaigns share. Functions of `accounts`, `projects` … take a session of it."""

    def __init__(self, database: Database, *, snapshot_every: int = SNAPSHOT_EVERY) -> None:
        self.database = database
        self.layers = Layers(database, snapshot_every=snapshot_every)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A transaction that looks."""
        with self.database.read() as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction that changes: all of it or nothing."""
        with self.database.write() as session:
            yield session

    def close(self) -> None:
        self.database.close()


def open_store(place: str | Path, *, snapshot_every: int = SNAPSHOT_EVERY) -> Store:
    """The store in an SQLite file, made on first use, or at postgresql://…, brought to the newest schema.

    >>> store = open_store("annotation.db")  # doctest: +SKIP
    """
    return Store(Database(place), snapshot_every=snapshot_every)
