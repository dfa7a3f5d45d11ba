"""Constraints on links: the scores of a resolver with all of them, without each of them, and without any.

`python -m benchmarks constraints [RESOLVER]` (default: en-base) uses the development parts of GUM and LitBank.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence

import coindex
from coindex import Document
from coindex.resolvers.neural.constraints import RULES
from coindex.training.neural.data import strip_columns

from .measuring import data_folder, save
from .replacing import CORPORA

MATCH = {"gum": "head", "litbank": "exact"}
NOTES = """
CoNLL score without singletons on the development parts of GUM (head match) and LitBank (exact match), from words,
sentences and speakers. *Changed*: documents whose entities or link probabilities change
when the rule is switched off.
""".strip()


def main(arguments: Sequence[str] = ()) -> None:
    parser = ArgumentParser(prog="python -m benchmarks constraints", description=__doc__)
    parser.add_argument("resolver", nargs="?", default="en-base")
    resolver = parser.parse_args(arguments).resolver
    scores: dict[str, dict[str, float]] = {}
    changed: dict[str, dict[str, int]] = {}
    for corpus, path in CORPORA.items():
        keys = list(coindex.read(data_folder() / path))
        docs = list(map(strip_columns, keys))
        everything: list[Document] = []
        for rules in ("all", "none", *(f"-{rule}" for rule in RULES)):
            chain = coindex.load(f"{resolver}(scheme={corpus}, constraints={rules})")
            resolved = list(chain.pipe(docs))
            everything = everything or resolved
            result = coindex.score(keys, resolved, match=MATCH[corpus], singletons=False)
            scores.setdefault(rules, {})[corpus] = 100 * (result.conll or 0)
            pairs = zip(everything, resolved, strict=True)
            changed.setdefault(rules, {})[corpus] = sum(before.entities != after.entities for before, after in pairs)
    save("constraints", {"resolver": resolver, "scores": scores, "changed": changed}, table(resolver, scores, changed))


def table(resolver: str, scores: dict[str, dict[str, float]], changed: dict[str, dict[str, int]]) -> str:
    """Return the page with the gain of each rule: the score with all rules minus the score without it."""
    corpora = tuple(scores["all"])
    lines = [NOTES, "", f"| {resolver} | " + " | ".join(corpora) + " |", "|---|" + "---:|" * len(corpora)]
    for rules, label in (("all", "all constraints"), ("none", "no constraints")):
        lines.append(f"| {label} | " + " | ".join(f"{scores[rules][corpus]:.2f}" for corpus in corpora) + " |")
    head = " | ".join(f"{corpus}: gain | changed" for corpus in corpora)
    lines += ["", f"| rule | {head} |", "|---|" + "---:|---:|" * len(corpora)]
    for rule in RULES:
        cells = (
            f"{scores['all'][corpus] - scores[f'-{rule}'][corpus]:+.2f} | {changed[f'-{rule}'][corpus]}"
            for corpus in corpora
        )
        lines.append(f"| `{rule}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)
