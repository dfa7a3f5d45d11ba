"""GAP: which of two names a pronoun means, for as many women as men. `python -m benchmarks gap [RESOLVER …]`.

Each text of the development file is resolved from raw text. Without a resolver those that come with the package are
measured. Numbers of others that were measured before stay on the page, with their date in `gap.json`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import coindex

from ..corpora import parser_chain
from ..measuring import RESULTS, data_folder, machine, save
from ..systems import System, load_system
from .examples import Example, read_examples
from .scores import READINGS, answers, score_answers

FILE = "en_gap/gap-development.tsv"
NOTES = """
GAP's development file: 2,000 texts from Wikipedia, half with a feminine and half with a masculine pronoun, and 4,000
pairs of a pronoun and a name. It is used only for reporting, never for tuning. Each text is resolved separately as raw
text (GAP's *snippet-context*). Tokens are split where the pronoun and the names begin and end (this changes 8 of the
texts); the resolver gets no other information about them. F1 over both answers of all examples, pooled as in GAP's
scorer; bias is feminine F1 divided by masculine F1.

How entities become answers: the pronoun must be a mention of its own; a name is answered with yes if a mention of the
same entity is inside the name or contains it, as converters of published systems do (*aligned*). *Strict*: a mention
that contains the name counts only if its head is in the name, or if it has no head and ends with the name.

Published on the **test** file, which is another file: GAP's baseline of syntactic parallelism, 64.4 feminine, 69.4
masculine, bias 0.93, 66.9 overall.
""".strip()


def main(names: Sequence[str] = ()) -> None:
    examples = list(read_examples(data_folder() / FILE))
    rows = {row["system"]: row for row in _kept(RESULTS / "gap.json")}
    for system in map(load_system, names or _shipped()):
        rows[system.name] = measured(system, examples)
    save("gap", {"file": FILE, "scores": list(rows.values())}, page(list(rows.values())))


def _shipped() -> list[str]:
    parser = parser_chain("spacy", "en")
    return ["en-base", "en-small", "are-baseline", *([f"{parser} + sieves"] if parser else [])]


def _kept(path: Path) -> list[dict[str, Any]]:
    """Return the rows of an earlier run."""
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["scores"] if path.exists() else []
    return rows


def measured(system: System, examples: Sequence[Example]) -> dict[str, Any]:
    """Return the row of a system: its scores by reading, and its time and memory."""
    began = time.process_time()
    docs = list(system.pipe(example.document() for example in examples))
    seconds = time.process_time() - began
    found = {
        reading: [answers(example, doc, reading) for example, doc in zip(examples, docs, strict=True)]
        for reading in READINGS
    }
    return {
        "system": system.name,
        **{reading: score_answers(examples, given).to_dict() for reading, given in found.items()},
        "cpu_seconds": round(seconds, 1),
        "weights": system.description.get("weights", {}),
        "coindex": coindex.__version__,
        "date": machine()["date"],
    }


def page(rows: Sequence[dict[str, Any]]) -> str:
    """Return the page of results."""
    lines = [NOTES, ""]
    for reading in READINGS:
        lines += [f"## {reading.capitalize()}", "", "| resolver | feminine | masculine | bias | overall | R | P |"]
        lines += ["|---|---|---|---|---|---|---|"]
        lines += [_line(row["system"], row[reading]) for row in rows]
        lines.append("")
    return "\n".join(lines).strip()


def _line(name: str, score: dict[str, Any]) -> str:
    overall = score["overall"]
    numbers = [
        score["feminine"]["f1"],
        score["masculine"]["f1"],
        overall["f1"],
        overall["recall"],
        overall["precision"],
    ]
    feminine, masculine, *rest = (f"{100 * number:.1f}" for number in numbers)
    bias = "" if score["bias"] is None else f"{score['bias']:.2f}"
    return f"| {' | '.join([name, feminine, masculine, bias, *rest])} |"
