"""Tests of the wording of messages, which hold in normal runs only.

With COINDEX_MESSAGES=codes every message is its code and nothing else. As a pytest plugin (`-p wording`) this module
lets the other assertions be run in that mode: they must hold, or some logic reads messages.
"""

from __future__ import annotations

from typing import Any

import pytest

from coindex.errors import CODES_ONLY

_raises, _warns = pytest.raises, pytest.warns


def says(message: object, *texts: str) -> bool:
    """Return whether the message contains the texts; true where messages are codes."""
    return CODES_ONLY or all(text in str(message) for text in texts)


def pytest_configure() -> None:
    """Leave out `match`, which compares wording."""
    assert CODES_ONLY, "set COINDEX_MESSAGES=codes"
    pytest.raises, pytest.warns = _without_match(_raises), _without_match(_warns)


def pytest_unconfigure() -> None:
    pytest.raises, pytest.warns = _raises, _warns


def _without_match(function: Any) -> Any:
    def call(*args: Any, match: object = None, **options: Any) -> Any:
        return function(*args, **options)

    return call
