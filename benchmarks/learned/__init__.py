"""Learned resolvers: words a second on two threads, loading, memory, and growth up to a novel of 200,000 words.

`python -m benchmarks learned [MODEL …]`, each the folder of a model (`FOLDER@gum`) or a chain, by default `en-base` and
`en-small`; beside them, in the same run, a model of the architecture and size of F-coref, which needs the packages of
`coindex[train]`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain, cycle
from pathlib import Path
from typing import Any

import coindex
from coindex import Document

from ..measuring import data_folder, save
from .worker import FULL, MEMORY, PEER, THREADS

LENGTHS = (2_500, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
NOTES = f"""
From raw text to entities on {THREADS} threads, each measurement in its own process, limited to {MEMORY} GB. *Load*
covers imports and the model, with files in the system cache; the weights of the peer are random, not loaded.
Wall-clock and CPU seconds are the best of several rounds in which the systems alternate. Other work on the machine
increases the wall-clock time (see the load average); *words/s of two cores* is twice the number of words per CPU
second, which an idle machine reaches if both threads are always busy. *Peak* is the memory of the whole process.

The peer has the architecture and size of F-coref (`biu-nlp/f-coref`) with random weights: it shows time and memory,
not quality.
""".strip()


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks learned", description=__doc__)
    parser.add_argument(
        "models", nargs="*", default=["en-base", "en-small"], help="folders of models, or chains of resolvers"
    )
    parser.add_argument("--rounds", type=int, default=3, help="on GUM dev")
    parser.add_argument("--up-to", type=int, default=LENGTHS[-1], help="words of the longest document")
    options = parser.parse_args(arguments)
    lengths = [length for length in LENGTHS if length <= options.up_to]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        systems = [*options.models, _peer(scratch)]
        speed = _speeds(systems, scratch, options.rounds)
        growth = [row for system in systems for row in _growth(system, scratch, lengths)]
    save("learned", {"rounds": options.rounds, "speed": speed, "growth": growth}, page(speed, growth))


def _peer(scratch: Path) -> str:
    from .peer import make_tokenizer

    paths = [data_folder() / "en_gum/en_gum-train.conllu", data_folder() / "en_litbank/train"]
    texts = (doc.text for doc in chain.from_iterable(map(coindex.read, paths)))
    return f"{PEER}{make_tokenizer(texts, scratch / 'tokenizer.json')}"


def _speeds(systems: Sequence[str], scratch: Path, rounds: int) -> list[dict[str, Any]]:
    docs = coindex.read(data_folder() / "en_gum/en_gum-corefud-dev.conllu")
    path = _written([doc.text for doc in docs], scratch / "gum.json")
    best: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for system in systems:
            row = _run(system, path)
            if row is None:
                sys.exit(f"{system} needs more than {MEMORY} GB on GUM dev")
            kept = best.setdefault(system, row)
            for field in ("seconds", "cpu_seconds", "load_seconds", "megabytes"):
                kept[field] = min(kept[field], row[field])
    return list(best.values())


def _growth(system: str, scratch: Path, lengths: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Resolve one document of increasing length until memory is full."""
    docs = list(coindex.read(data_folder() / "en_litbank/train"))
    name = system
    for length in lengths:
        row = _run(system, _written([grown(docs, length)], scratch / f"grown-{length}.json"))
        if row is None:
            yield {"system": name, "words": length, "megabytes": None}
            return
        name = row["system"]
        yield row


def grown(docs: Sequence[Document], length: int) -> str:
    """Return a text of this many words from documents, repeated if necessary."""
    texts: list[str] = []
    left = length
    for doc in cycle(docs):
        if left <= len(doc.tokens):
            return "\n\n".join([*texts, doc.text[: doc.tokens.end_char(left - 1)]])
        texts.append(doc.text)
        left -= len(doc.tokens)
    raise AssertionError("no documents")


def _written(texts: list[str], path: Path) -> Path:
    path.write_text(json.dumps(texts), encoding="utf-8")
    return path


def _run(system: str, path: Path) -> dict[str, Any] | None:
    """Return the measurements of a process; None if it ran out of memory."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.learned.worker", system, str(path), "1"]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode == FULL:
        return None
    result.check_returncode()
    row: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    sys.stderr.write(f"{row}\n")
    return row


def page(speed: Sequence[dict[str, Any]], growth: Sequence[dict[str, Any]]) -> str:
    """Return the page of results."""
    lines = [NOTES, "", "## GUM dev, raw text", ""]
    lines += ["| system | words | s | words/s | CPU s | words/s of two cores | load, s | peak, MB |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    lines += [_speed_row(row) for row in speed]
    lines += ["", "## One document that grows", ""]
    lines += ["| system | words | s | CPU s | words/s of two cores | peak, MB |", "|---|---|---|---|---|---|"]
    lines += [_growth_row(row) for row in growth]
    return "\n".join(lines)


def _rate(row: dict[str, Any]) -> str:
    return f"{THREADS * row['words'] / row['cpu_seconds']:,.0f}"


def _speed_row(row: dict[str, Any]) -> str:
    wall = f"{row['seconds']:.1f} | {row['words'] / row['seconds']:,.0f}"
    rest = f"{row['cpu_seconds']:.1f} | {_rate(row)} | {row['load_seconds']:.2f} | {row['megabytes']:,.0f}"
    return f"| {row['system']} | {row['words']:,} | {wall} | {rest} |"


def _growth_row(row: dict[str, Any]) -> str:
    if row["megabytes"] is None:
        return f"| {row['system']} | {row['words']:,} | | | | more than {MEMORY:,} GB |"
    took = f"{row['seconds']:.1f} | {row['cpu_seconds']:.1f} | {_rate(row)} | {row['megabytes']:,.0f}"
    return f"| {row['system']} | {row['words']:,} | {took} |"
