"""Stores to test with: every test that asks for `store` runs on SQLite and on a PostgreSQL of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the store needs the extra coindex[web]")

from coindex.annotation_app.layers import open_store
from coindex.server.database import Store
from postgres import Cluster, start_cluster
from serving_world import quick_passwords


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
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
    """Where a new database may be made."""
    return empty_place(request.param, request, tmp_path, "one")


@pytest.fixture(params=["sqlite", "postgresql"])
def other_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where another may be made."""
    return empty_place(request.param, request, tmp_path, "other")


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    opened = open_store(place, snapshot_every=7)
    yield opened
    opened.close()
