"""What the benchmarks share: CPU time of the best of several rounds, peak memory of a process, results as files."""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def data_folder() -> Path:
    """Return the folder of real corpora that the benchmarks read."""
    root = os.environ.get("COINDEX_DATA")
    if not root or not (folder := Path(root) / "data").is_dir():
        sys.exit("benchmarks read real corpora: set COINDEX_DATA to the folder that holds data/")
    return folder


def cpu_seconds(*jobs: Callable[[], object], rounds: int = 5) -> list[float]:
    """Return the CPU time of each job, the best of several rounds in which the jobs take turns."""
    best = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for index, job in enumerate(jobs):
            began = time.process_time()
            job()
            best[index] = min(best[index], time.process_time() - began)
    return best


def command_seconds(command: Sequence[str]) -> float:
    """Return the CPU time, user and system, of a process that runs a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak_memory(code: str, *arguments: str) -> float:
    """Return the peak memory, in MB, of a Python process that runs the code."""
    # VmHWM belongs to the new process alone; ru_maxrss would begin with what the parent had.
    tail = "\nprint(next(l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')))"
    command = [sys.executable, "-W", "ignore", "-c", code + tail, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(result.stdout.split()[-1]) / 1024


def machine() -> dict[str, Any]:
    """Return a description of the machine."""
    cpu = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    memory = next((line.split()[1] for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), "0")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_gb": round(int(memory) / 2**20),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_average": round(os.getloadavg()[0], 1),
        "coindex": version("coindex"),
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def save(name: str, results: dict[str, Any], table: str) -> None:
    """Write the results as JSON and as a page, and show them."""
    RESULTS.mkdir(exist_ok=True)
    described = {"machine": machine(), **results}
    (RESULTS / f"{name}.json").write_text(json.dumps(described, indent=2) + "\n")
    facts = ", ".join(f"{key} {value}" for key, value in described["machine"].items())
    (RESULTS / f"{name}.md").write_text(f"# {name}\n\n`python -m benchmarks {name}` on: {facts}\n\n{table}\n")
    print(table)
