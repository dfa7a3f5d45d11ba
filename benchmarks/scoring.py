"""Scoring beside the official CorefUD scorer: corpora, long documents, growth with length, memory, processes.

Responses are made from keys by `responses.disturb`. Where COINDEX_OFFICIAL_SCORER names the file corefud-scorer.py
(version 1.2), it runs on the same files in the same run. Else the figures recorded for it are quoted; they are from
another machine and other responses, so that only their size means something.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import coindex
from coindex import Document, read, write

from .measuring import command_seconds, cpu_seconds, data_folder, peak_memory, save
from .responses import disturb, merge

RECORDED = {"train": 46.0, "train, singletons": 109.0, "one document": 112.0, "20 merged, singletons": 190.0}
RECORDED_MEMORY = 730
LONG = 28_000
BASE = 10_000
GROWTH = (1, 2, 4, 8, 16)
SCORE = "import sys, coindex\ncoindex.score(sys.argv[1], sys.argv[2])\n"


class Files(NamedTuple):
    """A key, a response, and how many words the key has."""

    key: Path
    response: Path
    words: int


@dataclass(frozen=True)
class Job:
    """A measurement: CPU seconds of coindex with reading, and of the official scorer, measured or recorded."""

    name: str
    files: Files
    seconds: float
    official: float
    measured: bool

    def row(self) -> str:
        cells = [
            self.name,
            f"{self.files.words:,}",
            f"{self.seconds:.2f}",
            f"{self.files.words / self.seconds:,.0f}",
            f"{self.official:.0f}{'' if self.measured else ' (recorded)'}",
            f"{self.official / self.seconds:.0f}",
        ]
        return f"| {' | '.join(cells)} |"

    def to_dict(self) -> dict[str, Any]:
        return {
            "job": self.name,
            "words": self.files.words,
            "seconds": self.seconds,
            "words_per_second": self.files.words / self.seconds,
            "official_seconds": self.official,
            "official": "measured" if self.measured else "recorded",
            "ratio": self.official / self.seconds,
        }


def main() -> None:
    train = data_folder() / "en_gum/en_gum-train.conllu"
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        docs = list(read(train))
        corpus = _pair(docs, scratch, "train")
        print(coindex.score(corpus.key, corpus.response))
        jobs = [
            _job("GUM train", corpus, "train"),
            _job("GUM train, singletons", corpus, "train, singletons", singletons=True),
            _job("one document", _pair([merge(_first(docs, LONG), "long")], scratch, "long"), "one document"),
            _job(
                "20 documents as one, singletons",
                _pair([merge(docs[:20], "twenty")], scratch, "twenty"),
                "20 merged, singletons",
                singletons=True,
            ),
        ]
        growth = _growth(docs, scratch)
        memory = _memory(corpus, scratch)
        wall = _processes(corpus)
    _save(jobs, growth, memory, wall)


def _pair(docs: Sequence[Document], scratch: Path, name: str) -> Files:
    key, response = scratch / f"{name}-key.conllu", scratch / f"{name}-response.conllu"
    write(docs, key)
    write(disturb(docs), response)
    return Files(key, response, sum(len(doc.tokens) for doc in docs))


def _first(docs: Sequence[Document], words: int) -> list[Document]:
    """Return documents with this many words together, from the beginning, repeated if necessary."""
    found: list[Document] = []
    total = 0
    while total < words:
        doc = docs[len(found) % len(docs)]
        found.append(doc)
        total += len(doc.tokens)
    return found


def _job(name: str, files: Files, recorded: str, *, singletons: bool = False) -> Job:
    (seconds,) = cpu_seconds(lambda: coindex.score(files.key, files.response, singletons=singletons), rounds=7)
    measured = _official(files, singletons=singletons)
    return Job(name, files, seconds, RECORDED[recorded] if measured is None else measured, measured is not None)


def _official(files: Files, *, singletons: bool) -> float | None:
    """Return the CPU seconds of the official scorer, if it is installed."""
    scorer = os.environ.get("COINDEX_OFFICIAL_SCORER")
    if not scorer:
        return None
    return command_seconds(
        [sys.executable, scorer, str(files.key), str(files.response), *(["-s"] if singletons else [])]
    )


def _growth(docs: Sequence[Document], scratch: Path) -> list[tuple[int, int, float]]:
    """Return factor, words and CPU seconds for one document of increasing length."""
    found = []
    for factor in GROWTH:
        files = _pair([merge(_first(docs, factor * BASE), "grown")], scratch, f"grown-{factor}")
        (seconds,) = cpu_seconds(lambda: coindex.score(files.key, files.response, singletons=True), rounds=3)  # noqa: B023
        found.append((factor, files.words, seconds))
    return found


def _memory(corpus: Files, scratch: Path) -> dict[str, float]:
    """Measure memory for the corpus once, and ten times with other document ids."""
    ten = Files(scratch / "ten-key.conllu", scratch / "ten-response.conllu", 10 * corpus.words)
    for once, often in ((corpus.key, ten.key), (corpus.response, ten.response)):
        raw = once.read_bytes()
        with often.open("wb") as out:
            for number in range(10):
                out.write(raw.replace(b"# newdoc id = ", b"# newdoc id = %d_" % number))
    return {
        f"{name} ({files.words:,} words)": peak_memory(SCORE, str(files.key), str(files.response))
        for name, files in (("GUM train", corpus), ("GUM train 10 times over", ten))
    }


def _processes(corpus: Files) -> dict[str, float]:
    """Return the wall time with one process and with two, the best of three runs."""
    found = {}
    for jobs in (1, 2):
        times = []
        for _ in range(3):
            began = time.perf_counter()
            coindex.score(corpus.key, corpus.response, jobs=jobs)
            times.append(time.perf_counter() - began)
        found[str(jobs)] = min(times)
    return found


def _save(
    jobs: list[Job], growth: list[tuple[int, int, float]], memory: dict[str, float], wall: dict[str, float]
) -> None:
    table = ["| job | words | CPU s | words/s | official, CPU s | ratio |", "|---|---|---|---|---|---|"]
    table += [job.row() for job in jobs]
    table += ["", "| one document, singletons | words | CPU s | times as long |", "|---|---|---|---|"]
    first = growth[0][2]
    table += [f"| {factor}× | {words:,} | {seconds:.2f} | {seconds / first:.1f} |" for factor, words, seconds in growth]
    table += ["", f"| memory (official on GUM train, recorded: {RECORDED_MEMORY}) | peak, MB |", "|---|---|"]
    table += [f"| {name} | {megabytes:.0f} |" for name, megabytes in memory.items()]
    table += ["", "| GUM train on processes | wall s |", "|---|---|"]
    table += [f"| {number} | {seconds:.2f} |" for number, seconds in wall.items()]
    results = {
        "jobs": [job.to_dict() for job in jobs],
        "growth": [{"factor": factor, "words": words, "seconds": seconds} for factor, words, seconds in growth],
        "peak_memory_mb": memory,
        "official_peak_memory_mb_recorded": RECORDED_MEMORY,
        "wall_seconds_by_processes": wall,
    }
    save("scoring", results, "\n".join(table))
