"""Engines: words/s of local processes and of Ray, the cost of scheduling, growth to 64 workers, and memory.

`python -m benchmarks scale --small` is a short trial. Every row is measured in a process of its own, once it runs:
starting workers and loading models is not part of the speed but listed beside it. Growth uses a function that sleeps:
64 workers fit on one machine, and what remains is the cost of the engine. Memory is the peak of a process that handles
so many documents; it should not depend on their number.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from coindex.engines import Engine, Workers, map_documents

from .measuring import peak_memory, save

STORY = Path(__file__).parents[1] / "examples" / "story.txt"
NAP = 0.5
"""Seconds that a task of the growth table sleeps."""
DOCUMENTS, WORDS, PRICE = 1_000_000_000, 300, 0.04
"""The estimate: documents, words per document, and US dollars per CPU hour, roughly that of on-demand machines."""
RAY_WORKERS = 1_000
"""Workers of the cluster in the estimate."""
CALL = """
import sys
from pathlib import Path
from benchmarks import scale
getattr(scale, sys.argv[1])(Path(sys.argv[2]), int(sys.argv[3]))
"""
MEMORY = {
    "resolve_shards": "main process of a run with shards",
    "write_table": "writing Parquet",
    "read_table": "reading Parquet",
}
"""The functions whose memory is measured."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    documents: int = 300
    tasks: int = 100_000
    single: int = 5_000
    """Tasks that are sent one by one."""
    growth: tuple[int, ...] = (1, 8, 64)
    rounds: int = 2
    naps: int = 6
    """Tasks per worker of the growth table."""
    memory: tuple[int, ...] = (1_000, 4_000, 16_000)
    """Documents of the runs whose memory is compared."""


SMALL = Sizes(documents=80, tasks=10_000, single=500, growth=(1, 2), rounds=1, naps=3, memory=(100, 400, 1_600))


def square(number: int) -> int:
    """Return the result of a tiny task."""
    return number * number


def nap(seconds: float) -> float:
    """Sleep, as a resolver that waits for nothing but itself."""
    time.sleep(seconds)
    return seconds


