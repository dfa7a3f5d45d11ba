"""Fixtures for the scoring tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def scorer_cases() -> Path:
    """The folder of recorded official results; tests that need it are skipped where it is absent."""
    root = os.environ.get("COINDEX_DATA")
    if not root or not (folder := Path(root) / "cases" / "scorer").is_dir():
        pytest.skip("COINDEX_DATA does not name a folder with recorded results of official scorers")
    return folder
