"""A running app with one person of every kind in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

from coindex.annotation_app.layers import open_store
from coindex.server.database import Store
from web_world import World, make_world


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "web.db")
    yield opened
    opened.close()


@pytest.fixture
def world(store: Store) -> World:
    return make_world(store)
