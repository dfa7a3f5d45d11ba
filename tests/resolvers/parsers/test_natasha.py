"""The natasha adapter: Russian over our tokens."""

from __future__ import annotations

import builtins

import pytest

import coindex
from coindex import Document
from coindex.errors import MissingExtraError
from coindex.resolvers.parsers import natasha
from coindex.resolvers.parsers.natasha import add_pronoun_features
from coindex.resolvers.parsers.step import Parser

TEXT = "Анна Петрова живёт в Москве. Её сестра, которая работает в «Ромашке», любит её 😀!\n"


@pytest.fixture(scope="module")
def parser() -> Parser:
    pytest.importorskip("natasha")
    from coindex.resolvers.parsers.natasha import make

    return make()


def test_columns_are_filled(parser: Parser):
    doc = parser(Document.from_text(TEXT, language="ru"))
    assert doc.text == TEXT
    words = {token.form: token for token in doc.tokens}
    assert (words["живёт"].lemma, words["живёт"].upos, words["живёт"].deprel) == ("жить", "VERB", "root")
    assert words["Москве"].features["Case"] == "Loc"
    assert words["Москве"].misc_values["NE"] == "B-LOC"
    assert [doc.tokens[at].misc_values["NE"] for at in (0, 1)] == ["B-PER", "I-PER"]
    assert words["которая"].features["PronType"] == "Rel"
    assert [token.head for token in doc.tokens].count("0") == len(doc.sentences) == 2


def test_a_long_sentence_has_one_root(parser: Parser):
    doc = parser(Document.from_text("кот и пёс и " * 100, language="ru"))
    assert len(doc.sentences) == 1
    assert [token.head for token in doc.tokens].count("0") == 1


def test_batches_keep_the_order(parser: Parser):
    texts = ["Кот спит.", "", "Пёс ест. Он рад."]
    docs = list(parser.pipe([Document.from_text(text) for text in texts], batch_size=2))
    assert [doc.text for doc in docs] == texts
    assert docs[2].tokens[1].lemma == "есть"


def test_a_possessive_is_a_determiner():
    third = {"Case": "Gen", "Person": "3"}
    assert add_pronoun_features("она", "PRON", third, "det") == ("DET", {**third, "PronType": "Prs", "Poss": "Yes"})
    assert add_pronoun_features("она", "PRON", third, "obj") == ("PRON", {**third, "PronType": "Prs"})
    assert add_pronoun_features("свой", "DET", {}, "det") == (
        "DET",
        {"Poss": "Yes", "PronType": "Prs", "Reflex": "Yes"},
    )
    assert add_pronoun_features("что", "SCONJ", {}, "mark") == ("SCONJ", {})


def test_a_missing_package_is_reported(monkeypatch: pytest.MonkeyPatch):
    natasha._engine.cache_clear()
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == "natasha":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'coindex\[natasha\]'"):
        coindex.load("natasha + simple-rules")
