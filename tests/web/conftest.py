"""A running app with one person of every kind in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

from argon2 import PasswordHasher

from coindex.store import Store, accounts, open_store
from web_world import World, make_world


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """The hash that guards real passwords is slow on purpose; here only its use is tested."""
    patch = pytest.MonkeyPatch()
    patch.setattr(accounts, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    yield
    patch.undo()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "web.db")
    yield opened
    opened.close()


@pytest.fixture
def world(store: Store) -> World:
    return make_world(store)
