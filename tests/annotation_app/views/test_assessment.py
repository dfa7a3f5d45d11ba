"""Tutorials and assessments as people meet them; the key is nowhere before it may be seen."""

from __future__ import annotations

import re

import pytest

from coindex.annotation_app import projects
from coindex.serving import RULES
from web_world import Browser, World, add_attempts

SECRET = "HIDDENID"
"""The id of the entity of the key: nothing that is sent before may have it."""


def begin(world: World, browser: Browser, document: int) -> str:
    """The path of the layer of an attempt."""
    location = browser.submit(f"/projects/{world.project}/documents/{document}/attempts").headers["location"]
    return location.removesuffix("/edit")


def annotate(browser: Browser, layer: str, *positions: int, entity: str) -> None:
    base = browser.get(f"{layer}/data").json()["revision"]
    edit = {"name": "add_mention", "arguments": {"positions": list(positions), "entity": entity}}
    sent = {"client": "a", "base": base, "operations": [{"sequence": base, "edits": [edit]}]}
    assert browser.submit_json(f"{layer}/operations", sent).status_code == 200


def test_from_the_tutorial_to_real_work(world: World) -> None:
    manager, annotator = world.browser("manager"), world.browser("annotator")
    base = f"/projects/{world.project}"
    document = add_attempts(world, kind="assessment")
    assert manager.submit(f"{base}/settings/assessment", metric="mentions", mark="90").status_code == 303
    assert "Pass mark: 90.0 %" in annotator.see(f"{base}/assessment")
    layer = begin(world, annotator, document)
    annotate(annotator, layer, 0, entity="tom")
    attempt = f"{base}/attempts/{world.attempts['annotator']}"
    assert annotator.submit(f"{attempt}/hand-in").status_code == 422, "one has to say that one is done"
    assert annotator.submit(f"{attempt}/hand-in", sure="yes").headers["location"] == attempt
    text = annotator.see(attempt)
    assert "Not passed" in text
    assert "66.7 %" in text, "one of two mentions, and nothing else"
    assert "<b>key</b>: “him”" in text
    assert "<b>answer</b>: no mention" in text
    assert annotator.submit(f"{base}/documents/{document}/attempts").status_code == 422
    assert annotator.submit(f"{attempt}/hand-in", sure="yes").status_code == 422
    assert manager.submit(f"{attempt}/again", sure="yes").status_code == 303
    layer = begin(world, annotator, document)
    assert annotator.get(f"{layer}/data").json()["document"]["entities"] == []
    annotate(annotator, layer, 0, entity="tom")
    annotate(annotator, layer, 8, entity="tom")
    (second,) = re.findall(rf"{base}/attempts/(\d+)/hand-in", annotator.see(f"{base}/assessment"))
    annotator.submit(f"{base}/attempts/{second}/hand-in", sure="yes")
    assert "<strong>Passed:</strong> 100.0 %" in annotator.see(f"{base}/attempts/{second}")
    assert "Next document" in annotator.see(f"{base}/work")
    assert "coindex|" in manager.see(f"{base}/attempts/{second}"), "every number has its signature"


def test_the_key_is_never_sent_before_handing_in(world: World) -> None:
    """Everything that can be asked for, as an annotator with an attempt that is not submitted."""
    document = add_attempts(world)
    annotator = world.browser("annotator")
    layer = begin(world, annotator, document)
    parts = {
        "project": world.project,
        "document": document,
        "layer": layer.rsplit("/", 1)[1],
        "assignment": world.assignments["annotator"],
        "attempt": world.attempts["annotator"],
        "user": world.users["annotator"],
    }
    asked = 0
    for rule in RULES:
        path = re.sub(r"\{(\w+)(:\w+)?\}", lambda found: str(parts.get(found[1], "x")), rule.path)
        for query in (
            "",
            "?for=editor",
            "?layers=imported&format=json",
            f"?layer={parts['layer']}&all=yes&start=imported",
        ):
            if rule.method == "GET":
                response = annotator.get(path + query)
            elif query or "hand-in" in path or path == "/logout":
                continue
            elif rule.body == "json":
                response = annotator.submit_json(path, {})
            else:
                response = annotator.submit(
                    path, sure="yes", start="imported", name="x", key="imported", kind="tutorial"
                )
            asked += response.status_code < 300
            assert SECRET not in response.text, (rule.method, path + query)
    assert asked > 20
    annotator.see(f"/projects/{world.project}/assessment")
    attempt = f"/projects/{world.project}/attempts/{world.attempts['annotator']}"
    assert annotator.get(attempt).status_code == 422
    annotator.submit(f"{attempt}/hand-in", sure="yes")
    assert "<b>key</b>: “Tom”" in annotator.see(attempt)


