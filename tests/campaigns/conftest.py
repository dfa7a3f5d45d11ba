"""A campaign in a store of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns.server_world import ServerWorld
from coindex.annotation_app.layers import open_store
from coindex.campaigns.sandbox import remove_abandoned_folders
from coindex.server.database import Store


@pytest.fixture(autouse=True, scope="session")
def _quick_hashing(quick_hashing: None) -> None:
    pass


@pytest.fixture(scope="session", autouse=True)
def no_folders_of_killed_workers() -> Iterator[None]:
    """The next worker removes them; after the last test there is none."""
    yield
    remove_abandoned_folders()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[ServerWorld]:
    """On SQLite."""
    store = open_store(tmp_path / "campaigns.db")
    made = ServerWorld(store)
    yield made
    made.close()
    store.close()


@pytest.fixture
def both(store: Store) -> Iterator[ServerWorld]:
    """On SQLite, and on PostgreSQL."""
    made = ServerWorld(store)
    yield made
    made.close()
