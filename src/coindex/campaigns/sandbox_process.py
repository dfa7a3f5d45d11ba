"""The process that does tasks: it has everything loaded, and does each task in a child of its own within limits.

It reads requests as JSON lines and tells what happens as JSON lines; what came of a task is a file in its folder. It
knows no database. It ends with its input, also in the middle of a task: nothing goes on when a worker is killed.
"""

from __future__ import annotations

import gc
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ..corpora import counting as _counting  # noqa: F401 - loaded once here, not in every child
from ..errors import CoindexError
from .files import hide_key
from .tasks import FOLDER, RESULT, Prepared, Request, perform

MOST_WRITTEN = 2 << 30
"""Bytes of one file that a task may write."""


def main() -> None:
    """Tasks one after the other."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # whatever prints does not speak to the worker
    prepared = Prepared()
    gc.freeze()  # children share what is loaded, and never look through it
    with suppress(BrokenPipeError):  # nobody listens any more
        say(out, {"ready": os.getpid()})
        for line in _lines():
            request = Request(**json.loads(line))
            say(out, {"ended": _attend(request, prepared, out)})
    _leave()


def say(out: IO[str], message: dict[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def _lines() -> Iterator[bytes]:
    """The requests. Read without a buffer of Python's, as the end of the input is waited for elsewhere too."""
    waiting = b""
    while piece := os.read(0, 1 << 16):
        waiting += piece
        while b"\n" in waiting:
            line, _, waiting = waiting.partition(b"\n")
            yield line


def _attend(request: Request, prepared: Prepared, out: IO[str]) -> int:
    """Do a task in a child; how it ended, as `os.waitstatus_to_exitcode` tells."""
    try:
        prepared.read(request)
    except CoindexError as error:
        _write_error(request, error)
        return 0
    gc.freeze()
    ended, alive = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ended)
        _in_child(request, prepared, out)
    os.close(alive)
    try:
        while True:
            ready, _, _ = select.select([ended, 0], [], [])
            if ended in ready:
                return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            # There is one task at a time: what can be read now is the end of the input.
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            _leave()
    finally:
        os.close(ended)


def _leave() -> None:
    """End, as the worker has: keys and submissions are not left lying about."""
    if Path.cwd().name.startswith(FOLDER):
        shutil.rmtree(Path.cwd(), ignore_errors=True)
    os._exit(0)


def _in_child(request: Request, prepared: Prepared, out: IO[str]) -> None:
    """Does not come back."""
    code = 1
    try:
        _limit(request)
        tempfile.tempdir = request.folder  # which is removed even after a kill
        result = perform(request, prepared, lambda *step: say(out, {"step": step}))
        _write(request, {"result": result})
        code = 0
    except CoindexError as error:
        _write_error(request, error)
        code = 0
    except MemoryError:
        prepared.clear()
        _write(request, {"limit": "memory"})
        code = 0
    except BaseException as error:
        # Where, but not the message: it may have the name of a file, and that the name of a team.
        sys.stderr.write("".join(traceback.format_tb(error.__traceback__)) + type(error).__name__ + "\n")
    finally:
        os._exit(code)


def _limit(request: Request) -> None:
    """What a task may use: seconds of the processor, memory, the size of a file; it leaves no core."""
    import resource  # not on every system, though tests import this module on every one

    for what, most in (
        (resource.RLIMIT_CPU, request.seconds),
        (resource.RLIMIT_AS, request.memory),
        (resource.RLIMIT_FSIZE, MOST_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (value, hard))


def _write_error(request: Request, error: CoindexError) -> None:
    """The error without the places of the key and of the folder where the task was done."""

    def show(path: str) -> str:
        return hide_key(path, [request.key]).removeprefix(f"{request.folder}/")

    _write(request, {"error": error.text(show), "code": error.code})


def _write(request: Request, answer: dict[str, Any]) -> None:
    """All of it or nothing."""
    path = Path(request.folder) / RESULT
    staged = path.with_suffix(".part")
    staged.write_text(json.dumps(answer), encoding="utf-8")
    staged.rename(path)


if __name__ == "__main__":
    main()
