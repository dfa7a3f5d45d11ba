"""Scores by mention type, with the same scorer for each type."""

import pytest
from benchmarks.card.types import anaphors, by_tag, with_columns

import coindex
from coindex import Document, Entity, Token
from coindex.document import Tokens

WORDS = (
    "Nora/PROPN lost/VERB a/DET kite/NOUN ./PUNCT She/PRON found/VERB it/PRON ./PUNCT Nora/PROPN laughed/VERB ./PUNCT"
)


def story(**chains):
    pairs = [word.split("/") for word in WORDS.split()]
    tokens = Tokens(Token(str(number), form, upos=upos) for number, (form, upos) in enumerate(pairs, 1))
    doc = Document.from_sentences(tokens, [5, 4, 3], id="d")
    entities = (
        Entity(name, tuple(doc.mention(span, head=span[-1]) for span in spans)) for name, spans in chains.items()
    )
    return doc.replace(entities=tuple(entities))


@pytest.fixture
def key():
    return story(nora=[[0], [5], [9]], kite=[[2, 3], [7]])


@pytest.fixture
def response():
    """`it` is wrongly Nora's."""
    return story(a=[[0], [5], [7], [9]])


def test_types(key, response):
    found = {row.name: (row.count, row.recall, row.precision) for row in anaphors([key], [response], match="head")}
    assert found == {
        "pronoun": (2, 50, 50),  # she right, it wrong
        "pronoun: he, she, they": (1, 100, 100),
        "pronoun: it": (1, 0, 0),
        "name": (1, 100, 100),
    }


def test_pronouns_are_those_of_the_scorer(key, response):
    own = next(row for row in anaphors([key], [response], match="head") if row.name == "pronoun")
    assert own.f1 == pytest.approx(100 * coindex.score(key, response, metrics=["pronoun"])["pronoun"].f1)


def test_columns_of_another_document(key):
    bare = Document.from_sentences(Tokens(Token(t.id, t.form) for t in key.tokens), [5, 4, 3], id="d")
    bare = bare.replace(entities=(Entity("a", (bare.mention([0]), bare.mention([9]))),))
    (made,) = with_columns([bare], [key])
    assert [mention.layer[mention.start].upos for mention in made.entities[0].mentions] == ["PROPN", "PROPN"]


def test_by_tag(key):
    assert by_tag([key], [key], match="head") == {"PRON": 100, "PROPN": 100, "NOUN": 100}
