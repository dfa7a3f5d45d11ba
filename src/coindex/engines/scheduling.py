"""Distribute items over workers that may die, and collect the results in order.

A thread per worker starts it, gives it chunks of items and waits for the results. An engine only implements `Worker`.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from threading import Condition, Thread
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

from ..errors import Caller, CoindexError, CoindexWarning, current_caller, set_caller

Item = TypeVar("Item")
Result = TypeVar("Result")
PREFETCH = 3
"""Chunks per worker that are in progress or wait: enough to keep it busy, few enough to keep memory constant."""
DEATHS = 3
"""How many workers an item may end before it is lost."""
FAILURES = 10
"""How often an item is tried if its worker died for another reason, for example with its node."""
INTERVAL = 1.0
"""Seconds after which the number of workers is checked again."""
_is_worker = False
_schedulers: set[Scheduler[Any, Any]] = set()


def is_worker() -> bool:
    """Return whether this process is a worker, which has one CPU."""
    return _is_worker


class WorkerDiedError(Exception):
    """The process of a worker ended. `at_fault` is False if the item in progress cannot be the reason."""

    def __init__(self, reason: str, *, at_fault: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at_fault = at_fault


class WorkerStoppedError(Exception):
    """A worker was not started, because the run is stopping."""


class Worker(Protocol):
    """A process that applies the function to items."""

    def run(self, items: bytes) -> bytes:
        """Apply `Job.run` to pickled items in the process, or raise a `WorkerDiedError`."""
        ...

    def stop(self) -> None:
        """End the process, which has no work."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to start: the pickled function, the import path, the caller and the current folder."""

    function: bytes
    path: tuple[str, ...]
    caller: Caller
    folder: str

    @classmethod
    def of(cls, function: Callable[[Any], Any]) -> Job:
        return cls(pickle.dumps(function), tuple(sys.path), current_caller(), os.getcwd())

    def prepare(self) -> Callable[[Any], Any]:
        """Prepare a new process and return the function."""
        global _is_worker  # noqa: PLW0603  # a fact about the process
        _is_worker = True
        set_caller(self.caller)
        with suppress(OSError):  # the folder may not be shared with this node; absolute paths and URLs work then
            os.chdir(self.folder)
        sys.path += [folder for folder in self.path if folder not in sys.path]
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends Ctrl-C to all; the main process stops them
        function: Callable[[Any], Any] = pickle.loads(self.function)
        return function


def run_chunk(function: Callable[[Any], Any], items: bytes, is_stopping: Callable[[], bool] = lambda: False) -> bytes:
    """Apply the function to pickled items; return the pickled results, the error that ended them, and warnings."""
    results: list[Any] = []
    error: BaseException | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")  # the main process decides what to show
        try:
            for item in pickle.loads(items):
                if is_stopping():  # the remaining results are not needed
                    break
                results.append(function(item))
        except Exception as problem:
            if not isinstance(problem, CoindexError):
                problem.add_note("".join(traceback.format_exception(problem)))  # a traceback cannot be pickled
            error = problem
    messages = [warning.message for warning in caught if isinstance(warning.message, CoindexWarning)]
    try:
        return pickle.dumps((results, error, messages))
    except Exception as problem:
        text = f"a result cannot be sent to another process: {type(problem).__name__}: {problem}"
        return pickle.dumps(([], TypeError(text) if error is None else RuntimeError(repr(error)), messages))


@dataclass(slots=True, eq=False)
class _Chunk(Generic[Item, Result]):
    """Items that are sent together. After a death, they are tried one by one: each is a part of its own."""

    items: list[Item]
    deaths: int = 0
    failures: int = 0
    results: Sequence[Result] = ()
    error: BaseException | None = None
    warnings: Sequence[CoindexWarning] = ()
    is_finished: bool = False
    parts: list[_Chunk[Item, Result]] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        return all(part.is_done for part in self.parts) if self.parts else self.is_finished

    def collect(self) -> Iterator[Result]:
        """Yield the results, or raise the error in place of the first that is missing."""
        for part in self.parts:
            yield from part.collect()
        for message in self.warnings:
            warnings.warn(message, stacklevel=3)
        yield from self.results
        if self.error is not None:
            raise self.error


def count_running() -> int:
    """Return the number of workers that run for this process."""
    return sum(scheduler.workers for scheduler in tuple(_schedulers))


