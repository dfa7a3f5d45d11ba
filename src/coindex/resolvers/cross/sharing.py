"""Objects with large arrays for functions that run in other processes.

An object is pickled once, to a file, with its arrays side by side behind it (pickle protocol 5). A process that opens
it maps the arrays into memory instead of copying them: processes of one machine share them, and only what is used is
read. What is sent to a process is the path alone.
"""

from __future__ import annotations

import mmap
import pickle
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...engines import Workers
from ...errors import CoindexError

Value = TypeVar("Value")
ALIGNED = 64
"""Arrays start at a multiple of this number of bytes."""
LARGE = 1 << 24
"""Bytes from which on an array is stored in a file."""


@contextmanager
def shared_folder(workers: Workers) -> Iterator[Path | None]:
    """Yield a temporary folder for shared objects; None if this process does the work itself."""
    if workers.are_here:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="coindex-cross-") as folder:
        yield Path(folder)


class Shared(Generic[Value]):
    """An object that other processes can open; without a folder, only this process can use it."""

    def __init__(self, value: Value, folder: Path | None = None) -> None:
        self._value: Value | None = value
        self._path: Path | None = None
        if folder is not None:
            self._path = folder / secrets.token_hex(8)
            _write(value, self._path)
            self._value = None  # from now on it is read from the file, as in the other processes

    @property
    def value(self) -> Value:
        if self._path is None:
            assert self._value is not None
            return self._value
        value: Value = _open(self._path)
        return value

    def __getstate__(self) -> Path:
        if self._path is None:
            raise TypeError("an object that is not in a folder cannot be shared")
        return self._path

    def __setstate__(self, path: Path) -> None:
        self._path, self._value = path, None


def zeros_on_disk(shape: tuple[int, int]) -> NDArray[np.float32]:
    """Return an array of zeros; a large one is mapped from a temporary file, which the system reads as needed."""
    size = int(np.prod(shape)) * np.dtype(np.float32).itemsize
    if size < LARGE:
        return np.zeros(shape, dtype=np.float32)
    with tempfile.TemporaryFile(prefix="coindex-cross-") as stream:
        stream.truncate(size)
        return np.frombuffer(mmap.mmap(stream.fileno(), size), dtype=np.float32).reshape(shape)


def _write(value: object, path: Path) -> None:
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    header = pickle.dumps((len(data), [view.nbytes for view in views]))
    with path.open("xb") as stream:
        stream.write(len(header).to_bytes(8, "little"))
        stream.write(header)
        stream.write(data)
        for view in views:
            stream.write(b"\0" * (-stream.tell() % ALIGNED))
            stream.write(view)


@lru_cache(maxsize=8)
def _open(path: Path) -> Any:
    try:
        with path.open("rb") as stream:
            content = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise CoindexError(
            f"a worker cannot read a temporary file ({error.strerror or error}); on a cluster of several machines, set "
            "TMPDIR to a folder that all of them share",
            code="unreadable-file",
            path=path,
        ) from error
    start = 8 + int.from_bytes(content[:8], "little")
    size, lengths = pickle.loads(content[8:start])
    at = start + size
    buffers = []
    for length in lengths:
        at += -at % ALIGNED
        buffers.append(content[at : at + length])
        at += length
    return pickle.loads(content[start : start + size], buffers=buffers)
