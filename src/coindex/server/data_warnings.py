"""Warnings about the data of users kept off the server's terminal."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from ..errors import CoindexWarning

_warning = RLock()  # Python's list of warnings is one for all threads


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings of coindex."""
    with _warning, warnings.catch_warnings():
        warnings.simplefilter("ignore", CoindexWarning)
        yield
