"""`coindex serve` in a process of its own, over a database that a benchmark has filled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "a long password"


@dataclass(frozen=True)
class Server:
    """A running server."""

    address: str
    process: int

    def cpu_seconds(self) -> float:
        """Return the CPU time used so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(database: Path) -> Iterator[Server]:
    command = [sys.executable, "-m", "coindex", "serve", "--port", "0", "--database", database.name]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=database.parent, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line.startswith("coindex is at "):
            sys.exit(f"the server did not start: {line}")
        try:
            yield Server(line.split()[3], server.pid)
        finally:
            server.send_signal(signal.SIGINT)
