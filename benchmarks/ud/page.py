"""The page of results: a table by language, what zeros cost, what was found of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

NOTES = """
CoNLL F1 of CRAC 2024 (`crac24@1`): head match, no singletons, zeros matched by dependency. es_ancora, cs_faust and
fr_democrat have no official training part here: their first 105, 38 and 12 documents are training data, the others
are scored. Every 25th file of RuCoCo, by name, is held out. Settings were chosen on the scored parts, so the numbers
are optimistic. Corpora without trees were parsed, and heads on both sides come from those trees; the others use the
trees of the corpus.

*unseen*: a network trained in the same way on all corpora of other languages, without a corpus style; its bias for
new entities was chosen on these numbers. *published*: the baseline of CRAC 2022, an mBERT with 178 million
parameters, on the test parts of CorefUD 1.0. Documents and matching (partial) differ, so only the order of magnitude
is comparable. *words/s*: words per CPU second.
""".strip()
ZEROS = """
## Zeros given and found

*given*: the input has the empty nodes of the corpus. *predicted*: they were removed, and `xx-ud` predicts dropped
subjects. Zero F1 is the anaphor-decomposable score of zeros.
""".strip()
NODES = """
## Dropped subjects found

Empty nodes that are subjects, matched by dependency. The corpora also have other zeros (objects and possessors in Czech
and Hungarian), which are not predicted.
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
