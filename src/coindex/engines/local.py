"""Map functions over items in several processes of this machine.

Processes are spawned, not forked, which works the same on every system and is safe with threads.
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import TypeVar

from ..errors import Caller, CoindexError, current_caller, set_caller

Item = TypeVar("Item")
Result = TypeVar("Result")
PREFETCH = 3
"""Chunks that are queued per process: enough to keep it busy, few enough to keep memory constant."""
_stop: Event | None = None
"""In a worker process: set when the main process stops, for example after Ctrl-C."""


def map_on_processes(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int, *, chunk: int = 1
) -> Iterator[Result]:
    """Map like the built-in `map`, in `jobs` processes; the error of an item is raised in place of its result."""
    source = iter(items)
    context = get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_prepare, initargs=(sys.path, stop, current_caller())
    )
    queue: deque[Future[list[Result]]] = deque()
    try:
        while piece := list(islice(source, chunk)):
            with _block_interrupts():
                queue.append(pool.submit(_run, function, piece))
            if len(queue) >= PREFETCH * jobs:
                yield from queue.popleft().result()
        while queue:
            yield from queue.popleft().result()
    except BrokenProcessPool as error:
        raise CoindexError(
            "a worker process ended early; it may have run out of memory, or a script calls coindex with jobs at its "
            "top level; use fewer jobs, and put the call under: if __name__ == '__main__':",
            code="process-died",
        ) from error
    finally:
        stop.set()  # chunks that were already sent to a process can no longer be cancelled
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl-C for processes started meanwhile: the terminal sends it to all, but the main process stops them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare(path: list[str], stop: Event, caller: Caller) -> None:
    global _stop  # noqa: PLW0603  # an event can only be passed to a process when it starts
    _stop = stop
    set_caller(caller)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path[:] = path
    warnings.simplefilter("always")  # the main process decides what to show


def _run(function: Callable[[Item], Result], items: list[Item]) -> list[Result]:
    done = []
    for item in items:
        if _stop is not None and _stop.is_set():  # the remaining results are not needed
            break
        done.append(function(item))
    return done
