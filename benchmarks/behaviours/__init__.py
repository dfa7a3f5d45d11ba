"""Behaviours: short texts of many kinds with links that must and must not be there.

`python -m benchmarks behaviours [RESOLVER …] [--failures]` resolves each text of `texts/` from raw text. A text is
right if all of its checks hold. Odd texts of a capability are the half `dev`, even ones the half `held`. `--failures`
prints the failing texts of `dev`; failures of `held` are never printed, so that nothing is tuned on them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import coindex
from coindex import Document

from ..corpora import parser_chain
from ..measuring import RESULTS, machine, save
from ..systems import System, load_system
from .checks import failed_checks
from .suite import HALVES, Capability, Half, Text, read_suite

NOTES = """
Texts that are fully right, by capability: all of their required links are there and none of the excluded ones. The
texts were written for this suite; each is resolved by itself from raw text. Odd texts of a capability are `dev`, which
may be inspected during development; even ones are `held`, whose failures are never printed. The docstrings of
`benchmarks/behaviours/suite.py` and `checks.py` define the markup and how mentions match.
""".strip()


def main(arguments: Sequence[str] = ()) -> None:
    options = _parsed(arguments)
    suite = read_suite()
    kept = _kept(RESULTS / "behaviours.json", suite)
    rows = {row["system"]: row for row in kept}
    for system in map(load_system, options.resolvers or _shipped()):
        rows[system.name], failures = measured(system, suite)
        if options.failures:
            print(failures_page(system.name, failures))
    results = {"texts": _digest(suite), "scores": list(rows.values())}
    save("behaviours", results, page(suite, list(rows.values())))


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks behaviours", description=__doc__)
    parser.add_argument("resolvers", nargs="*", metavar="RESOLVER", help="chain of resolvers, or folder of a model")
    parser.add_argument("--failures", action="store_true", help="print the failing texts of the half dev")
    return parser.parse_args(arguments)


def _shipped() -> list[str]:
    parser = parser_chain("spacy", "en")
    parsed = [f"{parser} + sieves", f"{parser} + xx-ud"] if parser else []
    return ["en-base", "en-small", "en-small(scheme=litbank)", *parsed]


def _digest(suite: Sequence[Capability]) -> str:
    """Return a checksum of all texts: results on different texts cannot be compared."""
    return hashlib.sha256(repr(suite).encode()).hexdigest()[:12]


def _kept(path: Path, suite: Sequence[Capability]) -> list[dict[str, Any]]:
    """Return the rows of an earlier run on the same texts."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    rows: list[dict[str, Any]] = data["scores"] if data.get("texts") == _digest(suite) else []
    return rows


def measured(system: System, suite: Sequence[Capability]) -> tuple[dict[str, Any], list[tuple[Text, list[str]]]]:
    """Return the row of a system, and the failing texts of `dev` with the checks that fail."""
    texts = [text for capability in suite for text in capability.texts]
    began = time.process_time()
    docs = list(system.pipe(Document.from_text(text.text, id=text.id, language="en") for text in texts))
    seconds = time.process_time() - began
    failures = {text: failed_checks(text, doc) for text, doc in zip(texts, docs, strict=True)}
    right = {
        capability.name: {half: sum(t.half == half and not failures[t] for t in capability.texts) for half in HALVES}
        for capability in suite
    }
    row = {
        "system": system.name,
        "right": right,
        "cpu_seconds": round(seconds, 1),
        "coindex": coindex.__version__,
        "date": machine()["date"],
    }
    return row, [(text, checks) for text, checks in failures.items() if checks and text.half == "dev"]


def failures_page(name: str, failures: Sequence[tuple[Text, list[str]]]) -> str:
    """Return the failing texts, each with its failing checks."""
    lines = [f"## {name}: {len(failures)} failing texts of dev", ""]
    for text, checks in failures:
        lines += [text.id, *(f"    {line}" for line in text.text.splitlines()), *(f"  - {c}" for c in checks), ""]
    return "\n".join(lines)


def page(suite: Sequence[Capability], rows: Sequence[dict[str, Any]]) -> str:
    """Return the page of results: texts that are right by capability, then both halves."""
    head = ["capability", "texts", *(row["system"] for row in rows)]
    lines = [NOTES, "", _line(head), _line(["---", *["--:"] * (len(head) - 1)])]
    for capability in suite:
        counts = [sum(row["right"][capability.name].values()) for row in rows]
        lines.append(_line([capability.title, len(capability.texts), *counts]))
    for name, halves in (("dev", HALVES[:1]), ("held", HALVES[1:]), ("all", HALVES)):
        size = sum(text.half in halves for capability in suite for text in capability.texts)
        lines.append(_line([f"**{name}**", size, *(_total(row, halves, size) for row in rows)]))
    return "\n".join(lines)


def _total(row: dict[str, Any], halves: Sequence[Half], size: int) -> str:
    right = sum(counts[half] for counts in row["right"].values() for half in halves)
    return f"{right} ({100 * right / size:.1f} %)"


def _line(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
