"""Workers that are actors on a Ray cluster: one that runs already, or one on this machine for this process.

An actor applies the function in a process of its own, so that it keeps what it loads, such as a model. Ray's own
retries are off: which items ended a worker is known only if they are repeated one by one.
"""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import Any, ClassVar, TypeVar

from ..errors import CoindexError, MissingExtraError
from .scheduling import Job, Scheduler, WorkerDiedError, WorkerStoppedError, run_chunk

Item = TypeVar("Item")
Result = TypeVar("Result")
STORE = 256 * 1024 * 1024
"""Bytes of shared memory for items and results of a cluster on this machine."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # without a cluster, Ray uses the loopback address on every system
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_enable_metrics_collection": "0",
    "RAY_worker_niceness": "0",  # as local processes; by default, actors get what other programs leave
}
"""Environment of a cluster on this machine, unless a variable is set already."""
CLEANER = """
import os, shutil, sys, time
sys.stdin.read()
for _ in range(100):
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    if not os.path.exists(sys.argv[1]):
        break
    time.sleep(0.1)
"""
LONGEST = 20
"""Characters of the path of the folder for temporary files."""
PATIENCE = 10.0
"""Seconds to wait for an answer from the address of a cluster."""
POLL = 0.5
"""Seconds between looks at whether the run stops, while a worker waits for a CPU."""
REFRESH = 2.0
"""Seconds for which the number of CPUs of a cluster is remembered."""


def map_on_ray(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int,
    address: str | None,
    *,
    chunk: int = 1,
    on_lost: Callable[[Item, str], Result] | None = None,
) -> Generator[Result, None, None]:
    """Map like the built-in `map`, by actors; the error of an item is raised in place of its result."""
    cluster = Cluster.of(jobs, address)
    job = Job.of(function)

    def start(is_stopping: Callable[[], bool]) -> ActorWorker:
        return ActorWorker(cluster, job, is_stopping)

    scheduler: Scheduler[Item, Result] = Scheduler(start, lambda: jobs or cluster.cpus(), chunk=chunk, on_lost=on_lost)
    return scheduler.map(items)


class Cluster:
    """The connection of this process to a cluster. It stays open until the process ends or needs another cluster."""

    _current: ClassVar[Cluster | None] = None
    _lock: ClassVar[Lock] = Lock()

    def __init__(self, jobs: int, address: str | None) -> None:
        self.address = address
        self.ray = _import_ray(is_local=self.address is None)
        self.size = (jobs or os.cpu_count() or 1) if address is None else None
        self._is_ours = not self.ray.is_initialized()
        self._cleaner: subprocess.Popen[bytes] | None = None
        self._cpus = (0, 0.0)
        if self._is_ours:
            self._connect()
        self._actor = self.ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor)

    @classmethod
    def of(cls, jobs: int, address: str | None) -> Cluster:
        """Return the open connection if it fits, otherwise a new one."""
        with cls._lock:
            current = cls._current
            if current is not None and not current._fits(jobs, address):
                current.close()
                current = None
            if current is None:
                current = cls._current = cls(jobs, address)
                atexit.register(current.close)
            return current

    def _fits(self, jobs: int, address: str | None) -> bool:
        if not self.ray.is_initialized() or self.address != address:
            return False
        return self.size is None or self.size >= (jobs or os.cpu_count() or 1)

    def _connect(self) -> None:
        options: dict[str, Any] = {"address": self.address}
        if self.address is None:
            folder = os.environ.get("RAY_TMPDIR")
            if folder is None:
                folder = _make_folder()
                self._cleaner = _start_cleaner(folder)
            options = {
                "num_cpus": self.size,
                "include_dashboard": False,
                "object_store_memory": STORE,
                "_temp_dir": folder,
            }
        else:
            _check_address(self.address)
        try:
            self.ray.init(**options, log_to_driver=False, logging_level=logging.CRITICAL, configure_logging=True)
        except Exception as error:  # of many types: the address is wrong, nobody answers, versions differ
            self._end_cleaner()
            first = next(iter(str(error).splitlines()), "")
            where = "on this machine" if self.address is None else f"at {self.address}"
            message = f"cannot connect to Ray {where}: {type(error).__name__}: {first}"
            remedy = "check the address, the token, and that Ray and Python have the same versions there as here"
            raise CoindexError(message, remedy=remedy, code="no-cluster") from error
        _hide_messages()

    def cpus(self) -> int:
        """Return the number of CPUs that the cluster has now, at least 1."""
        number, then = self._cpus
        if not number or monotonic() - then > REFRESH:
            number = max(1, int(self.ray.cluster_resources().get("CPU", 0)))
            self._cpus = number, monotonic()
        return number

    def start_actor(self) -> Any:
        """Ask for an actor, which starts as soon as a CPU is free."""
        return self._actor.remote()

    def is_node_dead(self, node: str) -> bool:
        """Return whether a node has left the cluster."""
        with suppress(Exception):  # the connection may be lost
            return not any(known["NodeID"] == node and known["Alive"] for known in self.ray.nodes())
        return False

    def close(self) -> None:
        """Disconnect, and stop a cluster that was started here."""
        atexit.unregister(self.close)
        if Cluster._current is self:
            Cluster._current = None
        if self._is_ours and self.ray.is_initialized():
            self.ray.shutdown()
        self._end_cleaner()

    def _end_cleaner(self) -> None:
        if self._cleaner is not None:
            self._cleaner.communicate()


def _check_address(address: str) -> None:
    """Raise an error if nobody listens at an address; Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdigit():  # "auto" or a name that Ray knows
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise CoindexError(
            f"cannot connect to Ray at {address}: {error}",
            remedy="check the address; 'ray status' on a node of the cluster shows whether it runs",
            code="no-cluster",
        ) from error


