"""Make a failing case small: remove files, lines and bytes as long as it fails in the same way."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from .cases import Case
from .checks import Failure, Outcome
from .mutations import GZIP

TRIES = 600
SECONDS = 60
Run = Callable[[Case], Outcome]


class Tries:
    """Checks whether a case still fails in the same way, as long as tries and time are left."""

    def __init__(self, failure: Failure, run: Run) -> None:
        self._failure = failure
        self._run = run
        self._left = TRIES
        self._end = time.monotonic() + SECONDS

    @property
    def are_over(self) -> bool:
        return self._left <= 0 or time.monotonic() > self._end

    def fail(self, candidate: Case) -> bool:
        if self.are_over:
            return False
        self._left -= 1
        return self._failure in self._run(candidate).failures


def reduce_case(case: Case, failure: Failure, run: Run) -> Case:
    """Return the smallest case found that fails in the same way."""
    tries = Tries(failure, run)
    if case.resolver and tries.fail(candidate := replace(case, resolver="")):
        case = candidate
    for targets in [(target,) for target in case.targets] + [()]:
        if tries.fail(candidate := replace(case, targets=targets)):
            case = candidate
    for name in sorted(case.files):
        if name != case.main and tries.fail(candidate := _with(case, name, None)):
            case = candidate
    for name, content in case.files.items():
        if content.startswith(GZIP) and tries.fail(candidate := _with(case, name, _unpacked(content))):
            case = candidate
    for pieces_of in (_lines, _runs, _single):
        for name in sorted(case.files):
            case = _smaller(case, name, pieces_of(case.files[name]), tries)
    return case


def _with(case: Case, name: str, content: bytes | None) -> Case:
    files = {file: data for file, data in case.files.items() if file != name}
    return replace(case, files=files if content is None else {**files, name: content})


def _unpacked(content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return content


def _lines(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True)


def _runs(content: bytes) -> list[bytes]:
    """Return pieces of up to eight bytes."""
    return [content[at : at + 8] for at in range(0, len(content), 8)]


def _single(content: bytes) -> list[bytes]:
    return [content[at : at + 1] for at in range(len(content))]


def _smaller(case: Case, name: str, pieces: Sequence[bytes], tries: Tries) -> Case:
    """Remove halves, then quarters, then ever smaller parts of a file (delta debugging)."""
    kept = list(pieces)
    size = max(1, len(kept) // 2)
    while kept:
        at, removed = 0, False
        while at < len(kept) and not tries.are_over:
            rest = kept[:at] + kept[at + size :]
            if tries.fail(candidate := _with(case, name, b"".join(rest))):
                case, kept, removed = candidate, rest, True
            else:
                at += size
        if size == 1 and not removed:
            break
        size = max(1, size // 2)
    return case
