"""Wait for conditions, never for seconds: `from waiting import wait_until`."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 600.0
"""Seconds after which a condition is given up. A busy machine may need minutes for what usually takes a moment."""


def wait_until(condition: Callable[[], object], process: subprocess.Popen[Any] | None = None) -> None:
    """Return as soon as the condition holds; fail when the process that should bring it about has ended."""
    ends = time.monotonic() + PATIENCE
    while not condition():
        if process is not None and process.poll() is not None and not condition():
            raise AssertionError(f"it ended with code {process.returncode}: {process.communicate()[1]!r}")
        assert time.monotonic() < ends, f"still not so after {PATIENCE:.0f} seconds"
        time.sleep(0.01)


def wait_for_group(leader: int) -> None:
    """Return when all processes of a group have ended and the system has removed them."""

    def is_gone() -> bool:
        try:
            os.killpg(leader, 0)
        except ProcessLookupError:
            return True
        return False

    wait_until(is_gone)
