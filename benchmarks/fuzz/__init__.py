"""Fuzzing: read broken and generated files of every format, write them, read them again.

    python -m benchmarks fuzz --seconds 600 --keep found

Anything but a `CoindexError` is a failure, and so are more than 5 s of CPU time for one file, and files that coindex
writes and does not read back. Exit code 1 where something failed. The same seed gives the same cases, whatever the
number of processes; with `--seconds` the machine decides how many of them are run.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from ..measuring import save
from .cases import Case, make_case, seeds
from .checks import Failure, Outcome
from .readers import READERS, reader_seeds
from .reducing import reduce_case
from .workers import Worker, run_all

SECONDS = 60.0
WEIGHT = {**dict.fromkeys(READERS, 3), "backup": 1}
"""How often a case is of a reader; formats have 10."""


@dataclass
class Row:
    """What happened to the cases of one reader."""

    cases: int = 0
    read: int = 0
    refused: int = 0
    failed: int = 0
    failures: Counter[Failure] = field(default_factory=Counter)

    def add(self, outcome: Outcome) -> None:
        self.cases += 1
        self.read += outcome.result == "read"
        self.refused += outcome.result == "refused"
        self.failed += bool(outcome.failures)
        self.failures.update(outcome.failures)


@dataclass
class Findings:
    """The rows of the table, and of each kind of failure the first case with it."""

    rows: dict[str, Row]
    first: dict[Failure, Case] = field(default_factory=dict)


def main(arguments: list[str]) -> None:
    known = [*seeds(None), *READERS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help=f"how long to run; default {SECONDS:g}, without --cases")
    parser.add_argument("--cases", type=int, help="how many cases to run")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other cases")
    parser.add_argument("--formats", help=f"some of {', '.join(known)}, with commas between")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--keep", type=Path, help="a folder for inputs that fail, made as small as possible")
    options = parser.parse_args(arguments)
    wanted = options.formats.split(",") if options.formats else known
    if unknown := [name for name in wanted if name not in known]:
        parser.error(f"unknown format {unknown[0]!r}; known: {', '.join(known)}")
    seconds = options.seconds if options.seconds or options.cases else SECONDS
    began, cpu = time.monotonic(), _cpu()
    made = cases(wanted, options.seed, _data_folder())
    findings = fuzz(_limited(made, options.cases, seconds), options.jobs, wanted)
    kept = keep(findings, options.keep) if options.keep else {}
    about = {
        "seed": options.seed,
        "cases": sum(row.cases for row in findings.rows.values()),
        "seconds": round(time.monotonic() - began),
        "cpu_seconds": round(_cpu() - cpu),
    }
    save("fuzz", {**about, "rows": _records(findings, kept)}, page(findings, about, kept))
    if findings.first:
        sys.exit(1)


def _data_folder() -> Path | None:
    root = os.environ.get("COINDEX_DATA")
    return Path(root) / "data" if root and (Path(root) / "data").is_dir() else None


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def cases(names: list[str], seed: int, data: Path | None) -> Iterator[Case]:
    """Yield cases without end; each depends only on the seed and its number."""
    formats = seeds(data)
    found = {name: reader_seeds(name) if name in READERS else formats[name] for name in names}
    weights = [WEIGHT.get(name, 10) for name in names]
    for number in count():
        rng = Random(f"{seed}/{number}")
        (name,) = rng.choices(names, weights)
        yield make_case(found[name], name not in READERS, rng)


def _limited(made: Iterator[Case], most: int | None, seconds: float | None) -> Iterator[Case]:
    """Yield the requested number of cases, or cases until the time is over, and show the progress."""
    began = shown = time.monotonic()
    for number, case in enumerate(made):
        now = time.monotonic()
        if number == most or (seconds is not None and now - began > seconds):
            return
        if now - shown > 10:
            shown = now
            print(f"{number} cases in {now - began:.0f} s", file=sys.stderr, flush=True)
        yield case


def fuzz(made: Iterator[Case], jobs: int, names: list[str]) -> Findings:
    """Run the cases; each new kind of failure is shown at once."""
    findings = Findings({name: Row() for name in names})
    for case, outcome in run_all(made, jobs):
        findings.rows[case.reader].add(outcome)
        for failure in outcome.failures:
            if failure not in findings.first:
                findings.first[failure] = case
                print(f"{case.reader} ({case.origin}): {failure}", file=sys.stderr, flush=True)
    return findings


def keep(findings: Findings, folder: Path) -> dict[Failure, str]:
    """Save the first case of each failure, reduced, with a description; return the names of the folders."""
    kept = {}
    worker = Worker()
    try:
        for number, (failure, case) in enumerate(findings.first.items(), 1):
            small = reduce_case(case, failure, worker.run)
            name = f"{number:03}-{small.reader}"
            small.lay_out(folder / name)
            again = next((one for one in worker.run(small).failures if one == failure), failure)
            targets = ", ".join(map(str, small.targets)) or "nothing"
            done = f"read {small.main or 'the folder'} as {small.reader}, write as {targets}"
            about = f"{failure}\n{done}\n{again.detail}\n"
            (folder / f"{name}.log").write_text(about, encoding="utf-8", errors="backslashreplace")
            kept[failure] = name
            print(f"{folder / name}: {failure}", file=sys.stderr, flush=True)
    finally:
        worker.close()
    return kept


def _records(findings: Findings, kept: dict[Failure, str]) -> list[dict[str, Any]]:
    return [
        {
            "format": name,
            "cases": row.cases,
            "read": row.read,
            "refused": row.refused,
            "failed": row.failed,
            "failures": [
                {"what": str(failure), "cases": number, "kept": kept.get(failure)}
                for failure, number in row.failures.most_common()
            ],
        }
        for name, row in findings.rows.items()
    ]


def page(findings: Findings, about: dict[str, Any], kept: dict[Failure, str]) -> str:
    """Return the table of formats, followed by the failures."""
    lines = [
        f"{about['cases']:,} cases of seed {about['seed']} in {about['cpu_seconds']} s of CPU time.",
        "",
        "| format | cases | read | refused | failed |",
        "|---|---|---|---|---|",
    ]
    for name, row in findings.rows.items():
        lines.append(f"| {name} | {row.cases:,} | {row.read:,} | {row.refused:,} | {row.failed:,} |")
    by_failure: dict[Failure, Counter[str]] = defaultdict(Counter)
    for name, row in findings.rows.items():
        for failure, number in row.failures.items():
            by_failure[failure][name] += number
    if by_failure:
        lines += ["", "| failure | cases | of | kept as |", "|---|---|---|---|"]
    for failure, names in sorted(by_failure.items(), key=lambda pair: -pair[1].total()):
        shown = str(failure).replace("|", "\\|")
        lines.append(f"| {shown} | {names.total()} | {', '.join(sorted(names))} | {kept.get(failure, '')} |")
    return "\n".join(lines)
