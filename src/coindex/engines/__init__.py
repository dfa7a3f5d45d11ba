"""Map a function over documents: in this process, or in several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..errors import CoindexError

__all__ = ["count_jobs", "map_documents"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_documents(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1, *, chunk: int = 1
) -> Iterator[Result]:
    """Yield `function(item)` for each item, in order, computed in `jobs` processes; 0 means one per CPU.

    Items are taken from the iterable only as fast as they are processed, so that memory stays constant. With more than
    one job, function, items and results must be picklable; `chunk` items are sent to a process together.
    """
    number = count_jobs(jobs)
    if number == 1:
        return map(function, items)
    from .local import map_on_processes

    return map_on_processes(function, items, number, chunk=chunk)


def count_jobs(jobs: int) -> int:
    """Return the number of processes for an option `jobs`."""
    if jobs < 0:
        raise CoindexError(
            f"the number of jobs cannot be {jobs}; use 1 or more, or 0 for one per CPU", code="invalid-option"
        )
    return jobs or os.cpu_count() or 1
