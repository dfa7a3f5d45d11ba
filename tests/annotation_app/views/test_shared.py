"""Entities across the documents of a project: candidates come from one's own layers."""

from __future__ import annotations

from typing import Any

import pytest

from coindex.annotation_app import projects
from coindex.annotation_app.models import Layer
from coindex.document import Document
from coindex.document.edits import add_bridge
from marked_text import marked
from store_samples import mark
from web_world import World

STORY = "[Ann|a] has [[a cat|c] of [hers|a]|b]."


def share(world: World, on: str = "yes") -> None:
    manager = world.browser("manager")
    manager.see(f"/projects/{world.project}/settings")
    assert manager.submit(f"/projects/{world.project}/settings/shared", shared=on).status_code == 303
    (line,) = [x for x in manager.see(f"/projects/{world.project}/settings").splitlines() if 'name="shared"' in x]
    assert ("selected" in line) == (on == "yes")


def add(world: World, doc: Document, owner: str, **options: Any) -> int:
    """Another document with a layer of somebody's."""
    with world.store.write() as session:
        known = {info.name: info.id for info in projects.documents(session, world.project)}
        document = known.get(doc.id or "") or projects.add_documents(session, world.project, [doc])[0]
        return projects.start_layer(session, document, name=owner, owner=world.users[owner], **options).id


def candidates(world: World, owner: str, by: str | None = None) -> list[tuple[str, str, int]]:
    data = world.browser(by or owner).get(world.layer_path(owner, "/shared")).json()
    return [(one["id"], one["name"], one["documents"]) for one in data["entities"]]


def story(name: str = "story") -> Document:
    return marked(STORY, id=name)


def test_nothing_is_shared_by_default(world: World) -> None:
    add(world, story(), "annotator", with_entities=True)
    assert candidates(world, "annotator") == []
    share(world)
    add(world, story("two"), "annotator", with_entities=True)
    assert len(candidates(world, "annotator")) == 3  # those of the layer that was begun before stay where they are
    share(world, "no")
    assert candidates(world, "annotator") == []


def test_own_entities_of_other_documents_but_not_those_of_others(world: World) -> None:
    share(world)
    mine = add(world, Document.from_text("Tom slept. He snored.", id="bed"), "annotator")
    add(world, story(), "manager", with_entities=True)
    add(world, story(), "annotator", kind="assessment", with_entities=True)
    world.store.layers.append(mine, 0, [mark(0, 0), mark(1, 3, entity="bed_e1")], client="a")
    assert candidates(world, "annotator") == [("bed_e1", "Tom", 1)]
    other = add(world, Document.from_text("Tom woke.", id="morning"), "annotator")
    world.store.layers.append(other, 0, [mark(0, 1), mark(1, 0, entity="bed_e1")], client="a")
    assert candidates(world, "annotator") == [("bed_e1", "Tom", 2), ("morning_e1", "woke", 1)]
    assert candidates(world, "annotator", by="adjudicator")[0] == ("bed_e1", "Tom", 2)
    assert [name for _, name, _ in candidates(world, "manager")] == ["Ann", "a cat of hers", "a cat"]


def test_who_sees_a_published_layer_sees_no_other_through_it(world: World) -> None:
    share(world)
    hidden = add(world, story(), "administrator", with_entities=True)
    assert len(candidates(world, "gold", by="administrator")) == 3
    assert candidates(world, "gold", by="viewer") == []
    with world.store.write() as session:
        session.get_one(Layer, hidden).is_published = True
    assert len(candidates(world, "gold", by="viewer")) == 3


def test_imported_ids_of_one_document_do_not_become_those_of_another(world: World) -> None:
    share(world)
    doc = add_bridge(story(), entity="c", positions=[2, 3], antecedent="a")
    layers = [add(world, doc.replace(id=name), "annotator", with_entities=True) for name in ("one", "two")]
    assert {id for id, _, many in candidates(world, "annotator") if many == 1} == {
        f"{name}_{id}" for name in ("one", "two") for id in "abc"
    }
    start = world.store.layers.document_at(layers[0])
    assert [(bridge.entity, bridge.antecedent) for bridge in start.bridges] == [("one_c", "one_a")]
    known = story("three").replace(shared_ids=True)
    add(world, known, "annotator", with_entities=True)
    assert ("a", "Ann", 1) in candidates(world, "annotator")


@pytest.mark.parametrize("value", ["", "perhaps"])
def test_the_switch_is_yes_or_no(world: World, value: str) -> None:
    manager = world.browser("manager")
    manager.see("/")
    answer = manager.submit(f"/projects/{world.project}/settings/shared", shared=value)
    assert (answer.status_code, "yes or no" in answer.text) == (422, True)
