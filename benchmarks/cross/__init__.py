"""Collections that grow: mentions a second, growth, memory of each process, and whether runs give the same clusters.

`python -m benchmarks cross [--up-to 100000] [--resolver CHAIN] [--jobs 1] [--jobs 2] [--engine ray] [--ecb]`. The
collections are made (see `stories`), with given mentions; `--ecb` adds the dev topics of ECB+, whose mentions are
detected. Each measurement is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from ..measuring import save
from .worker import ECB

SIZES = (1_000, 10_000, 100_000, 1_000_000)
RESOLVERS = {"cross(topics=none)": 1_000_000, "cross(topics=predicted)": 1_000_000, "en-cross(topics=none)": 10_000}
"""The chains, and the mentions of their largest collection."""
JOBS = (1, 2)
NOTES = """
Generated collections of documents with 16 given mentions each and eight documents per event; words follow Zipf's law.
`ecb+` are the dev topics of ECB+, whole documents with detected mentions. CPU seconds are those of all processes from
documents to clusters, each with one thread; *mentions/s* are per CPU second. *Growth* is the exponent between a row and
the smaller collection before it: 1 is linear in the number of mentions, 2 compares all pairs. Memory is the peak of the
main process and that of the largest worker; *private* is without mapped files, which the processes of a machine share
and the system can drop. *Same* means that all runs of a collection gave the same clusters.
""".strip()


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks cross", description=__doc__)
    parser.add_argument("--up-to", type=int, default=100_000, help="mentions of the largest collection")
    parser.add_argument("--resolver", action="append", help="a chain; repeatable")
    parser.add_argument("--jobs", action="append", type=int, help="number of workers; repeatable")
    parser.add_argument("--engine", default="local", help="where several workers run: local or ray")
    parser.add_argument("--ecb", action="store_true", help="measure en-cross on ECB+ too")
    options = parser.parse_args(arguments)
    jobs, rows = options.jobs or JOBS, []
    for resolver, largest in (dict.fromkeys(options.resolver or (), options.up_to) or RESOLVERS).items():
        sizes = [str(size) for size in SIZES if size <= min(options.up_to, largest)]
        rows += _measure(resolver, sizes, jobs, options.engine)
    if options.ecb:
        rows += _measure("en-cross(topics=given)", [ECB], jobs, options.engine)
    save("cross", {"rows": rows}, page(rows))


def _measure(resolver: str, sizes: Sequence[str], jobs: Sequence[int], engine: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    before: dict[int, dict[str, Any]] = {}
    for size in sizes:
        runs = []
        for number in jobs:
            where = "local" if number == 1 else engine
            about = {"resolver": resolver, "collection": size, "jobs": number, "engine": where}
            row = {**about, **_run(resolver, size, number, where)}
            row["growth"] = growth(before[number], row) if number in before else None
            before[number] = row
            runs.append(row)
            sys.stderr.write(f"{row}\n")
        same = len({row["clusters"] for row in runs}) == 1
        rows += [{**row, "same": same} for row in runs]
    return rows


def growth(before: dict[str, Any], after: dict[str, Any]) -> float:
    """Return the exponent by which time grows with mentions between two measurements."""
    return math.log(after["seconds"] / before["seconds"]) / math.log(after["mentions"] / before["mentions"])


def _run(resolver: str, size: str, jobs: int, engine: str) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.cross.worker", resolver, size, str(jobs), engine]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    row: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return row


COLUMNS = (
    "resolver",
    "collection",
    "workers",
    "mentions",
    "documents",
    "entities",
    "CPU s",
    "mentions/s",
    "growth",
    "memory, MB",
    "private",
    "worker, MB",
    "private",
    "same",
)


def page(rows: Sequence[dict[str, Any]]) -> str:
    """Return the page of results."""
    lines = [NOTES, "", f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        exponent = "" if row["growth"] is None else f"{row['growth']:.2f}"
        both = (row["worker_megabytes"], row["worker_private_megabytes"])
        worker = " | ".join(f"{megabytes:,.0f}" if row["jobs"] > 1 else "" for megabytes in both)
        where = f"{row['jobs']} {row['engine']}" if row["jobs"] > 1 else "1"
        collection = row["collection"] if row["collection"] == ECB else "made"
        lines.append(
            f"| {row['resolver']} | {collection} | {where} | {row['mentions']:,} | {row['documents']:,} | "
            f"{row['entities']:,} | {row['seconds']:.1f} | {row['mentions'] / row['seconds']:,.0f} | {exponent} | "
            f"{row['megabytes']:,.0f} | {row['private_megabytes']:,.0f} | {worker} | {'yes' if row['same'] else 'NO'} |"
        )
    return "\n".join(lines)
