"""The command line run inside the test process, fast enough for every case: `from command import run`."""

from __future__ import annotations

import io
import sys
import warnings
from contextlib import redirect_stderr
from dataclasses import dataclass
from unittest import mock

from coindex.cli.main import main


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: bytes
    err: str


def run(*arguments: object, input: bytes = b"") -> Done:
    """What `coindex ARGUMENTS` does with this standard input; nothing is a terminal."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(input), encoding="utf-8")
    with (
        warnings.catch_warnings(),  # the command shows warnings in its own way
        mock.patch.object(sys, "argv", ["coindex", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", stdin),
        mock.patch.object(sys, "stdout", out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            code = stop.code
    out.flush()
    assert isinstance(code, int)
    return Done(code, out.buffer.getvalue(), err.getvalue())  # type: ignore[attr-defined]