def _make_folder() -> str:
    """Make a folder for sockets and logs with a short path: the name of a Unix socket has at most 107 bytes."""
    parent = tempfile.gettempdir()
    if os.name == "posix" and len(parent) > LONGEST:
        parent = "/tmp"
    return tempfile.mkdtemp(prefix="coindex-ray-", dir=parent)


def _start_cleaner(folder: str) -> subprocess.Popen[bytes]:
    """Start a process that removes the folder when this one has ended, in whatever way."""
    command = [sys.executable, "-c", CLEANER, folder]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def _import_ray(*, is_local: bool) -> Any:
    if is_local and "ray" not in sys.modules:
        # a token of its own, so that other users of the machine cannot use the cluster, and no file in the home folder
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        for name, value in {**QUIET, **({} if "RAY_AUTH_MODE" in os.environ else token)}.items():
            os.environ.setdefault(name, value)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("ray", "ray") from error
    return ray


def _hide_messages() -> None:
    """Keep messages about dead workers from standard output: Ray prints them there even with `log_to_driver=False`."""
    with suppress(ImportError, AttributeError):
        from ray._private import worker

        worker.print_to_stdstream = lambda *arguments, **options: None


class _Actor:
    """The process of a worker."""

    def __init__(self) -> None:
        self._function: Callable[[Any], Any] | None = None

    def prepare(self, job: Job) -> str:
        """Prepare the process and return the id of its node."""
        import ray

        self._function = job.prepare()
        return str(ray.get_runtime_context().get_node_id())

    def run(self, items: bytes) -> bytes:
        assert self._function is not None, "prepare() is called first"
        return run_chunk(self._function, items)


class ActorWorker:
    """An actor; calls wait for their result."""

    def __init__(self, cluster: Cluster, job: Job, is_stopping: Callable[[], bool]) -> None:
        self._cluster = cluster
        self._ray = cluster.ray
        while True:
            self._actor = cluster.start_actor()
            waiting = self._actor.prepare.remote(job)
            try:
                while not self._ray.wait([waiting], timeout=POLL)[0]:
                    if is_stopping():
                        raise WorkerStoppedError
                self._node = self._ray.get(waiting)
                return
            except WorkerStoppedError:
                self.stop()
                raise
            except self._ray.exceptions.RayTaskError as error:  # the function cannot be loaded there
                self.stop()
                raise CoindexError(
                    f"a worker of the cluster cannot start: {error.cause!r}; install the same coindex on all nodes",
                    code="process-died",
                ) from error
            except self._ray.exceptions.RayError:  # its node died; another may be free
                if is_stopping():
                    raise WorkerStoppedError from None

    def run(self, items: bytes) -> bytes:
        errors = self._ray.exceptions
        try:
            answer: bytes = self._ray.get(self._actor.run.remote(items))
        except errors.RayTaskError as error:
            self.stop()
            raise RuntimeError(str(error)) from error
        except errors.RayError as error:
            self.stop()
            reason = (
                "out of memory" if isinstance(error, errors.OutOfMemoryError) else "the process of its worker ended"
            )
            raise WorkerDiedError(reason, at_fault=not self._cluster.is_node_dead(self._node)) from None
        return answer

    def stop(self) -> None:
        with suppress(Exception):  # the cluster may be gone
            self._ray.kill(self._actor)
