"""Quality: what every resolver that nobody has to train is worth, on every corpus that fits it.

The main number is CoNLL as the shared tasks of 2024 and 2025 took it (profile crac24: head match, no singletons); exact
match where a corpus has no trees, so that nobody knows its heads. Writes `scores.json` of the package as well, which
`coindex resolvers` shows. The whole takes some minutes.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import coindex
from coindex import Document
from coindex.errors import DataWarning
from coindex.resolvers.chain import parse_chain
from coindex.resolvers.registry import MODULES, Mentions
from coindex.resolvers.scores import PATH, Measured
from coindex.scoring import Result

from .corpora import CORPORA, ECB, Corpus, has_trees, parser_chain
from .measuring import save

WITH_TREES: tuple[tuple[str, Mentions], ...] = (
    ("sieves", "detected"),
    ("sieves + propn-merge", "detected"),
    ("{names} + sieves + ne-post", "detected"),
    ("simple-rules", "detected"),
    ("nearest-np", "detected"),
    ("are-baseline", "detected"),
    ("head-lemma", "detected"),
    ("sieves", "given"),
    ("are-baseline", "given"),
    ("nearest-np", "given"),
    ("simple-rules", "given"),
    ("head-lemma", "given"),
    ("singleton", "given"),
)
RAW: dict[str, tuple[tuple[str, Mentions], ...]] = {
    "en": (("are-baseline", "detected"), ("nearest-np", "detected"), ("head-lemma", "given"), ("singleton", "given")),
    "": (("singleton", "given"),),
}
KINDS = {"event": "CoNLL of events", "entity": "CoNLL of entities"}
ACROSS = ("head-lemma(scope=topic)", "singleton")
MORE: dict[str, dict[str, Any]] = {
    "exact": {"match": "exact"},
    "partial": {"match": "partial"},
    "with singletons": {"singletons": True},
    "exact, with singletons": {"match": "exact", "singletons": True},
}


@dataclass(frozen=True)
class Row:
    """A score with the way to it."""

    measured: Measured
    language: str
    more: dict[str, float]
    """Other numbers by name, for the main resolvers on the main corpora."""


def main() -> None:
    with warnings.catch_warnings():  # zeros without DEPS, and entities of the dummy that run through no other document
        warnings.simplefilter("ignore", DataWarning)
        rows = [row for corpus in CORPORA for row in _rows(corpus)]
        rows += list(_across())
    _write_scores(rows)
    _save(rows)


def _rows(corpus: Corpus) -> Iterator[Row]:
    key = corpus.documents()
    if not key:
        sys.stderr.write(f"{corpus.name}: no parser is installed, left out\n")
        return
    trees = has_trees(key)
    for chain, mentions in WITH_TREES if trees else RAW.get(corpus.language, RAW[""]):
        text = _with_names(chain, corpus)
        if text is None or not all(name in MODULES for name, _ in parse_chain(text)):
            continue
        if corpus.parser and text == "singleton":  # which looks at no column
            continue
        response = list(coindex.load(text, mentions=mentions).pipe(key))
        spelled = f"{parser_chain(corpus.parser, corpus.language)} + {text}" if corpus.parser else text
        options = {} if trees and not corpus.parser else {"match": "exact"}
        yield _row(corpus, spelled, mentions, key, response, options)


def _with_names(chain: str, corpus: Corpus) -> str | None:
    """The chain with a tagger of names, if it wants one; None where none is installed."""
    if "{names}" not in chain:
        return chain
    if corpus.parser:  # it has told them
        return chain.replace("{names} + ", "")
    tagger = parser_chain("spacy", corpus.language)
    return None if tagger is None else chain.replace("{names}", tagger.replace(")", ", columns=names)"))


def _row(
    corpus: Corpus,
    chain: str,
    mentions: Mentions,
    key: list[Document],
    response: list[Document],
    options: dict[str, Any],
) -> Row:
    if chain == "singleton":  # without singletons nothing would be left of it
        options = {**options, "singletons": True}
    result = coindex.score(key, response, **options)
    more = _more(key, response) if corpus.name in ("en_gum dev", "es_ancora dev") and mentions == "detected" else {}
    measured = _measured(chain, corpus.name, mentions, "CoNLL", result)
    sys.stderr.write(f"{measured}: {chain}\n")
    return Row(measured, corpus.language, more)


def _more(key: list[Document], response: list[Document]) -> dict[str, float]:
    found = {name: 100 * (coindex.score(key, response, **options).conll or 0) for name, options in MORE.items()}
    mentions = coindex.score(key, response, metrics=["mentions"])["mentions"].f1
    return {**found, "mention F1": 100 * mentions}


def _measured(chain: str, corpus: str, mentions: Mentions, measure: str, result: Result) -> Measured:
    assert result.conll is not None
    return Measured(
        chain=chain,
        corpus=corpus,
        mentions=mentions,
        measure=f"{measure} with singletons" if result.settings.singletons else measure,
        number=round(100 * result.conll, 2),
        signature=result.signature,
        version=coindex.__version__,
    )


def _across() -> Iterator[Row]:
    """Across documents: given mentions of ECB+, events and entities apart, topic by topic."""
    key = ECB.documents()
    for chain in ACROSS:
        response = list(coindex.load(chain, mentions="given").pipe(key))
        for kind, measure in KINDS.items():
            result = coindex.score(key, response, profile="ecb-topic", kind=kind, singletons=chain == "singleton")
            measured = _measured(chain, f"{ECB.name}, topics", "given", measure, result)
            sys.stderr.write(f"{measured}: {chain}\n")
            yield Row(measured, ECB.language, {})


def _write_scores(rows: list[Row]) -> None:
    data = {"scores": [row.measured.to_dict() for row in rows]}
    PATH.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _save(rows: list[Row]) -> None:
    table = ["Each number can be had again by", ""]
    table += ["    coindex resolve KEY -r CHAIN --mentions MENTIONS --language CODE -o response.conllu"]
    table += ["    coindex score KEY response.conllu", "", "with the options that its signature tells.", ""]
    table += ["| chain | corpus | mentions | CoNLL | signature |", "|---|---|---|---|---|"]
    for row in rows:
        it = row.measured
        number = f"{it.number:.2f}{it.measure.removeprefix('CoNLL')}"
        signature = it.signature.replace("|", "&#124;")  # a bar would end the cell
        table.append(f"| {it.chain} | {it.corpus} | {it.mentions} | {number} | <code>{signature}</code> |")
    names = [*MORE, "mention F1"]
    table += ["", f"| chain | corpus | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
    for row in rows:
        if row.more:
            cells = " | ".join(f"{row.more[name]:.2f}" for name in names)
            table.append(f"| {row.measured.chain} | {row.measured.corpus} | {cells} |")
    save("quality", {"scores": [{**row.measured.to_dict(), **row.more} for row in rows]}, "\n".join(table))
