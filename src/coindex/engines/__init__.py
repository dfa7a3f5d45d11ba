"""Map a function over documents: in this process, in several processes, or on a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from ..errors import CoindexError, UnknownNameError

__all__ = ["ENGINES", "Engine", "Workers", "map_documents"]

Item = TypeVar("Item")
Result = TypeVar("Result")
Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = get_args(Engine)


@dataclass(frozen=True, slots=True)
class Workers:
    """How many workers process documents, and where they run.

    `jobs` is their number; 0 means one per CPU of the machine or cluster. `address` is that of a Ray cluster: "auto",
    "ray://HOST:PORT" or "HOST:PORT"; without it, Ray runs on this machine only.
    """

    jobs: int = 1
    engine: Engine = "local"
    address: str | None = None

    def __post_init__(self) -> None:
        if self.jobs < 0:
            raise CoindexError(
                f"the number of jobs cannot be {self.jobs}; use 1 or more, or 0 for one per CPU", code="invalid-option"
            )
        if self.engine not in ENGINES:
            raise UnknownNameError("engine", self.engine, ENGINES)
        if self.address is not None and self.engine != "ray":
            raise CoindexError(
                "an address is that of a Ray cluster, but the engine is local; add --engine ray (engine='ray' in "
                "Python), or leave the address out",
                code="invalid-option",
            )

    @classmethod
    def of(cls, workers: Workers | int) -> Workers:
        """Return the workers for a number of local processes, or these workers."""
        return cls(workers) if isinstance(workers, int) else workers

    @property
    def are_here(self) -> bool:
        """Whether this process does the work itself."""
        return self.engine == "local" and self.count() == 1

    def count(self) -> int:
        """Return the number of workers; for all CPUs of a cluster, connect to it and return how many it has now."""
        if self.jobs:
            return self.jobs
        if self.address is not None:
            from .ray import Cluster

            return Cluster.of(self.jobs, self.address).cpus()
        return os.cpu_count() or 1


def map_documents(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    workers: Workers | int = 1,
    *,
    chunk: int = 1,
    on_lost: Callable[[Item, str], Result] | None = None,
) -> Iterator[Result]:
    """Yield `function(item)` for each item, in order, computed by workers; a number is one of local processes.

    Items are taken from the iterable only as fast as they are processed, so that memory stays constant. Unless this
    process does the work itself, function, items and results must be picklable; `chunk` items are sent to a worker
    together.

    If a worker dies, its items are repeated on another. An item that repeatedly ends its worker is lost: the result is
    that of `on_lost`, which gets the item and the reason; without it, a `CoindexError` is raised.
    """
    chosen = Workers.of(workers)
    if chosen.are_here:
        return map(function, items)
    if chosen.engine == "ray":
        from .ray import map_on_ray

        return map_on_ray(function, items, chosen.jobs, chosen.address, chunk=chunk, on_lost=on_lost)
    from .local import map_on_processes

    return map_on_processes(function, items, chosen.count(), chunk=chunk, on_lost=on_lost)
