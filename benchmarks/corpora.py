"""The corpora that resolvers are scored on: the key, and the documents that a resolver gets.

Those without trees are parsed where a parser for their language is installed. That is slow, so the result is kept
under the system's folder for temporary files (`coindex-benchmarks`) until the code of the parsers changes. One with
gold trees is stripped of them as well, to see what a parser's trees, or none, are worth beside them.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from pathlib import Path

import coindex
from coindex import Document
from coindex.document import Entity, Mention, Token, Tokens
from coindex.document.heads import Trees, find_heads
from coindex.errors import CoindexError
from coindex.resolvers import parsers

from .measuring import data_folder

DEV_TOPICS = frozenset({"2", "5", "12", "18", "21", "23", "34", "35"})


@dataclass(frozen=True)
class Corpus:
    """A corpus, or a part of it: the first documents, or some topics.

    `parser` is for one without trees, or whose columns are `stripped`: of its words and sentences only.
    """

    name: str
    paths: tuple[str, ...]
    language: str
    parser: str = ""
    stripped: bool = False
    first: int | None = None
    topics: frozenset[str] = field(default=frozenset())

    def key(self) -> list[Document]:
        """Return the published documents; heads are added if there are trees but no heads."""
        return list(_read(self))

    def input(self) -> list[Document]:
        """Return the input of a resolver, with entities; empty if no parser is installed."""
        return list(_parsed(self) if self.parser else _unparsed(self))

    @property
    def knows_heads(self) -> bool:
        """Whether the key has trees, so that the heads of its mentions are known."""
        return has_trees(list(islice(_read(self), 1)))


GUM = ("en_gum/en_gum-corefud-dev.conllu",)
PARCORFULL = ("en_parcorfull/en_parcorfull-train.conllu", "en_parcorfull/en_parcorfull-dev.conllu")
CORPORA = (
    Corpus("en_gum dev", GUM, "en"),
    Corpus("en_gum dev, parsed", GUM, "en", parser="spacy", stripped=True),
    Corpus("en_gum dev, words only", GUM, "en", stripped=True),
    Corpus("en_parcorfull train+dev", PARCORFULL, "en"),
    Corpus("es_ancora dev", ("es_ancora/es_ancora-dev.conllu",), "es"),
    Corpus("cs_faust", ("cs_faust/cs_pdtc-ud-train-ft.conllu",), "cs"),
    Corpus("hu_korkor dev", ("hu_korkor/dev",), "hu"),
    Corpus("fr_democrat dev", ("fr_democrat/dem1921_sg.dev.conll",), "fr"),
    Corpus("en_litbank dev", ("en_litbank/dev",), "en"),
    Corpus("en_litbank dev, parsed", ("en_litbank/dev",), "en", parser="spacy"),
    Corpus("ru_rucoco, first 40", ("ru_rucoco",), "ru", first=40),
    Corpus("ru_rucoco, first 40, parsed", ("ru_rucoco",), "ru", parser="natasha", first=40),
    Corpus("de_potsdam", ("de_potsdam_mmax",), "de"),
    Corpus("de_gerdracor", ("de_gerdracor_parallel/conll",), "de"),
    Corpus("nl_openboek", ("nl_openboek",), "nl"),
)
ECB = Corpus("en_ecbplus dev", ("en_ecbplus",), "en", topics=DEV_TOPICS)


def has_trees(docs: list[Document]) -> bool:
    return Trees(docs[0]).has_trees


@cache
def parser_chain(name: str, language: str) -> str | None:
    """Return a parser as a step of a chain, with a pipeline for the language; None if none is installed."""
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


def bare(doc: Document) -> Document:
    """Return words, sentences and entities alone: no columns, no empty nodes, no heads."""
    words = [position for position, token in enumerate(doc.tokens) if not token.is_empty]
    new = {position: number for number, position in enumerate(words)}
    tokens = Tokens(Token(doc.tokens[old].id, doc.tokens[old].form, space=doc.tokens[old].space) for old in words)
    lengths = [sum(position in new for position in range(part.start, part.end)) for part in doc.sentences]
    made = Document.from_sentences(tokens, lengths, id=doc.id, language=doc.language)
    entities = (
        Entity(entity.id, tuple(made.mention(places) for mention in entity.mentions if (places := _kept(mention, new))))
        for entity in doc.entities
    )
    return made.replace(entities=tuple(entity for entity in entities if entity.mentions))


def _kept(mention: Mention, new: dict[int, int]) -> list[int]:
    return [new[position] for position in mention.positions if position in new]


def _read(corpus: Corpus) -> Iterator[Document]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        docs = chain.from_iterable(coindex.read(data_folder() / path) for path in corpus.paths)
        for doc in islice(docs, corpus.first):
            if not corpus.topics or doc.topic in corpus.topics:
                doc = doc.replace(language=corpus.language)
                yield find_heads(doc) if Trees(doc).has_trees else doc


def _unparsed(corpus: Corpus) -> Iterator[Document]:
    return map(bare, _read(corpus)) if corpus.stripped else _read(corpus)


def _is_fresh(path: Path) -> bool:
    """Return whether the file was written with the current parsers."""
    code = Path(parsers.__file__).parent.glob("*.py")
    return path.exists() and path.stat().st_mtime > max(file.stat().st_mtime for file in code)


def _parsed(corpus: Corpus) -> Iterator[Document]:
    folder = Path(tempfile.gettempdir()) / "coindex-benchmarks"
    name = corpus.paths[0].replace("/", "-")
    path = folder / f"{name}-{corpus.first}-{corpus.parser}{'-bare' if corpus.stripped else ''}.conllu"
    if not _is_fresh(path):
        parser = parser_chain(corpus.parser, corpus.language)
        if parser is None:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            coindex.write(coindex.load(parser, keep_entities=True).pipe(_unparsed(corpus)), path)
    for doc in coindex.read(path):
        yield find_heads(doc.replace(language=corpus.language), overwrite=True)  # the file has a head for each mention
