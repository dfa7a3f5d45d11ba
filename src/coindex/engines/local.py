"""Workers that are processes of this machine.

Processes are spawned, not forked, which works the same on every system and is safe with threads.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from threading import Lock
from typing import TypeVar

from ..errors import CoindexError
from .scheduling import Job, Scheduler, WorkerDiedError, run_chunk

Item = TypeVar("Item")
Result = TypeVar("Result")
READY = b"ready"
_starting = Lock()


def map_on_processes(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int,
    *,
    chunk: int = 1,
    on_lost: Callable[[Item, str], Result] | None = None,
) -> Generator[Result, None, None]:
    """Map like the built-in `map`, in `jobs` processes; the error of an item is raised in place of its result."""
    job = Job.of(function)
    stop = get_context("spawn").Event()

    def start(is_stopping: Callable[[], bool]) -> ProcessWorker:
        return ProcessWorker(job, stop)

    scheduler: Scheduler[Item, Result] = Scheduler(start, lambda: jobs, chunk=chunk, on_lost=on_lost)
    results = scheduler.map(items)
    try:
        yield from results
    finally:
        stop.set()  # a chunk that a process has started is not finished
        results.close()


class ProcessWorker:
    """A spawned process at the other end of a pipe."""

    def __init__(self, job: Job, stop: Event) -> None:
        context = get_context("spawn")
        with _starting:
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(job, theirs, stop), name="coindex-worker")
            self._process.start()
            theirs.close()  # so that the pipe ends with the process
        try:
            self._receive()
        except WorkerDiedError as death:
            raise CoindexError(
                "a worker process ended before it started to work; if a script calls coindex with jobs at its top "
                "level, put the call under: if __name__ == '__main__':",
                code="process-died",
            ) from death

    def run(self, items: bytes) -> bytes:
        try:
            self._pipe.send_bytes(items)
        except OSError:
            raise self._end() from None
        return self._receive()

    def _receive(self) -> bytes:
        try:
            return self._pipe.recv_bytes()
        except (EOFError, OSError):
            raise self._end() from None

    def _end(self) -> WorkerDiedError:
        self._pipe.close()
        self._process.join()
        code = self._process.exitcode or 0
        self._process.close()
        reason = f"killed by signal {-code}" if code < 0 else f"ended with code {code}"
        return WorkerDiedError(f"{reason}, as happens without memory or with an error in a library")

    def stop(self) -> None:
        self._pipe.close()
        self._process.join()
        self._process.close()


def _serve(job: Job, pipe: Connection, stop: Event) -> None:
    """Apply the function to chunks until the main process closes the pipe or dies."""
    function = job.prepare()
    with suppress(EOFError, OSError):
        pipe.send_bytes(READY)
        while True:
            pipe.send_bytes(run_chunk(function, pipe.recv_bytes(), stop.is_set))
