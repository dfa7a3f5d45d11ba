"""The table of mentions, and ids that hold in all documents."""

import numpy as np

from coindex.document import Document
from coindex.resolvers.cross.collection import Collection, next_number, with_entities
from news import documents
from parsed_text import with_mentions, words


def test_the_table_follows_documents_and_text():
    collection = Collection.of(documents())
    assert len(collection) == 26
    assert collection.document.tolist() == [0] * 10 + [1] * 8 + [2] * 8
    assert collection.sentence[:5].tolist() == [0, 0, 0, 1, 1]
    assert collection.sentence[10] == 3  # sentences are counted over all documents
    assert [collection.mentions[row].text for row in np.flatnonzero(collection.kind == 1)[:3]] == [
        "storm",
        "struck",
        "said",
    ]
    assert len(set(collection.entity.tolist())) == 26


def test_heads_are_found_without_trees():
    doc = with_mentions(words("the mayor of London"), range(4))
    assert Collection.of([doc]).head.tolist() == [1]


def test_ids_are_shared_and_in_order_of_appearance():
    docs = [
        with_mentions(words("storm sank", id="a"), [0], [1], kinds=["event", "event"]),
        Document(id="empty"),
        with_mentions(words("boat storm", id="b"), [0], [1], kinds=["entity", "event"]),
    ]
    collection = Collection.of(docs)
    resolved = list(with_entities(collection, np.array([4, 2, 7, 4]), by="test", scores=np.array([0.5, 1, 1, 0.75])))
    assert [[entity.id for entity in doc.entities] for doc in resolved] == [["e1", "e2"], [], ["e3", "e1"]]
    assert all(doc.shared_ids for doc in resolved)
    assert [entity.kind for entity in resolved[2].entities] == ["entity", "event"]
    storm, sank = (entity.mentions[0].attributes for entity in resolved[0].entities)
    assert storm == {"by": "test/link", "score": "0.5000"}
    assert sank == {"by": "test/new"}


def test_known_ids_stay_and_new_ones_come_behind():
    collection = Collection.of([with_mentions(words("one two three"), [0], [1], [2])])
    (doc,) = with_entities(collection, np.array([1, 0, 2]), by="x", names={0: "e7", 1: "odd"})
    assert [entity.id for entity in doc.entities] == ["odd", "e7", "e8"]
    assert next_number(["e2", "x9", "e10", "e", "eé"]) == 11


def test_nothing():
    collection = Collection.of([])
    assert len(collection) == 0
    assert list(with_entities(collection, np.zeros(0, dtype=np.int64), by="x")) == []
