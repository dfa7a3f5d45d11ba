"""A folder for one run at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from .files import WriteError, failure

LOCK = "run.lock"


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder; one that is killed lets it go."""
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise WriteError(
            f"{folder}: another run works in it; expected one at a time; wait, or choose another"
        ) from error
    except OSError as error:
        raise failure(folder, error) from error
    try:
        yield
    finally:
        with suppress(OSError):  # not all systems let go of a file that is open
            (folder / LOCK).unlink()
        lock.release()
        with suppress(OSError):  # mostly there is something in it
            folder.rmdir()
