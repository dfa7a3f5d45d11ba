"""Processes that run cases. One that uses too much CPU time is ended by the system, and another takes its place."""

from __future__ import annotations

import resource
import shutil
import signal
import tempfile
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from .cases import Case
from .checks import Failure, Outcome, run

CPU_SECONDS = 5
WAITING_SECONDS = 120
"""After which a process that does not compute counts as hanging too."""
MEMORY = 4 << 30
"""What a process may use beyond what it inherits: libraries that others have loaded can take gigabytes of addresses."""
_CONTEXT = get_context("fork")


class Worker:
    """A process that takes a case and gives its outcome."""

    def __init__(self, cpu_seconds: float = CPU_SECONDS) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="coindex-fuzz-"))
        self.cpu_seconds = cpu_seconds
        self.case: Case | None = None
        self._start()

    def _start(self) -> None:
        self.connection, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, self.folder, self.cpu_seconds), daemon=True)
        self._process.start()
        theirs.close()

    def send(self, case: Case) -> None:
        self.case = case
        self.connection.send(case)

    def receive(self) -> Outcome:
        """Return the outcome of the case that was sent; if the process died, report a failure and start a new one."""
        try:
            if not self.connection.poll(WAITING_SECONDS):
                self._process.kill()
            outcome: Outcome = self.connection.recv()
            self.case = None
            return outcome
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self.connection.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir()
            self.case = None
            self._start()
            what = {-signal.SIGPROF: f"more than {self.cpu_seconds:g} s of CPU time", -signal.SIGKILL: "waits forever"}
            return Outcome("refused", (Failure("run", what.get(code or 0, f"the process ended with {code}")),))

    def run(self, case: Case) -> Outcome:
        self.send(case)
        return self.receive()

    def close(self) -> None:
        self._process.kill() if self.case else self.connection.send(None)
        self._process.join()
        self.connection.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _serve(connection: Connection, folder: Path, cpu_seconds: float) -> None:
    limit = _inherited_bytes() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        case = connection.recv()
        if case is None:
            return
        # Nobody handles the signal of the timer, so it ends the process.
        outcome = run(case, folder, lambda: signal.setitimer(signal.ITIMER_PROF, cpu_seconds))
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send(outcome)


def _inherited_bytes() -> int:
    """Return the size of the address space that the process has already."""
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[0]) * resource.getpagesize() if statistics.exists() else 0


def run_all(cases: Iterable[Case], jobs: int, cpu_seconds: float = CPU_SECONDS) -> Iterator[tuple[Case, Outcome]]:
    """Run cases on some processes; the outcomes come in the order in which they are ready."""
    workers = [Worker(cpu_seconds) for _ in range(jobs)]
    try:
        waiting = iter(cases)
        busy = [worker for worker in workers if _feed(worker, waiting)]
        while busy:
            ready = wait([worker.connection for worker in busy], WAITING_SECONDS)
            for worker in [one for one in busy if not ready or one.connection in ready]:
                case, outcome = worker.case, worker.receive()
                assert case is not None
                yield case, outcome
                if not _feed(worker, waiting):
                    busy.remove(worker)
    finally:
        for worker in workers:
            worker.close()


def _feed(worker: Worker, cases: Iterator[Case]) -> bool:
    case = next(cases, None)
    if case is not None:
        worker.send(case)
    return case is not None
