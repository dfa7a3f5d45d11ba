"""The documents that resolvers over trees are scored on: dev parts, or held-out documents of corpora without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coindex import Document
from coindex.document.heads import find_heads

from ..corpora import GUM, Corpus
from ..measuring import data_folder

EVERY = 25
"""Of RuCoCo's files in the order of their names, each of this number is held out; a fifth of the others train."""


@dataclass(frozen=True)
class Part:
    """A part of a corpus: documents from a number on; `published` is the baseline of CRAC 2022, if one compares."""

    name: str
    corpus: Corpus
    style: str
    start: int = 0
    published: str = ""

    @property
    def language(self) -> str:
        return self.corpus.language

    def documents(self) -> list[Document]:
        """Return the documents with heads and entities; for a parsed corpus, both from the parser's trees."""
        docs = self.corpus.input()[self.start :]
        return [find_heads(doc.replace(language=self.corpus.language)) for doc in docs]


def parts() -> Sequence[Part]:
    """Return the parts in the order of the table."""
    files = sorted(path.name for path in (data_folder() / "ru_rucoco").glob("*.conll"))
    held_out = tuple(f"ru_rucoco/{name}" for name in files[EVERY - 1 :: EVERY])
    return (
        Part("es_ancora, last 26", _corpus("es_ancora/es_ancora-dev.conllu", "es"), "es_ancora", 105, "66.0 (test)"),
        Part(
            "cs_faust, last 10",
            _corpus("cs_faust/cs_pdtc-ud-train-ft.conllu", "cs"),
            "cs_faust",
            38,
            "67.3 (PDT, other texts)",
        ),
        Part("en_gum dev", _corpus(GUM[0], "en"), "en_gum", 0, "62.6 (test)"),
        Part("en_gum dev, spaCy's trees", Corpus("", GUM, "en", parser="spacy", stripped=True), "en_gum"),
        Part("en_litbank dev, spaCy's trees", Corpus("", ("en_litbank/dev",), "en", parser="spacy"), "en_litbank"),
        Part("hu_korkor dev", _corpus("hu_korkor/dev", "hu"), "hu_korkor"),
        Part(
            "fr_democrat, last 34",
            _corpus("fr_democrat/dem1921_sg.dev.conll", "fr"),
            "fr_democrat",
            12,
            "55.6 (test)",
        ),
        Part("ru_rucoco, 30 held out, natasha's trees", Corpus("", held_out, "ru", parser="natasha"), "ru_rucoco"),
    )


def _corpus(path: str, language: str) -> Corpus:
    return Corpus("", (path,), language)
