"""The page of results: a table by language, what zeros cost, what was found of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

NOTES = """
CoNLL F1 of CRAC 2024 (`crac24@1`): head match, no singletons, zeros matched by what they depend on. es_ancora, cs_faust
and fr_democrat have no official training part here: their first 105, 38 and 12 documents train, the others are scored.
Of RuCoCo every 25th file by name is held out. What is scored was watched while the model was made, so the numbers are a
little too good. Corpora without trees were parsed, and heads come from those trees on both sides.

*unseen*: one network trained in the same way on all corpora of the other languages, in the style of no corpus; how
readily such documents get new entities was chosen by these numbers. *published*: the baseline of CRAC 2022, an mBERT
with 178 million parameters, on the test parts of CorefUD 1.0: other documents and partial match, so it tells the order
of magnitude and no more. *words/s*: words by second of one processor.
""".strip()
ZEROS = """
## Zeros given and found

With *given* the empty nodes of the corpus are there; with *predicted* they were taken out, and `xx-ud` found dropped
subjects by itself. Zero F1 is the anaphor-decomposable score of zeros.
""".strip()
NODES = """
## Dropped subjects found

Empty nodes that are subjects, found again by what they depend on. The corpora have other zeros besides (Czech and
Hungarian ones that are objects or possessors), which are not looked for.
""".strip()


def page(found: Mapping[str, Any], published: Mapping[str, str]) -> str:
    """Return the page as Markdown."""
    lines = [NOTES, "", "| part | sieves | xx-ud | unseen | published | words/s |", "|---|---|---|---|---|---|"]
    for part in dict.fromkeys(row["part"] for row in found["scores"]):
        rows = {row["system"]: row for row in found["scores"] if row["part"] == part and row["zeros"] != "predicted"}
        scores = [f"{rows[name]['conll']:.1f}" if name in rows else "" for name in ("sieves", "xx-ud", "unseen")]
        speed = f"{rows['xx-ud']['words_per_cpu_second']:,}" if "xx-ud" in rows else ""
        lines.append(f"| {' | '.join([part, *scores, published.get(part, ''), speed])} |")
    return "\n".join([*lines, "", ZEROS, "", *_zeros(found), "", NODES, "", *_nodes(found)])


def _zeros(found: Mapping[str, Any]) -> Iterator[str]:
    yield "| part | resolver | zeros | CoNLL | zero F1 |"
    yield "|---|---|---|---|---|"
    for row in found["scores"]:
        if row["zeros"] != "none":
            yield f"| {row['part']} | {row['system']} | {row['zeros']} | {row['conll']:.1f} | {row['zero_f1']:.1f} |"


def _nodes(found: Mapping[str, Any]) -> Iterator[str]:
    yield "| part | empty nodes | dropped subjects | recall | precision | F1 |"
    yield "|---|---|---|---|---|---|"
    for row in found["zeros"]:
        numbers = [f"{row[name]:.1f}" for name in ("recall", "precision", "f1")]
        yield f"| {' | '.join([row['part'], str(row['empty_nodes']), str(row['dropped_subjects']), *numbers])} |"
