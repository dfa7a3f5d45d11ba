"""The parent side of a sandbox: start the process, send it tasks, and end it with all its children."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import CoindexError
from .sandbox_process import FOLDER, RESULT, Request

START_SECONDS = 120
"""The maximum start time of the process."""
MOST_KEYS = 4
"""How many keys stay unpacked."""
Beat = Callable[[tuple[int, int, str] | None], bool]
"""Called regularly with the progress of a task; returning False ends it."""


def remove_abandoned_folders() -> None:
    """Remove the folders of killed workers on this machine."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        process = folder.name.removeprefix(FOLDER).partition("-")[0]
        if process.isdigit() and not _is_running(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        pass
    return True


class TaskError(CoindexError):
    """Raised if a task exceeded its limits or was killed; it can be retried."""

    default_code = "task-failed"


class StoppedError(TaskError):
    """Raised if a task was stopped because it is no longer needed."""

    default_code = "task-stopped"

    def __init__(self) -> None:
        super().__init__("the task was stopped")


class Sandbox:
    """A process with its own folder that runs tasks; for one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self._read = b""
        self._keys: dict[str, Path] = {}

    @property
    def folder(self) -> Path:
        if self._folder is None:
            remove_abandoned_folders()
            self._folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-"))
        return self._folder

    def close(self) -> None:
        """End the process and its current task."""
        self._end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None
        self._keys.clear()

    @contextmanager
    def task_folder(self) -> Iterator[Path]:
        """Yield an empty folder for a task and remove it afterwards."""
        folder = Path(tempfile.mkdtemp(prefix="task-", dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def key(self, name: str, unpack: Callable[[Path], None]) -> Path:
        """Return the folder of a key, unpacked on first use; the oldest folder is removed when there are too many."""
        if name not in self._keys:
            while len(self._keys) >= MOST_KEYS:
                shutil.rmtree(self._keys.pop(next(iter(self._keys))), ignore_errors=True)
            folder = self.folder / f"key-{name}"
            folder.mkdir()
            try:
                unpack(folder)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            self._keys[name] = folder
        return self._keys[name]

    def perform(self, request: Request, *, beat: Beat | None = None, every: float = 5.0) -> dict[str, Any]:
        """Run a task and return its result; raise a `CoindexError` about its content or a `TaskError`.

        `beat` is called at least once per `every` seconds while the task runs, and whenever it makes progress.
        """
        try:
            return self._perform(request, beat or (lambda _: True), every)
        except BaseException:
            self._end()  # leave nothing running
            raise

    def _perform(self, request: Request, beat: Beat, every: float) -> dict[str, Any]:
        process = self._ensure_started()
        assert process.stdin is not None
        ends = time.monotonic() + request.seconds
        try:
            process.stdin.write(json.dumps(asdict(request)).encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise TaskError("the scoring process ended") from error
        while True:
            message = self._read_message(min(every, max(0.0, ends - time.monotonic())))
            if message is not None and "ended" in message:
                return _result(request, message["ended"])
            step = None if message is None else message.get("step")
            if not beat(None if step is None else (int(step[0]), int(step[1]), str(step[2]))):
                raise StoppedError()
            if time.monotonic() >= ends:
                raise TaskError(f"the task took more than {request.seconds} seconds")

    def _ensure_started(self) -> subprocess.Popen[bytes]:
        """Return the process, ready for a task."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "coindex.campaigns.sandbox_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self.folder,
            env=_environment(),
            start_new_session=True,  # a group of its own, so that it can be ended with its children
        )
        message = self._read_message(START_SECONDS)
        if message is None or "ready" not in message:
            raise TaskError("the scoring process did not start")
        return self._process

    def _read_message(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message of the process, or None after a timeout."""
        assert self._process is not None
        assert self._process.stdout is not None
        ends = time.monotonic() + seconds
        while b"\n" not in self._read:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, ends - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self._process.stdout.fileno(), 1 << 16)
            if not piece:
                raise TaskError("the scoring process was killed")
            self._read += piece
        line, _, self._read = self._read.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def _end(self) -> None:
        process, self._process, self._read = self._process, None, b""
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


_KEPT = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "COINDEX_MESSAGES")


def _environment() -> dict[str, str]:
    """Return a minimal environment, without database settings; one thread, as memory is limited."""
    kept = {name: value for name in _KEPT if (value := os.environ.get(name))}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **threads, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _result(request: Request, code: int) -> dict[str, Any]:
    """Return the result that a task left in its folder."""
    path = Path(request.folder) / RESULT
    if not path.is_file():
        if code == -signal.SIGXCPU:
            raise TaskError(f"the task took more than {request.seconds} seconds of CPU time")
        how = f"killed by signal {-code}" if code < 0 else f"ended with code {code}"
        raise TaskError(f"the scoring was {how}" if code < 0 else f"the scoring {how}; see the server log")
    answer: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if "limit" in answer:
        raise TaskError(f"the task needed more than {request.memory >> 20} MB of memory")
    if "error" in answer:
        raise CoindexError(answer["error"], code=answer["code"])
    result: dict[str, Any] = answer["result"]
    return result
