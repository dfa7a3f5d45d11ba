"""Processes on this machine, started anew, not forked: that is the same on every system and safe with threads."""

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
Found = TypeVar("Found")
AHEAD = 3
"""How many chunks wait for each process: enough to keep it busy, few enough to keep memory flat."""
_stop: Event | None = None
"""In a process: whether the others have ended, as they do after Ctrl-C."""


def map_on_processes(
    function: Callable[[Item], Found], items: Iterable[Item], jobs: int, *, chunk: int = 1
) -> Iterator[Found]:
    """Like the builtin map, on that many processes; an error of an item is raised where its result would come."""
    source = iter(items)
    context = get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_prepare, initargs=(sys.path, stop, current_caller())
    )
    waiting: deque[Future[list[Found]]] = deque()
    try:
        while piece := list(islice(source, chunk)):
            with _interrupts_held():
                waiting.append(pool.submit(_run, function, piece))
            if len(waiting) >= AHEAD * jobs:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        raise CoindexError(
            "a process ended before its work was done; it may have run out of memory, or a script calls coindex with "
            "jobs at its top level; use fewer jobs, and put the call under: if __name__ == '__main__':",
            code="process-died",
        ) from error
    finally:
        stop.set()  # chunks that are on their way to a process can no longer be cancelled
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started meanwhile never see Ctrl-C, which the keyboard sends to all: the first one ends the others."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare(path: list[str], stop: Event, caller: Caller) -> None:
    global _stop  # noqa: PLW0603  # an event can only be handed to a process when it starts
    _stop = stop
    set_caller(caller)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path[:] = path
    warnings.simplefilter("always")  # whoever gives the work decides what to show


def _run(function: Callable[[Item], Found], items: list[Item]) -> list[Found]:
    done = []
    for item in items:
        if _stop is not None and _stop.is_set():  # nobody waits for what is left
            break
        done.append(function(item))
    return done
