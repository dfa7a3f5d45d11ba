"""Annotators at once: `python -m benchmarks annotators [PEOPLE SECONDS]` runs `coindex serve` and works on it.

Each has a document, edits it about once a second as a tab of the editor does, opens it again now and then and looks at
the list of their documents. Without arguments fifty work for a minute, and only then results are written.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..measuring import save
from ..serving import Server, serving
from .people import EVERY, PAUSE, Annotator, Sample
from .world import WORDS, make_world

PEOPLE, SECONDS = 50, 60
LIMIT = 200
LOG_IN = ("log-in page", "log in")
NOTES = """
{people} annotators work for {seconds} s on one `coindex serve` process with an SQLite file. They run in a second
process on the same machine. Each logs in, opens a document of {words} words and sends an edit or undo every {pause} s
on average; after every {every} of them the document is opened again. Times are milliseconds from sending the request
to the last byte. The limit is {limit} ms for 95 % of the requests, without errors. Password hashing is slow on
purpose, so log-ins, all before the measurement starts, have their own rows and are not in the total. The server used
{cpu:.1f} ms of CPU time per request and kept {cores:.2f} cores busy.
""".strip()


def main(arguments: Sequence[str] = ()) -> None:
    people, seconds = (int(one) for one in arguments) if arguments else (PEOPLE, SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "annotators.db"
        layers = make_world(database, people)
        with serving(database) as server:
            team = [Annotator(server.address, name, path, seed) for seed, (name, path) in enumerate(layers.items())]
            cores = asyncio.run(_work(team, seconds, server))
    samples = [sample for one in team for sample in one.samples]
    errors = [sample.error for sample in samples if sample.error]
    results = {
        "people": people,
        "seconds": seconds,
        "errors": errors[:20],
        "requests": {kind: _numbers([s for s in samples if s.kind == kind]) for kind in _kinds(samples)},
        "all": _numbers(work := [sample for sample in samples if sample.kind not in LOG_IN]),
        "cores": cores,
        "cpu": 1000 * cores * seconds / len(work),
    }
    if arguments:
        print(page(results))
    else:
        save("annotators", results, page(results))


async def _work(team: list[Annotator], seconds: float, server: Server) -> float:
    """Log all annotators in, start the clock, and return how many cores the server used from then on."""
    await asyncio.gather(*(one.log_in() for one in team))
    wrong = [sample.error for one in team for sample in one.samples if sample.error]
    if wrong:
        sys.exit(f"{len(wrong)} of {len(team)} could not log in: {wrong[0]}")
    began, used = time.monotonic(), server.cpu_seconds()
    await asyncio.gather(*(one.work(began + seconds) for one in team))
    return (server.cpu_seconds() - used) / seconds


def _kinds(samples: list[Sample]) -> list[str]:
    return list(dict.fromkeys(sample.kind for sample in samples))


def _numbers(samples: list[Sample]) -> dict[str, float]:
    times = sorted(1000 * sample.seconds for sample in samples)
    cuts = statistics.quantiles(times, n=20, method="inclusive") if len(times) > 1 else times * 19
    return {
        "number": len(times),
        "errors": sum(sample.error is not None for sample in samples),
        "p50": statistics.median(times),
        "p95": cuts[18],
        "longest": times[-1],
    }


def page(results: dict[str, Any]) -> str:
    """Return the results as a table."""
    notes = NOTES.format(**results, words=WORDS, pause=PAUSE, every=EVERY, limit=LIMIT)
    lines = ["| request | number | errors | p50 | p95 | longest |", "|---|---|---|---|---|---|"]
    for name, row in {**results["requests"], "**all but log-ins**": results["all"]}.items():
        times = " | ".join(f"{row[key]:.0f}" for key in ("p50", "p95", "longest"))
        lines.append(f"| {name} | {row['number']:,} | {row['errors']} | {times} |")
    wrong = [f"- {error}" for error in results["errors"]]
    return "\n".join([notes, "", *lines, *(["", "Errors:", "", *wrong] if wrong else [])])
