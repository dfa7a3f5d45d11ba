"""Fixtures for tests with a database: those that use `store` run on SQLite and on a PostgreSQL of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from postgres import Cluster, start_cluster

if TYPE_CHECKING:
    from coindex.server.database import Store


@pytest.fixture(scope="session")
def quick_hashing() -> Iterator[None]:
    """Hash passwords with the cheapest parameters."""
    pytest.importorskip("sqlalchemy", reason="the server needs the extra coindex[web]")
    from serving_world import quick_passwords

    with quick_passwords():
        yield


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with start_cluster(tmp_path_factory.mktemp("postgres")) as running:
        yield running


def empty_place(kind: str, request: pytest.FixtureRequest, folder: Path, name: str) -> str:
    if kind == "sqlite":
        return str(folder / f"{name}.db")
    address: str = request.getfixturevalue("cluster").empty_database(name)
    return address


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where a new database may be created."""
    return empty_place(request.param, request, tmp_path, "one")


@pytest.fixture(params=["sqlite", "postgresql"])
def other_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where a second database may be created."""
    return empty_place(request.param, request, tmp_path, "other")


@pytest.fixture
def store(place: str, quick_hashing: None) -> Iterator[Store]:
    from coindex.annotation_app.layers import open_store

    opened = open_store(place, snapshot_every=7)
    yield opened
    opened.close()
