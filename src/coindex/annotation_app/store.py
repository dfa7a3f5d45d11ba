"""The store of the annotation app: a database, its transactions and its layers."""

from __future__ import annotations

from pathlib import Path

from ..server.database import Database, Store
from .layers import SNAPSHOT_EVERY, Layers


class AnnotationStore(Store):
    """A store with layers."""

    def __init__(self, database: Database, *, snapshot_every: int = SNAPSHOT_EVERY) -> None:
        super().__init__(database)
        self.layers = Layers(database, snapshot_every=snapshot_every)


def open_store(place: str | Path, *, snapshot_every: int = SNAPSHOT_EVERY) -> AnnotationStore:
    """Open the store in an SQLite file, created on first use, or at postgresql://…, with the newest schema.

    >>> store = open_store("annotation.db")  # doctest: +SKIP
    """
    return AnnotationStore(Database(place), snapshot_every=snapshot_every)
