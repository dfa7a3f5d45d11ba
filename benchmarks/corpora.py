"""The corpora that resolvers are scored on, each as documents with all that a resolver may need.

Those without trees are parsed where a parser for their language is installed. That is slow, so the result is kept
under the system's folder for temporary files (`coindex-benchmarks`) until the code of the parsers changes.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

import coindex
from coindex import Document
from coindex.document.heads import find_heads
from coindex.document.trees import Trees
from coindex.errors import CoindexError
from coindex.resolvers import parsers

from .measuring import data_folder

DEV_TOPICS = frozenset({"2", "5", "12", "18", "21", "23", "34", "35"})


@dataclass(frozen=True)
class Corpus:
    """A corpus, or a part of it: the first documents, or some topics. `parser` is for one without trees."""

    name: str
    path: str
    language: str
    parser: str = ""
    first: int | None = None
    topics: frozenset[str] = field(default=frozenset())

    def documents(self) -> list[Document]:
        """The key, parsed if a parser is named; heads are found where there are trees and no heads."""
        return list(_parsed(self) if self.parser else _read(self))


CORPORA = (
    Corpus("en_gum dev", "en_gum/en_gum-corefud-dev.conllu", "en"),
    Corpus("en_parcorfull dev", "en_parcorfull/en_parcorfull-dev.conllu", "en"),
    Corpus("es_ancora dev", "es_ancora/es_ancora-dev.conllu", "es"),
    Corpus("cs_faust", "cs_faust/cs_pdtc-ud-train-ft.conllu", "cs"),
    Corpus("hu_korkor dev", "hu_korkor/dev", "hu"),
    Corpus("fr_democrat dev", "fr_democrat/dem1921_sg.dev.conll", "fr"),
    Corpus("en_litbank dev", "en_litbank/dev", "en"),
    Corpus("en_litbank dev, parsed", "en_litbank/dev", "en", parser="spacy"),
    Corpus("ru_rucoco, first 40, parsed", "ru_rucoco", "ru", parser="natasha", first=40),
    Corpus("de_potsdam", "de_potsdam_mmax", "de"),
    Corpus("nl_openboek", "nl_openboek", "nl"),
)
ECB = Corpus("en_ecbplus dev", "en_ecbplus", "en", topics=DEV_TOPICS)


def has_trees(docs: list[Document]) -> bool:
    return Trees(docs[0]).has_trees


@cache
def parser_chain(name: str, language: str) -> str | None:
    """A parser as a step of a chain, with a pipeline for the language; None where nothing is installed."""
    text: str | None = name
    if name == "spacy":
        try:
            from spacy.util import get_installed_models
        except ImportError:
            return None
        models = [model for model in get_installed_models() if model.startswith(f"{language}_")]
        text = f"spacy({models[0]})" if models else None
    if text is not None:
        try:
            coindex.load(text, keep_entities=True)
        except CoindexError:
            return None
    return text


def _read(corpus: Corpus) -> Iterator[Document]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        docs = coindex.read(data_folder() / corpus.path)
        for doc in islice(docs, corpus.first):
            if not corpus.topics or doc.topic in corpus.topics:
                doc = doc.replace(language=corpus.language)
                yield find_heads(doc) if Trees(doc).has_trees else doc


def _is_fresh(path: Path) -> bool:
    """Whether it was made by the parsers as they are now."""
    code = Path(parsers.__file__).parent.glob("*.py")
    return path.exists() and path.stat().st_mtime > max(file.stat().st_mtime for file in code)


def _parsed(corpus: Corpus) -> Iterator[Document]:
    folder = Path(tempfile.gettempdir()) / "coindex-benchmarks"
    path = folder / f"{corpus.path.replace('/', '-')}-{corpus.first}-{corpus.parser}.conllu"
    if not _is_fresh(path):
        chain = parser_chain(corpus.parser, corpus.language)
        if chain is None:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            coindex.write(coindex.load(chain, keep_entities=True).pipe(_read(corpus)), path)
    for doc in coindex.read(path):
        yield doc.replace(language=corpus.language)
