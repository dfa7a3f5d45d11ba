"""The shipped model: the collections it is chosen for, its description, and its results."""

import json

import pytest

import coindex
from coindex.document import Document
from coindex.resolvers.cross.en_cross import model_folder
from coindex.resolvers.cross.model import GRAPHS, SCORERS, describe
from coindex.resolvers.defaults import choose_cross
from news import over_documents

QUAKE = {
    "a": "A strong earthquake struck the island of Solva on Tuesday. At least ten people were killed, police said.",
    "b": "Police said that ten people died when the earthquake hit Solva. The president visited the island.",
    "c": "The president of Solva arrived in Port Alder on Friday and met fishermen.",
}


def collection(texts=QUAKE, language="en"):
    return [Document.from_text(text, language=language).replace(id=id) for id, text in texts.items()]


@pytest.mark.parametrize(
    ("texts", "language", "expected"),
    [
        (QUAKE, "en", "en-cross"),
        (QUAKE, None, "en-cross"),
        ({"a": "Der Bürgermeister kam gestern mit dem Zug in die Stadt und ging nach Hause."}, None, "cross"),
        ({"a": "Il pleut."}, "fr", "cross"),
        ({"a": "Мэр приехал в город."}, None, "cross"),
        ({**QUAKE, "d": "Der Bürgermeister kam gestern mit dem Zug in die Stadt und ging nach Hause."}, None, "cross"),
        ({**QUAKE, "d": ""}, None, "en-cross"),
        ({}, None, "en-cross"),
        ({}, "de", "cross"),
    ],
)
def test_which_collections_get_it(texts, language, expected):
    assert choose_cross(collection(texts, language), language) == expected


def test_it_describes_itself():
    said = describe(model_folder())
    assert said["config"]["name"] == "en-cross"
    assert {*GRAPHS, *SCORERS.values()} <= set(said["weights"])
    assert len(next(iter(said["data"].values()))) == 64
    assert "CC BY 3.0" in said["licences"].values()
    assert "Princeton" in (model_folder() / "WORDNET-LICENSE").read_text(encoding="utf-8")
    assert said["scores"]["mentions"]["event"]["f1"] > 80
    assert said["scores"]["mentions"]["event"]["signature"].startswith("coindex|ecb-topic@1|match:exact|sing:yes")
    text = json.dumps(said)
    assert not any(f'"/{folder}/' in text for folder in ("work", "home", "tmp", "root", "Users"))
    assert sum(file.stat().st_size for file in model_folder().iterdir()) < 33e6


def test_it_finds_what_documents_share():
    resolved = list(coindex.load("en-cross(topics=none, singletons=yes)").pipe(collection()))
    found = {(mention.text, entity.kind) for mention, entity in resolved[0].mentions()}
    assert {("earthquake", "event"), ("struck", "event"), ("killed", "event"), ("said", "event")} <= found
    assert ("Police", "entity") in {(mention.text, entity.kind) for mention, entity in resolved[1].mentions()}
    assert all(0 <= float(mention.attributes["mention"]) <= 1 for doc in resolved for mention, _ in doc.mentions())
    shared = over_documents(resolved).values()
    assert any({"a:earthquake", "b:earthquake"} <= set(texts) for texts in shared)


def test_two_runs_are_the_same():
    resolver = coindex.load("en-cross(topics=none)")
    assert list(resolver.pipe(collection())) == list(resolver.pipe(collection()))


def test_odd_collections():
    resolver = coindex.load("en-cross")
    assert list(resolver.pipe([])) == []
    (empty,) = resolver.pipe([Document.from_text("")])
    assert empty.entities == ()
    (blank,) = resolver.pipe([Document.from_text("Yes.")])
    assert blank.entities == ()
    twice = list(coindex.load("en-cross(singletons=yes)").pipe([*collection(), *collection()]))
    assert len(twice) == 6