def test_attempts_of_others_need_a_permission(world: World) -> None:
    add_attempts(world)
    path = f"/projects/{world.project}/attempts/{world.attempts['adjudicator']}"
    assert world.browser("annotator").get(path).status_code == 404
    assert world.browser("viewer").get(path).status_code == 403
    assert world.browser("stranger").get(path).status_code == 404


def test_an_attempt_of_another_project_is_not_there(world: World) -> None:
    add_attempts(world)
    with world.store.write() as session:
        other = projects.add_project(session, "Dogs", manager=world.users["manager"]).id
    path = f"/projects/{other}/attempts/{world.attempts['annotator']}"
    assert world.browser("manager").get(path).status_code == 404
    assert world.browser("manager").submit(f"{path}/again", sure="yes").status_code == 404


def test_a_document_becomes_a_tutorial_and_an_ordinary_one_again(world: World) -> None:
    manager, annotator = world.browser("manager"), world.browser("annotator")
    base = f"/projects/{world.project}"
    path = f"{base}/documents/{world.document}/assessment"
    assert "assigned to an annotator" in manager.submit(path, kind="assessment", key="imported").text
    with world.store.write() as session:
        from coindex.document import Document

        (document,) = projects.add_documents(session, world.project, [Document.from_text("A cat slept.", id="new")])
        layer = projects.start_layer(session, document, name="key", owner=world.users["manager"]).id
    path = f"{base}/documents/{document}/assessment"
    assert "the key has no entities" in manager.submit(path, kind="tutorial", key="imported").text
    annotate(manager, f"{base}/documents/{document}/layers/{layer}", 0, 1, entity="cat")
    assert manager.submit(path, kind="tutorial", key=str(world.layers["manager"])).status_code == 422
    assert manager.submit(path, kind="tutorial", key=str(layer)).status_code == 303
    assert manager.submit(path, kind="exam", key=str(layer)).status_code == 422
    tutorial = begin(world, annotator, document)
    annotate(annotator, tutorial, 0, 1, entity="x")
    (number,) = re.findall(rf"{base}/attempts/(\d+)/hand-in", annotator.see(f"{base}/assessment"))
    annotator.submit(f"{base}/attempts/{number}/hand-in", sure="yes")
    assert "No differences" in annotator.see(f"{base}/attempts/{number}")
    assert "Try again" in annotator.see(f"{base}/assessment"), "a tutorial can be done again"
    assert manager.submit(path, kind="none").status_code == 303
    assert annotator.submit(f"{base}/documents/{document}/attempts").status_code == 422


def test_managers_let_somebody_work_without_it(world: World) -> None:
    add_attempts(world, kind="assessment")
    manager = world.browser("manager")
    base = f"/projects/{world.project}"
    assert "no, must pass first" in manager.see(f"{base}/assessment")
    path = f"{base}/members/{world.users['annotator']}/exempt"
    assert manager.submit(path, exempt="yes").status_code == 303
    assert "no, must pass first" not in manager.see(f"{base}/assessment")
    assert manager.submit(f"{base}/members/999/exempt", exempt="yes").status_code == 422


@pytest.mark.parametrize("fields", [{"mark": "101"}, {"mark": "x"}, {"metric": "b4"}, {"mark": "nan"}])
def test_a_mark_that_makes_no_sense_is_refused(world: World, fields: dict[str, str]) -> None:
    path = f"/projects/{world.project}/settings/assessment"
    sent = {"metric": "conll", "mark": "80", **fields}
    assert world.browser("manager").submit(path, **sent).status_code == 422