class Scheduler(Generic[Item, Result]):
    """Runs a function on workers. `start` starts a worker and can take long; `count` is how many there should be."""

    def __init__(
        self,
        start: Callable[[Callable[[], bool]], Worker],
        count: Callable[[], int],
        *,
        chunk: int = 1,
        on_lost: Callable[[Item, str], Result] | None = None,
    ) -> None:
        self._start = start
        self._count = count
        self._size = chunk
        self._on_lost = on_lost
        self._changed = Condition()
        self._todo: deque[_Chunk[Item, Result]] = deque()
        self._order: deque[_Chunk[Item, Result]] = deque()
        self._threads: list[Thread] = []
        self._failure: BaseException | None = None
        self.is_stopping = False
        self.workers = 0
        """The number of workers that are running."""

    def map(self, items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the results of all items in order."""
        source = iter(items)
        _schedulers.add(self)
        try:
            while True:
                self._fill(source)
                if not self._order:
                    return
                yield from self._next_done().collect()
        finally:
            self._stop()
            _schedulers.discard(self)

    def _fill(self, source: Iterator[Item]) -> None:
        """Take items until enough chunks wait; start workers if there are too few."""
        wanted = self._count()
        while len(self._order) < PREFETCH * wanted and (piece := list(islice(source, self._size))):
            chunk: _Chunk[Item, Result] = _Chunk(piece)
            self._order.append(chunk)
            with self._changed:
                self._todo.append(chunk)
                self._changed.notify_all()
            if len(self._threads) < min(wanted, len(self._order)):
                self._add_worker()
        while len(self._threads) < min(wanted, len(self._order)):
            self._add_worker()

    def _add_worker(self) -> None:
        thread = Thread(target=self._work, name="coindex-worker", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _next_done(self) -> _Chunk[Item, Result]:
        """Wait for the first chunk and return it."""
        head = self._order[0]
        checked = monotonic()
        with self._changed:
            while not head.is_done and self._failure is None:
                self._changed.wait(INTERVAL)
                if monotonic() - checked > INTERVAL:  # a cluster may have grown
                    checked = monotonic()
                    while len(self._threads) < min(self._count(), len(self._order)):
                        self._add_worker()
        if not head.is_done:
            assert self._failure is not None
            raise self._failure
        return self._order.popleft()

    def _stop(self) -> None:
        with self._changed:
            self.is_stopping = True
            self._todo.clear()
            self._changed.notify_all()
        for thread in self._threads:
            # a thread that was interrupted while it began cannot be joined; it sees `is_stopping` and ends
            with suppress(RuntimeError):
                thread.join()

    def _work(self) -> None:
        """Keep a worker busy until the run stops; replace it if it dies."""
        if hasattr(signal, "pthread_sigmask"):  # processes started by this thread do not get Ctrl-C of the terminal
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        worker: Worker | None = None
        try:
            while self._has_demand():
                if worker is None:
                    worker = self._start(lambda: self.is_stopping)
                    self._count_workers(1)
                if (chunk := self._take()) is None:
                    continue
                try:
                    answer = worker.run(pickle.dumps(chunk.items))
                    chunk.results, chunk.error, chunk.warnings = pickle.loads(answer)
                    self._finish(chunk)
                except WorkerDiedError as death:
                    worker = None
                    self._count_workers(-1)
                    self._return(chunk, death)
                except Exception as error:  # items or results that cannot be pickled
                    chunk.error = error
                    self._finish(chunk)
        except WorkerStoppedError:
            pass
        except BaseException as error:  # no worker can be started
            with self._changed:
                self._failure = error
                self._changed.notify_all()
        finally:
            if worker is not None:
                worker.stop()
                self._count_workers(-1)

    def _count_workers(self, change: int) -> None:
        with self._changed:
            self.workers += change

    def _has_demand(self) -> bool:
        """Wait until a chunk waits; return False if the run stops."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_stopping or bool(self._todo))
            return not self.is_stopping

    def _take(self) -> _Chunk[Item, Result] | None:
        with self._changed:
            return self._todo.popleft() if self._todo else None

    def _finish(self, chunk: _Chunk[Item, Result]) -> None:
        with self._changed:
            chunk.is_finished = True
            self._changed.notify_all()

    def _return(self, chunk: _Chunk[Item, Result], death: WorkerDiedError) -> None:
        """Let another worker repeat the items of a worker that died, or give an item up."""
        chunk.failures += 1
        chunk.deaths += death.at_fault
        if len(chunk.items) > 1:
            chunk.parts = [_Chunk([item], failures=1, deaths=int(death.at_fault)) for item in chunk.items]
            again = chunk.parts
        elif chunk.deaths < DEATHS and chunk.failures < FAILURES:
            again = [chunk]
        else:
            (item,) = chunk.items
            self._give_up(chunk, item, f"its worker died {chunk.failures} times: {death.reason}")
            return
        with self._changed:
            self._todo.extendleft(reversed(again))
            self._changed.notify_all()

    def _give_up(self, chunk: _Chunk[Item, Result], item: Item, reason: str) -> None:
        try:
            if self._on_lost is None:
                raise CoindexError(
                    f"an item cannot be processed: {reason}; it may need more memory than there is: use fewer jobs",
                    code="process-died",
                )
            chunk.results = [self._on_lost(item, reason)]
        except Exception as error:
            chunk.error = error
        self._finish(chunk)
