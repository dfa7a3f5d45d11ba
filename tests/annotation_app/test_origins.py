"""Layers made of others: their record, and decisions in their log, on both databases."""

from __future__ import annotations

from coindex.annotation_app.adjudication import decide, decisions, step_back
from coindex.annotation_app.layers import Appended
from coindex.annotation_app.models import Layer
from coindex.annotation_app.projects import Origin, Source, add_derived
from coindex.document.edit_log import Edit
from coindex.server.database import Store
from store_samples import small_project

ORIGIN = Origin("vote", (Source(1, 2, "Ann"), Source(3, 4, "Тим")), {"least": None, "trust": [0.5, 0.25]})


def test_an_origin_is_kept_and_read_back(store: Store) -> None:
    sample = small_project(store)
    doc = store.layers.document_at(sample.layer)
    with store.write() as session:
        layer = add_derived(session, sample.document, doc, ORIGIN, name="AB", owner=sample.user, kind="vote").id
    with store.read() as session:
        assert Origin.of(session.get_one(Layer, layer)) == ORIGIN
        assert Origin.of(session.get_one(Layer, sample.layer)) is None
    assert store.layers.document_at(layer) == doc


def test_decisions_follow_undo_and_redo(store: Store) -> None:
    sample = small_project(store)
    doc = store.layers.document_at(sample.layer)
    ids = ["mention:0", "link:3", "span:4-5/5"]

    def choose(id: str, choice: int, *edits: Edit) -> None:
        base = store.layers.state(sample.layer).revision
        now = store.layers.document_at(sample.layer)
        done = decide(store, sample.layer, base, id, choice, edits, user=sample.user, doc=now)
        assert isinstance(done, Appended)

    def step(*, again: bool = False) -> dict[str, int]:
        base = store.layers.state(sample.layer).revision
        assert isinstance(step_back(store, sample.layer, base, user=sample.user, again=again), Appended)
        return decisions(store, sample.layer, ids)

    choose(ids[0], 2, Edit("add_mention", {"positions": [0], "entity": "a"}))
    choose(ids[1], 0)
    assert decisions(store, sample.layer, ids) == {ids[0]: 2, ids[1]: 0}
    choose(ids[0], 1, Edit("remove_mention", {"positions": [0], "entity": "a"}))
    assert decisions(store, sample.layer, ids) == {ids[0]: 1, ids[1]: 0}
    assert step() == {ids[0]: 2, ids[1]: 0}
    assert step() == {ids[0]: 2}
    assert step(again=True) == {ids[0]: 2, ids[1]: 0}
    assert step(again=True) == {ids[0]: 1, ids[1]: 0}
    assert step() == {ids[0]: 2, ids[1]: 0}
    assert step() == {ids[0]: 2}
    assert step() == {}
    assert store.layers.document_at(sample.layer) == doc
