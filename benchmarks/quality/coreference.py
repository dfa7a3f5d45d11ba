"""Chains of mentions scored by CoNLL: every system, with mentions found and given, on whatever a corpus has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import coindex
from coindex import Document
from coindex.errors import CoindexError
from coindex.resolvers.clusters import without_entities
from coindex.resolvers.registry import get_resolver
from coindex.resolvers.resolver import Mentions
from coindex.resolvers.rules.ne_post import find_names

from ..corpora import Corpus, parser_chain
from .rows import Misfit, Row, measured, percent

FOUND = (
    "en-base",
    "en-small",
    "xx-ud",
    "sieves",
    "sieves + propn-merge",
    "{names} + sieves + ne-post",
    "are-baseline",
    "are-baseline + propn-merge",
    "{names} + are-baseline + ne-post",
    "nearest-np",
    "head-lemma",
    "simple-rules",
)
GIVEN = ("en-base", "en-small", "xx-ud", "sieves", "are-baseline", "nearest-np", "head-lemma", "simple-rules")
FLOOR = "singleton"
OPTIONS: dict[str, tuple[tuple[str, Mentions], ...]] = {
    "en_gum dev": (("sieves(extraposed=yes)", "detected"),),
    "en_litbank dev": (
        ("en-base(scheme=litbank)", "detected"),
        ("en-base(scheme=litbank)", "given"),
        ("en-small(scheme=litbank)", "detected"),
        ("en-small(scheme=litbank)", "given"),
    ),
    "cs_faust": (("sieves(reach=sentence)", "detected"), ("sieves(reach=sentence)", "given")),
}
"""Options that suit a corpus: GUM links an expletive to its clause; LitBank has a way of annotating that the neural
models know; FAUST is a collection of unrelated sentences."""
LEARNED = {
    "en-base": set(),
    "en-small": {"en_parcorfull train+dev"},
    "xx-ud": {
        "en_parcorfull train+dev",
        "es_ancora dev",
        "cs_faust",
        "fr_democrat dev",
        "ru_rucoco, first 40",
        "ru_rucoco, first 40, parsed",
    },
}
"""What a trained resolver has learned from, whole or in part, is no measure of it."""
MAIN = (
    "en-base",
    "en-base(scheme=litbank)",
    "en-small",
    "en-small(scheme=litbank)",
    "sieves",
    "are-baseline",
    "simple-rules",
)
"""What is scored in other ways as well; on the main corpus all systems are."""
MAIN_CORPUS = "en_gum dev"
WAYS: dict[str, dict[str, Any]] = {
    "head": {},
    "exact": {"match": "exact"},
    "partial": {"match": "partial"},
    "head, with singletons": {"singletons": True},
    "exact, with singletons": {"match": "exact", "singletons": True},
}
OLD_PROFILE = "crac22@1"
"""The way of 2022, in which simple-rules and the two steps were published."""
KINDS = {"event": "CoNLL of events", "entity": "CoNLL of entities"}
ACROSS = ("head-lemma(scope=topic)", FLOOR)


def systems(corpus: str) -> Iterator[tuple[str, Mentions]]:
    """Return the systems to run on a corpus."""
    modes: tuple[Mentions, ...] = ("given", "given-nonsingleton")
    yield from ((system, "detected") for system in FOUND)
    yield from ((system, mentions) for mentions in modes for system in GIVEN)
    yield from OPTIONS.get(corpus, ())
    yield FLOOR, "given"


def corpus_rows(corpus: Corpus, docs: list[Document]) -> tuple[list[Row], list[Misfit]]:
    """Return the scores of all systems that work on these documents, and why others do not."""
    rows: list[Row] = []
    misfits: list[Misfit] = []
    scored = Scored(corpus, docs)
    for system, mentions in systems(corpus.name):
        if not _is_sensible(system, corpus):
            continue
        try:
            rows.append(scored.row(system, mentions))
        except CoindexError as error:
            misfits.append(Misfit(corpus.name, system, mentions, _reason(error)))
    return rows, misfits


def _is_sensible(system: str, corpus: Corpus) -> bool:
    """Return whether the number adds information to the others."""
    learned = next((name for name in LEARNED if system.startswith(name)), None)
    if learned is not None:
        resolver = get_resolver(learned)
        fits = not resolver.languages or corpus.language in resolver.languages
        return fits and corpus.name not in LEARNED[learned] and (not corpus.parser or "trees" in resolver.needs)
    return system != FLOOR or not (corpus.parser or corpus.stripped)  # it looks at no column


def _reason(error: CoindexError) -> str:
    """Return the problem without the place and the remedy."""
    return str(error).partition(";")[0].partition(": ")[2]


class Scored:
    """Documents to resolve and the key to score by."""

    def __init__(self, corpus: Corpus, docs: list[Document]) -> None:
        self.corpus = corpus
        self.docs = docs
        self.key = corpus.key() if corpus.stripped else docs
        self.knows_heads = corpus.knows_heads

    def row(self, system: str, mentions: Mentions) -> Row:
        text = self._with_names(system)
        response = list(coindex.load(text, mentions=mentions).pipe(self.docs))
        # without columns the heads of given mentions are unknown
        by_head = self.knows_heads and (mentions == "detected" or not self.corpus.stripped or bool(self.corpus.parser))
        options: dict[str, Any] = {} if by_head else WAYS["exact"]
        if system == FLOOR:  # without singletons nothing would be left of it
            options = {**options, "singletons": True}
        result = coindex.score(self.key, response, **options)
        chain = f"{self._parser()} + {text}" if self.corpus.parser else text
        more = self._more(system, response) if mentions == "detected" else {}
        return Row(measured(chain, self.corpus.name, mentions, "CoNLL", result), system, more)

    def _parser(self) -> str | None:
        return parser_chain(self.corpus.parser, self.corpus.language)

    def _with_names(self, system: str) -> str:
        """Return the chain, with a name tagger if it needs names and the documents have none."""
        if "{names}" not in system:
            return system
        if any(find_names(without_entities(doc)) for doc in self.docs):
            return system.replace("{names} + ", "")
        tagger = parser_chain("spacy", self.corpus.language)
        if tagger is None:
            raise CoindexError(f"{self.corpus.name}: no names, and no tagger of them")
        return system.replace("{names}", tagger.replace(")", ", columns=names)"))

    def _more(self, system: str, response: list[Document]) -> dict[str, float]:
        more: dict[str, float] = {}
        if system in MAIN or self.corpus.name == MAIN_CORPUS:
            ways = {name: way for name, way in WAYS.items() if self.knows_heads or "exact" in name}
            more |= {name: self._conll(response, **way) for name, way in ways.items()}
            match = "head" if self.knows_heads else "exact"
            more["mention F1"] = percent(
                coindex.score(self.key, response, metrics=["mentions"], match=match)["mentions"].f1
            )
        if self.knows_heads and not self.corpus.stripped:
            more[OLD_PROFILE] = self._conll(response, profile=OLD_PROFILE)
        return more

    def _conll(self, response: list[Document], **options: Any) -> float:
        return percent(coindex.score(self.key, response, **options).conll or 0)


def across_documents(corpus: Corpus) -> Iterator[Row]:
    """Score cross-document resolvers on given mentions, events and entities separately, topic by topic."""
    key = corpus.key()
    for chain in ACROSS:
        response = list(coindex.load(chain, mentions="given").pipe(key))
        for kind, measure in KINDS.items():
            result = coindex.score(key, response, profile="ecb-topic", kind=kind, singletons=chain == FLOOR)
            yield Row(measured(chain, f"{corpus.name}, topics", "given", measure, result), chain)
