"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are shared and noisy: how long an example takes says nothing.
settings.register_profile("coindex", deadline=None)
settings.load_profile("coindex")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is absent."""
    root = os.environ.get("COINDEX_DATA")
    if not root or not (folder := Path(root) / "data").is_dir():
        pytest.skip("COINDEX_DATA does not name a folder with real corpora")
    return folder