def measure_words(engine: Engine, jobs: int, documents: int) -> dict[str, float]:
    """Resolve a story many times with `en-small`; return words/s of the last three quarters, and the time to start.

    Batches that were finished while others were started would count as if they had taken no time.
    """
    from coindex import Document
    from coindex.corpora.resolving import ResolveSettings, resolve_documents

    text = STORY.read_text(encoding="utf-8")
    docs = (Document.from_text(text, id=str(number)) for number in range(documents))
    workers = Workers(jobs, engine)
    began = time.perf_counter()
    results = resolve_documents(docs, ResolveSettings(resolver="en-small"), workers)
    next(results)
    started = time.perf_counter()
    for _ in range(documents // 4):
        next(results)
    warm = time.perf_counter()
    words = sum(len(doc.tokens) for doc in results)
    seconds = time.perf_counter() - warm
    return {"words_per_second": words / seconds, "start_seconds": started - began, "words": words}


def measure_tasks(engine: Engine, number: int, chunk: int) -> dict[str, float]:
    """Return tiny tasks per second on two workers, after the first result."""
    results = map_documents(square, range(number), Workers(2, engine), chunk=chunk)
    next(results)
    began = time.perf_counter()
    count = sum(1 for _ in results)
    return {"tasks_per_second": count / (time.perf_counter() - began)}


def measure_growth(engine: Engine, jobs: int, naps: int) -> dict[str, float]:
    """Return tasks per second once all workers run, and the share of their time that they work."""
    from coindex.engines.scheduling import count_running

    began = time.perf_counter()
    results = map_documents(nap, repeat(NAP), Workers(jobs, engine))
    while count_running() < jobs and jobs > 1:
        next(results)
    for _ in range(3 * jobs):  # results that waited in the queue meanwhile
        next(results)
    started = time.perf_counter()
    for _ in range(naps * jobs):
        next(results)
    rate = naps * jobs / (time.perf_counter() - started)
    if close := getattr(results, "close", None):
        close()
    return {"tasks_per_second": rate, "efficiency": rate * NAP / jobs, "start_seconds": started - began}


def measure_reading(documents: int) -> dict[str, float]:
    """Return words/s of the process that reads, cuts shards and sends them: the limit of one input file."""
    import pickle

    from coindex.corpora.folders import Ways
    from coindex.corpora.resolving import ResolveSettings
    from coindex.corpora.shards import cut_shards, plan_shards

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.json"
        write_texts(path, documents)
        settings = ResolveSettings(resolver="are-baseline")
        plan = plan_shards([str(path)], folder, settings, Ways(to="json"), words=10_000)
        began = time.perf_counter()
        words = 0
        for shard in cut_shards(plan):
            pickle.dumps([shard])
            words += shard.words
        return {"words_per_second": words / (time.perf_counter() - began)}


def write_texts(path: Path, documents: int) -> None:
    """Write copies of the story with different ids, in the format of the extension."""
    from coindex import Document, write

    text = STORY.read_text(encoding="utf-8")
    write((Document.from_text(text, id=str(number)) for number in range(documents)), path)


def write_table(folder: Path, documents: int) -> None:
    """Write a Parquet file."""
    write_texts(folder / f"{documents}.parquet", documents)


def read_table(folder: Path, documents: int) -> None:
    """Read a Parquet file."""
    from coindex import read

    assert sum(1 for _ in read(folder / f"{documents}.parquet")) == documents


def resolve_shards(folder: Path, documents: int) -> None:
    """Resolve copies of the story into shards with two local workers."""
    from coindex.corpora.folders import Ways
    from coindex.corpora.resolving import ResolveSettings
    from coindex.corpora.shards import plan_shards, run_shards

    settings = ResolveSettings(resolver="are-baseline")
    output = folder / f"out-{documents}"
    plan = plan_shards([str(folder / f"{documents}.json")], str(output), settings, Ways(to="json"), words=10_000)
    run_shards(plan, 2)


def measure_memory(sizes: Sequence[int]) -> list[dict[str, float]]:
    """Return the peak memory in MB of processes that handle so many documents, by what they do."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for documents in sizes:
            write_texts(Path(folder) / f"{documents}.json", documents)
            peaks = {name: peak_memory(CALL, name, folder, str(documents)) for name in MEMORY}
            rows.append({"documents": documents, **peaks})
    return rows


def in_process(function: str, *arguments: str | int) -> dict[str, Any]:
    """Return the result of a function of this module that is called in a new process."""
    code = (
        "import json, sys\nfrom benchmarks import scale\n"
        "given = [int(each) if each.isdigit() else each for each in sys.argv[2:]]\n"
        "print(json.dumps(getattr(scale, sys.argv[1])(*given)))"
    )
    command = [sys.executable, "-W", "ignore", "-c", code, function, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{function}{arguments}: {done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def measure_speeds(sizes: Sizes) -> list[dict[str, Any]]:
    """Return the best of several rounds in which the engines take turns."""
    rows: dict[tuple[Engine, int], dict[str, Any]] = {}
    setups: list[tuple[Engine, int]] = [("local", 1), ("local", 2), ("ray", 1), ("ray", 2)]
    for _ in range(sizes.rounds):
        for engine, jobs in setups:
            found = in_process("measure_words", engine, jobs, sizes.documents)
            row = {"engine": engine, "workers": jobs, **found}
            best = rows.get((engine, jobs))
            if best is None or row["words_per_second"] > best["words_per_second"]:
                rows[engine, jobs] = row
    return list(rows.values())


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale", description=__doc__)
    parser.add_argument("--small", action="store_true", help="a trial with few documents and workers")
    sizes = SMALL if parser.parse_args(list(arguments)).small else Sizes()
    engines: tuple[Engine, ...] = ("local", "ray")
    speeds = measure_speeds(sizes)
    tasks = [
        {"engine": engine, "chunk": chunk, "tasks": number, **in_process("measure_tasks", engine, number, chunk)}
        for engine in engines
        for chunk, number in ((1, sizes.single), (100, sizes.tasks))
    ]
    growth = [
        {"engine": engine, "workers": jobs, **in_process("measure_growth", engine, jobs, sizes.naps)}
        for engine in engines
        for jobs in sizes.growth
    ]
    reading = in_process("measure_reading", sizes.documents)
    memory = measure_memory(sizes.memory)
    results: dict[str, Any] = {
        "small": sizes is SMALL,
        "speed": speeds,
        "tasks": tasks,
        "growth": growth,
        "reading": reading,
        "peak_memory_mb": memory,
    }
    results["estimate"] = estimate(speeds, reading)
    save("scale", results, "\n".join(make_tables(results)))


def estimate(speeds: Sequence[dict[str, Any]], reading: dict[str, Any]) -> dict[str, Any]:
    """Return what a billion documents would take with the speed of one worker."""
    one = max(row["words_per_second"] / row["workers"] for row in speeds if row["workers"] == 2)
    hours = DOCUMENTS * WORDS / one / 3600
    return {
        "documents": DOCUMENTS,
        "words_per_document": WORDS,
        "words_per_second_and_worker": one,
        "cpu_hours": hours,
        "days_with_1000_workers": hours / RAY_WORKERS / 24,
        "dollars": hours * PRICE,
        "dollars_per_cpu_hour": PRICE,
        "workers_per_input_file": reading["words_per_second"] / one,
    }


def make_tables(results: dict[str, Any]) -> list[str]:
    """Return the page."""
    local = {row["workers"]: row["words_per_second"] for row in results["speed"] if row["engine"] == "local"}
    lines = ["A trial (`--small`), whose numbers say nothing about larger runs.", ""] if results["small"] else []
    lines += ["One local worker is the process itself, which uses all CPUs; the others use one CPU each.", ""]
    lines += ["| engine | workers | words/s | slower than local | until the first result, s |", "|---|--:|--:|--:|--:|"]
    for row in results["speed"]:
        overhead = 1 - row["words_per_second"] / local[row["workers"]]
        lines.append(
            f"| {row['engine']} | {row['workers']} | {row['words_per_second']:,.0f} | {overhead:.1%} "
            f"| {row['start_seconds']:.1f} |"
        )
    lines += ["", "| engine | tiny tasks | sent together | tasks/s, two workers |", "|---|--:|--:|--:|"]
    lines += [
        f"| {row['engine']} | {row['tasks']:,} | {row['chunk']} | {row['tasks_per_second']:,.0f} |"
        for row in results["tasks"]
    ]
    lines += ["", f"| engine | workers that sleep {NAP} s per task | tasks/s | efficiency |", "|---|--:|--:|--:|"]
    lines += [
        f"| {row['engine']} | {row['workers']} | {row['tasks_per_second']:,.1f} | {row['efficiency']:.1%} |"
        for row in results["growth"]
    ]
    heads = [f"{what}, MB" for what in MEMORY.values()]
    lines += ["", f"| documents | {' | '.join(heads)} |", "|--:" * (len(heads) + 1) + "|"]
    for row in results["peak_memory_mb"]:
        lines.append(f"| {row['documents']:,} | {' | '.join(f'{row[name]:.0f}' for name in MEMORY)} |")
    plan = results["estimate"]
    lines += [
        "",
        f"| {plan['documents']:,} documents of {plan['words_per_document']} words | |",
        "|---|--:|",
        f"| words/s of one worker with one CPU | {plan['words_per_second_and_worker']:,.0f} |",
        f"| CPU hours | {plan['cpu_hours']:,.0f} |",
        f"| days with {RAY_WORKERS:,} workers | {plan['days_with_1000_workers']:,.1f} |",
        f"| US dollars, at {plan['dollars_per_cpu_hour']} per CPU hour | {plan['dollars']:,.0f} |",
        f"| words/s that one main process reads and sends | {results['reading']['words_per_second']:,.0f} |",
        f"| workers that one main process can feed | {plan['workers_per_input_file']:,.0f} |",
    ]
    return lines
