"""Collections that grow: mentions a second, memory, growth, and whether two runs give the same clusters.

`python -m benchmarks cross [--up-to 100000] [--resolver CHAIN]`. The collections are made (see `stories`), mentions are
given; each measurement is a process of its own.
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

SIZES = (1_000, 10_000, 100_000)
RESOLVERS = ("cross(topics=none)", "cross(topics=predicted)")
NOTES = """
Generated collections of documents with 16 given mentions each and eight documents per event; words follow Zipf's law.
CPU seconds from documents to clusters on one thread; memory is the increase of the peak of the process. *Growth* is the
exponent between a row and the previous one: 1 is linear in the number of mentions, 2 compares all pairs. Every
measurement is repeated; *same* means that both runs gave the same clusters.
""".strip()


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks cross", description=__doc__)
    parser.add_argument("--up-to", type=int, default=SIZES[-1], help="mentions of the largest collection")
    parser.add_argument("--resolver", action="append", help="a chain; repeatable")
    options = parser.parse_args(arguments)
    sizes = [size for size in SIZES if size <= options.up_to]
    rows = [row for resolver in options.resolver or RESOLVERS for row in _measured(resolver, sizes)]
    save("cross", {"rows": rows}, page(rows))


def _measured(resolver: str, sizes: Sequence[int]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for size in sizes:
        first, second = _run(resolver, size), _run(resolver, size)
        row = {**first, "resolver": resolver, "same": first["clusters"] == second["clusters"]}
        row["seconds"] = min(first["seconds"], second["seconds"])
        row["growth"] = growth(rows[-1], row) if rows else None
        rows.append(row)
        sys.stderr.write(f"{row}\n")
    return rows


def growth(before: dict[str, Any], after: dict[str, Any]) -> float:
    """Return the exponent by which time grows with mentions between two measurements."""
    return math.log(after["seconds"] / before["seconds"]) / math.log(after["mentions"] / before["mentions"])


def _run(resolver: str, size: int) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.cross.worker", resolver, str(size)]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    row: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return row


def page(rows: Sequence[dict[str, Any]]) -> str:
    """Return the page of results."""
    columns = ("resolver", "mentions", "documents", "entities", "CPU s", "mentions/s", "growth", "memory, MB", "same")
    lines = [NOTES, "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in rows:
        exponent = "" if row["growth"] is None else f"{row['growth']:.2f}"
        lines.append(
            f"| {row['resolver']} | {row['mentions']:,} | {row['documents']:,} | {row['entities']:,} | "
            f"{row['seconds']:.1f} | {row['mentions'] / row['seconds']:,.0f} | {exponent} | {row['megabytes']:,.0f} | "
            f"{'yes' if row['same'] else 'NO'} |"
        )
    return "\n".join(lines)
