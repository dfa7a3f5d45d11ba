"""Resolving: words a second of each resolver, and how time and memory grow with the length of one document.

Resolvers that need trees have those of GUM; the others get the same texts raw as well. Parsers are measured on a part.
"""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import coindex
from coindex import Document, write
from coindex.resolvers.clusters import without_entities
from coindex.resolvers.registry import all_resolvers
from coindex.resolvers.resolver import Mentions, Resolver

from .corpora import has_trees, parser_chain
from .measuring import cpu_seconds, data_folder, peak_memory, save
from .responses import merge

BASE = 5_000
GROWTH = (1, 2, 4, 8, 16)
PARSED = 5
BEFORE_STEPS = "sieves"
"""What finds the entities that a step changes."""
RESOLVE = """
import sys, coindex
chain = coindex.load(sys.argv[1], mentions=sys.argv[2], language="en")
for doc in chain.pipe(coindex.read(sys.argv[3])):
    pass
"""


class Input(NamedTuple):
    """Documents of one kind."""

    name: str
    docs: list[Document]

    @property
    def words(self) -> int:
        return sum(len(doc.tokens) for doc in self.docs)


@dataclass(frozen=True)
class Speed:
    """CPU seconds of a chain on documents that are in memory."""

    chain: str
    mentions: str
    input: str
    words: int
    seconds: float

    def row(self) -> str:
        rate = f"{self.words / self.seconds:,.0f}"
        return f"| {self.chain} | {self.input} | {self.mentions} | {self.words:,} | {self.seconds:.2f} | {rate} |"


@dataclass(frozen=True)
class Growth:
    """One document that is some times as long as the shortest."""

    chain: str
    input: str
    factor: int
    words: int
    seconds: float
    megabytes: float

    def row(self, first: Growth) -> str:
        times = self.seconds / first.seconds
        return (
            f"| {self.chain} | {self.input} | {self.factor}× | {self.words:,} | {self.seconds:.2f} | {times:.1f} "
            f"| {self.megabytes:.0f} | {self.megabytes / first.megabytes:.1f} |"
        )


def main() -> None:
    gc.set_threshold(200_000, 20, 100)  # as the command does
    dev = list(coindex.read(data_folder() / "en_gum/en_gum-corefud-dev.conllu"))
    inputs = [Input("GUM dev, trees", dev), Input("GUM dev, raw text", [raw(doc) for doc in dev])]
    resolvers = [resolver for resolver in all_resolvers() if not resolver.install]
    speeds = [speed for resolver in resolvers for speed in _speeds(resolver, inputs)]
    with tempfile.TemporaryDirectory() as folder:
        growths = [
            list(_growth(resolver, given, Path(folder)))
            for resolver in resolvers
            if resolver.kind in ("rules", "learned")
            for given in inputs
            if _fits(resolver, given)
        ]
    _save(speeds, growths)


def raw(doc: Document) -> Document:
    """Return the text of a document alone."""
    return Document.from_text(doc.text, id=doc.id, language="en")


def mentions_of(resolver: Resolver) -> Mentions:
    return "detected" if "detected" in resolver.mentions else "given"


def _fits(resolver: Resolver, given: Input) -> bool:
    needs_trees = {"trees", "tags", "lemmas"} & set(resolver.needs)
    needs_mentions = mentions_of(resolver) == "given"
    return has_trees(given.docs) or not (needs_trees or needs_mentions or resolver.collects)


def _speeds(resolver: Resolver, inputs: list[Input]) -> Iterator[Speed]:
    if resolver.kind == "parser":
        text = parser_chain(resolver.name, "en")
        if text is not None and "en" in (resolver.languages or ("en",)):
            yield _speed(text, "detected", Input("GUM dev, raw text", inputs[1].docs[:PARSED]), rounds=1)
        return
    for given in inputs:
        if _fits(resolver, given) and (resolver.kind != "step" or has_trees(given.docs)):
            finder = "" if resolver.kind != "step" else f"{BEFORE_STEPS} + "
            yield _speed(finder + resolver.name, mentions_of(resolver), given)


def _speed(chain: str, mentions: Mentions, given: Input, *, rounds: int = 3) -> Speed:
    loaded = coindex.load(chain, mentions=mentions)
    (seconds,) = cpu_seconds(lambda: [None for _ in loaded.pipe(given.docs)], rounds=rounds)
    return Speed(chain, mentions, given.name, given.words, seconds)


def _growth(resolver: Resolver, given: Input, scratch: Path) -> Iterator[Growth]:
    """Measure a resolver on one document of increasing length."""
    mentions = mentions_of(resolver)
    loaded = coindex.load(resolver.name, mentions=mentions)
    for factor in GROWTH:
        doc, path = _joined(_first(given.docs, factor * BASE), scratch / f"grown-{factor}")
        if mentions == "detected":
            doc = without_entities(doc)
        (seconds,) = cpu_seconds(lambda: loaded(doc), rounds=2)  # noqa: B023
        megabytes = peak_memory(RESOLVE, resolver.name, mentions, str(path))
        yield Growth(resolver.name, given.name, factor, len(doc.tokens), seconds, megabytes)


def _joined(docs: list[Document], path: Path) -> tuple[Document, Path]:
    """Join many documents to one, and write it to a file."""
    if has_trees(docs):
        doc, path = merge(docs, "grown").replace(language="en"), path.with_suffix(".conllu")
        write(doc, path)
        return doc, path
    text, path = "\n\n".join(doc.text for doc in docs), path.with_suffix(".txt")
    path.write_text(text, encoding="utf-8")
    return Document.from_text(text, id="grown", language="en"), path


def _first(docs: list[Document], words: int) -> list[Document]:
    chosen: list[Document] = []
    number = 0
    while number < words:
        doc = docs[len(chosen) % len(docs)]
        chosen.append(doc)
        number += len(doc.tokens)
    return chosen


def _save(speeds: list[Speed], growths: list[list[Growth]]) -> None:
    table = ["| resolver | input | mentions | words | CPU s | words/s |", "|---|---|---|---|---|---|"]
    table += [speed.row() for speed in speeds]
    table += ["", "One document that grows, with the memory of the whole process, which reads it from a file:", ""]
    table += ["| resolver | input | length | words | CPU s | times as long | peak, MB | times as much |"]
    table += ["|---|---|---|---|---|---|---|---|"]
    table += [growth.row(rows[0]) for rows in growths for growth in rows]
    results: dict[str, Any] = {
        "speed": [vars(speed) for speed in speeds],
        "growth": [vars(growth) for rows in growths for growth in rows],
    }
    save("resolving", results, "\n".join(table))
