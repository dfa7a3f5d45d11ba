"""Map a function over documents: in this process, or in several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..errors import CoindexError

Item = TypeVar("Item")
Found = TypeVar("Found")


def map_documents(
    function: Callable[[Item], Found], items: Iterable[Item], jobs: int = 1, *, chunk: int = 1
) -> Iterator[Found]:
    """What `function` makes of each item, in order, on as many processes as `jobs` says; 0 means one a processor.

    Items are taken from the iterable only as fast as they are worked on, so that memory stays flat. With more than
    one job, function, items and results must be picklable; `chunk` of them travel together.
    """
    number = count_jobs(jobs)
    if number == 1:
        return map(function, items)
    from .local import map_on_processes

    return map_on_processes(function, items, number, chunk=chunk)


def count_jobs(jobs: int) -> int:
    """How many processes are meant."""
    if jobs < 0:
        raise CoindexError(
            f"{jobs} jobs; expected 1 or more, or 0 for one a processor; choose another number", code="invalid-option"
        )
    return jobs or os.cpu_count() or 1


__all__ = ["map_documents"]
