"""The JSON API of layers: data, operations and conflicts; bad requests are reported and store nothing."""

from __future__ import annotations

from typing import Any

import pytest

from coindex.annotation_app.models import Layer
from coindex.annotation_app.packing import unpack
from store_samples import TEXT, mark
from web_world import Browser, World


def batch(base: int, *operations: Any, client: str = "tab-1", **more: Any) -> dict[str, Any]:
    return {"client": client, "base": base, "operations": [one.to_json() for one in operations], **more}


@pytest.fixture
def annotator(world: World) -> Browser:
    return world.browser("annotator")


@pytest.fixture
def path(world: World) -> str:
    return world.layer_path("annotator")


def test_data_is_the_document_and_its_state(annotator: Browser, path: str) -> None:
    data = annotator.get(f"{path}/data").json()
    assert unpack(data["document"]).text == TEXT
    assert (data["revision"], data["can_undo"], data["can_redo"], data["is_editable"]) == (0, False, False, True)
    assert data["form_token"] == annotator.token
    assert data["layer"]["name"] == "annotator"


def test_operations_are_appended_and_acknowledged(annotator: Browser, path: str) -> None:
    sent = batch(0, mark(0, 0), mark(1, 5, entity="e1"))
    answer = annotator.submit_json(f"{path}/operations", sent)
    assert answer.status_code == 200, answer.text
    assert answer.json()["revision"] == 2
    assert [step["sequence"] for step in answer.json()["steps"]] == [0, 1]
    assert annotator.submit_json(f"{path}/operations", sent).json() == answer.json()
    data = annotator.get(f"{path}/data").json()
    assert data["can_undo"]
    assert data["document"]["entities"] == [["e1", [[[0, 1]], [[5, 6]]]]]
    undone = annotator.submit_json(f"{path}/operations", batch(2) | {"operations": [{"sequence": 2, "kind": "undo"}]})
    (step,) = undone.json()["steps"]
    assert step["edits"] == [{"name": "remove_mention", "arguments": {"entity": "e1", "positions": [5]}}]
    assert (step["can_undo"], step["can_redo"]) == (True, True)
    log = annotator.get(f"{path}/operations?since=1").json()["steps"]
    assert [(step["revision"], step["kind"]) for step in log] == [(2, "edit"), (3, "undo")]


def test_a_second_tab_gets_a_conflict_and_can_take_over(annotator: Browser, path: str) -> None:
    annotator.submit_json(f"{path}/operations", batch(0, mark(0, 0)))
    late = batch(0, mark(0, 1), client="tab-2")
    answer = annotator.submit_json(f"{path}/operations", late)
    assert answer.status_code == 409
    assert (answer.json()["base"], answer.json()["revision"]) == (0, 1)
    answer = annotator.submit_json(f"{path}/operations", late | {"take_over": True})
    assert (answer.status_code, answer.json()["revision"]) == (200, 3)
    assert annotator.get(f"{path}/data").json()["document"]["entities"] == [["e1", [[[1, 2]]]]]


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"client": 1, "base": 0, "operations": []},
        {"client": "a", "base": -1, "operations": []},
        {"client": "a", "base": True, "operations": []},
        {"client": "a", "base": 0, "operations": []},
        {"client": "a", "base": 0, "operations": {}},
        {"client": "a", "base": 0, "operations": [{"sequence": 0, "edits": [{"name": "x", "arguments": {}}]}]},
        {"client": "a", "base": 9, "operations": [{"sequence": 0, "kind": "undo"}]},
        {"client": "a", "base": 0, "operations": [{"sequence": 0, "kind": "undo"}] * 1001},
        {"client": "a", "base": 0, "operations": [], "more": 1},
    ],
)
def test_errors_are_reported(annotator: Browser, path: str, body: object) -> None:
    answer = annotator.submit_json(f"{path}/operations", body)
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert annotator.get(f"{path}/data").json()["revision"] == 0


def test_the_operation_that_does_not_fit_is_named(annotator: Browser, path: str) -> None:
    answer = annotator.submit_json(f"{path}/operations", batch(0, mark(0, 0), mark(1, 99)))
    assert (answer.status_code, answer.json()["sequence"]) == (422, 1)


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_not_json(annotator: Browser, path: str, content: bytes) -> None:
    answer = annotator.post(f"{path}/operations", content=content, headers={"x-form-token": annotator.token})
    assert answer.status_code == 400


def test_too_large_a_body_is_refused(annotator: Browser, path: str) -> None:
    answer = annotator.post(f"{path}/operations", content=b" " * (9 << 20), headers={"x-form-token": annotator.token})
    assert answer.status_code == 413


def test_a_finished_layer_takes_nothing(world: World, annotator: Browser, path: str) -> None:
    assignment = f"/projects/{world.project}/assignments/{world.assignments['annotator']}"
    assert annotator.submit(assignment, to="finish").status_code == 303
    assert not annotator.get(f"{path}/data").json()["is_editable"]
    answer = annotator.submit_json(f"{path}/operations", batch(0, mark(0, 0)))
    assert (answer.status_code, "finished" in answer.json()["error"]) == (422, True)
    assert answer.json()["code"] == "wrong-state"
    assert annotator.submit(assignment, to="reopen").status_code == 303
    assert annotator.submit_json(f"{path}/operations", batch(0, mark(0, 0))).status_code == 200


def test_since_must_be_a_revision(annotator: Browser, path: str) -> None:
    assert annotator.get(f"{path}/operations?since=x").status_code == 422


def test_publishing_shows_a_layer_to_viewers(world: World, path: str) -> None:
    viewer, manager = world.browser("viewer"), world.browser("manager")
    assert viewer.get(f"{path}/data").status_code == 404
    assert manager.submit(f"{path}/publish", published="yes").status_code == 303
    assert not viewer.get(f"{path}/data").json()["is_editable"]
    with world.store.read() as session:
        assert session.get_one(Layer, world.layers["annotator"]).is_published
