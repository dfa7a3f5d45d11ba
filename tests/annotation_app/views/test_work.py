"""Pages of work: the queue, progress, dealing out, settings and schemas."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from coindex.annotation_app import assignments, projects
from coindex.annotation_app.layers import open_store
from coindex.annotation_app.models import Assignment, DocumentRow
from coindex.document import Document
from coindex.server.database import Store
from coindex.server.models import Project
from coindex.serving import app
from web_world import World, add_attempts, make_world


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.at = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.at

    def wait(self, days: float) -> None:
        self.at += timedelta(days=days)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def world(tmp_path: Path, clock: Clock) -> Iterator[World]:
    store = open_store(tmp_path / "web.db")
    made = make_world(store)
    made.app = app(store, clock=clock)
    yield made
    store.close()


def add_documents(world: World, *lengths: int) -> list[int]:
    with world.store.write() as session:
        texts = [Document.from_text("bird " * length, id=f"text {at}") for at, length in enumerate(lengths)]
        return projects.add_documents(session, world.project, texts)


def add_annotators(world: World, *names: str) -> dict[str, int]:
    from store_samples import plain_user

    with world.store.write() as session:
        found = {name: plain_user(session, name) for name in names}
        for user in found.values():
            projects.set_role(session, world.project, user, "annotator")
    return found


def given(store: Store) -> dict[tuple[str, int], str]:
    with store.read() as session:
        rows = session.query(Assignment, DocumentRow.name).join(DocumentRow, DocumentRow.id == Assignment.document_id)
        return {(name, row.user_id): row.state for row, name in rows}


# --- the queue


def test_from_one_document_to_the_next(world: World) -> None:
    add_documents(world, 3)
    annotator = world.browser("annotator")
    base = f"/projects/{world.project}"
    assert annotator.submit(f"{base}/work/next").headers["location"] == world.layer_path("annotator", "/edit")
    done = annotator.submit(f"{base}/assignments/{world.assignments['annotator']}", to="finish")
    assert done.status_code == 303
    edit = annotator.submit(f"{base}/work/next").headers["location"]
    assert annotator.get(edit).status_code == 200
    text = annotator.see(f"{base}/work")
    assert "text 0" in text
    assert "Continue" in text
    (mine,) = re.findall(rf"{base}/assignments/(\d+)/begin", text)
    assert annotator.submit(f"{base}/assignments/{mine}", to="return").status_code == 303
    assert "returned by the annotator" in annotator.see(f"{base}/work")
    assert annotator.submit(f"{base}/work/next").headers["location"] == f"{base}/work", "nothing is left"
    again = annotator.submit(f"{base}/assignments/{mine}", to="reopen")
    assert again.status_code == 422
    assert "request the next document" in again.text


def test_work_left_lying_returns_when_anybody_asks(world: World, clock: Clock) -> None:
    annotator, manager = world.browser("annotator"), world.browser("manager")
    base = f"/projects/{world.project}"
    assert "no activity" not in manager.see(f"{base}/progress")
    clock.wait(31)
    manager = world.browser("manager")
    assert "annotator: returned, no activity" in manager.see(f"{base}/progress")
    assert "no activity" in annotator.see(f"{base}/work")
    assert annotator.submit(f"{base}/assignments/{world.assignments['annotator']}/begin").status_code == 422
    assert annotator.submit(f"{base}/assignments/{world.assignments['annotator']}", to="finish").status_code == 422


def test_who_has_not_passed_is_led_to_the_assessment(world: World) -> None:
    add_attempts(world, kind="assessment")
    annotator = world.browser("annotator")
    base = f"/projects/{world.project}"
    assert "pass the assessment" in annotator.see(f"{base}/work")
    assert annotator.submit(f"{base}/work/next").headers["location"].endswith("/edit"), "what one has can be finished"
    annotator.submit(f"{base}/assignments/{world.assignments['annotator']}", to="finish")
    assert annotator.submit(f"{base}/work/next").headers["location"] == f"{base}/assessment"
    assert "not passed" in world.browser("manager").see(f"{base}/progress")


# --- dealing out


def test_the_plan_that_is_shown_is_the_plan_that_is_done(world: World) -> None:
    add_documents(world, 30, 20, 10)
    people = add_annotators(world, "bea", "cem")
    manager = world.browser("manager")
    fields = {"copies": "1", "seed": "3", "deadline": "2031-01-31", **{f"person-{id}": "yes" for id in people.values()}}
    path = f"/projects/{world.project}/dealing"
    assert "Assign automatically" in manager.see(path)
    text = manager.see(f"{path}?{'&'.join(f'{name}={value}' for name, value in fields.items())}")
    row = r'<th scope="row">(text \d)</th><td class="number">\d+</td><td class="number">0</td><td class="number">1</td>'
    planned = {(name, people[user]) for name, user in re.findall(rf"{row}<td>(\w+)</td>", text)}
    assert len(planned) == 3, "the other document has its annotators already"
    assert manager.submit(path, **fields).status_code == 303
    done = {key for key, state in given(world.store).items() if key[0].startswith("text") and state == "open"}
    assert done == planned
    loads = {
        user: sum(
            int(name[-1] == at) * words
            for name, to in done
            for at, words in (("0", 30), ("1", 20), ("2", 10))
            if to == user
        )
        for user in people.values()
    }
    assert set(loads.values()) == {30}
    assert manager.submit(path, **fields).status_code == 303
    assert len(given(world.store)) == 3 + 3, "nothing is given twice"


def test_some_documents_are_for_another_number_of_people(world: World) -> None:
    add_documents(world, 30, 20, 10)
    people = add_annotators(world, "bea", "cem")
    manager = world.browser("manager")
    base = f"/projects/{world.project}"
    manager.see(f"{base}/settings")
    kept = manager.submit(f"{base}/settings/work", copies="1", exceptions="text 2  2\n\ntext 1 0\n")
    assert kept.status_code == 303
    assert ">text 2 2\ntext 1 0\n</textarea>" in manager.see(f"{base}/settings")
    fields = {"copies": "1", "seed": "3", **{f"person-{id}": "yes" for id in people.values()}}
    assert "text 2…: 2, text 1…: 0" in manager.see(f"{base}/dealing")
    assert manager.submit(f"{base}/dealing", **fields).status_code == 303
    counts = Counter(name for name, _ in given(world.store) if name.startswith("text"))
    assert counts == {"text 0": 1, "text 2": 2}
    for wrong in ("text", "text x", "text 21", "3"):
        refused = manager.submit(f"{base}/settings/work", copies="1", exceptions=wrong)
        assert refused.status_code == 422, wrong


def test_who_has_not_passed_is_in_no_plan(world: World) -> None:
    add_documents(world, 5)
    add_attempts(world, kind="assessment")
    manager = world.browser("manager")
    path = f"/projects/{world.project}/dealing"
    assert "has not passed the assessment" in manager.see(path)
    refused = manager.submit(path, copies="1", seed="0", **{f"person-{world.users['annotator']}": "yes"})
    assert refused.status_code == 422
    assert "no annotators chosen" in refused.text
    by_hand = manager.submit(
        f"/projects/{world.project}/assignments", document="all", user=str(world.users["annotator"])
    )
    assert "has not passed the assessment yet" in by_hand.text


def test_too_few_people_are_reported(world: World) -> None:
    add_documents(world, 5)
    manager = world.browser("manager")
    one = f"person-{world.users['annotator']}=yes"
    text = manager.see(f"/projects/{world.project}/dealing?copies=3&seed=0&{one}")
    assert "text 0 (2 missing)" in text


@pytest.mark.parametrize(
    "change", [{"copies": "0"}, {"copies": "x"}, {"seed": ""}, {"deadline": "soon"}, {"deadline": "2020-01-31"}]
)
def test_a_plan_that_makes_no_sense_is_refused(world: World, change: dict[str, str]) -> None:
    fields = {"copies": "1", "seed": "0", f"person-{world.users['annotator']}": "yes", **change}
    assert world.browser("manager").submit(f"/projects/{world.project}/dealing", **fields).status_code == 422


# --- progress


def test_progress_shows_everybody_and_draws_without_styles(world: World, clock: Clock) -> None:
    manager, annotator = world.browser("manager"), world.browser("annotator")
    base = f"/projects/{world.project}"
    assert "Nothing is finished yet" in manager.see(f"{base}/progress")
    annotator.submit(f"{base}/assignments/{world.assignments['annotator']}", to="finish")
    clock.wait(3)
    world.browser("adjudicator").submit(f"{base}/assignments/{world.assignments['adjudicator']}", to="finish")
    text = manager.see(f"{base}/progress")
    assert text.count("<svg") == 2
    assert "annotator: done" in text
    assert re.search(r"<td class=\"number\">2 / 3</td>", text)
    for path in ("progress", "dealing", "settings", "schema", "assessment", "work"):
        page = manager.see(f"{base}/{path}")
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page), path


def test_many_documents_come_in_pages(world: World) -> None:
    add_documents(world, *[1] * 120)
    manager = world.browser("manager")
    first, second = (manager.see(f"/projects/{world.project}/progress?page={page}") for page in (1, 2))
    assert "text 5<" not in first or "text 5<" not in second
    assert "1 of 2" in first
    assert "2 of 2" in manager.see(f"/projects/{world.project}/progress?page=9999")


def test_the_overview_comes_in_pages_and_finds_names(world: World) -> None:
    add_documents(world, *[1] * 120)
    manager = world.browser("manager")
    path = f"/projects/{world.project}"
    first, second = manager.see(path), manager.see(f"{path}?page=2")
    assert "1 of 2" in first
    names = [
        re.findall(r'<th scope="row">((?:text \d+)|cats)</th><td class="number">', text) for text in (first, second)
    ]
    assert [len(found) for found in names] == [100, 21]
    assert len({*names[0], *names[1]}) == 121
    found = manager.see(f"{path}?named=TEXT 11")
    assert re.findall(r'<th scope="row">(text \d+)</th>', found) == ["text 11", *(f"text 11{n}" for n in range(10))]
    assert "No documents match." in manager.see(f"{path}?named=%25")
    assert "&amp;named=t" in manager.see(f"{path}?named=t")


# --- settings and schemas


def test_rules_of_work_are_kept(world: World) -> None:
    manager = world.browser("manager")
    path = f"/projects/{world.project}/settings"
    assert manager.submit(f"{path}/work", copies="3", idle_days="", deadline_days="14").status_code == 303
    text = manager.see(path)
    assert 'name="copies" type="number" min="1" max="20" value="3"' in text
    assert 'name="idle_days" type="number" min="1" max="3650" value=""' in text
    for wrong in (
        {"copies": ""},
        {"copies": "99"},
        {"copies": "1", "idle_days": "0"},
        {"copies": "1", "idle_days": "-3"},
    ):
        assert manager.submit(f"{path}/work", **wrong).status_code == 422


@pytest.mark.parametrize("name", ["rueval", "preco", "free"])
def test_a_ready_schema_reaches_the_editor(world: World, name: str) -> None:
    manager = world.browser("manager")
    assert manager.submit(f"/projects/{world.project}/settings/schema", schema=name, text="").status_code == 303
    sent = world.browser("annotator").get(world.layer_path("annotator", "/data")).json()["settings"]["schema"]
    assert sent["name"] == name
    functions = [one["values"] for one in sent["attributes"] if one["name"] == "func"]
    assert functions == ([["def", "indef", "pred", "appo", "ds", "misc", "meton"]] if name == "rueval" else [])
    assert "Rules" in world.browser("viewer").see(f"/projects/{world.project}/schema")


def test_a_schema_of_ones_own_or_why_not(world: World) -> None:
    manager = world.browser("manager")
    path = f"/projects/{world.project}/settings/schema"
    refused = manager.submit(path, schema="own", text='{"types": [1]}')
    assert refused.status_code == 422
    assert "types, number 1: 1; expected a text" in refused.text
    assert manager.submit(path, schema="none").status_code == 422
    assert manager.submit(path, schema="own", text=json.dumps({"types": ["<b>"]})).status_code == 303
    assert "&lt;b&gt;" in manager.see(f"/projects/{world.project}/schema")
    with world.store.read() as session:
        assert session.get_one(Project, world.project).settings["schema"]["types"] == ["<b>"]


def test_missing_heads_are_reported_before_finishing(world: World) -> None:
    manager, annotator = world.browser("manager"), world.browser("annotator")
    base = f"/projects/{world.project}"
    manager.submit(f"{base}/settings/schema", schema="rueval")
    operation = {"sequence": 0, "edits": [{"name": "add_mention", "arguments": {"positions": [2, 3]}}]}
    sent = {"client": "a", "base": 0, "operations": [operation]}
    assert annotator.submit_json(world.layer_path("annotator", "/operations"), sent).status_code == 200
    path = f"{base}/assignments/{world.assignments['annotator']}"
    warned = annotator.submit(path, to="finish")
    assert warned.status_code == 422
    assert "sentence 1, &#39;her cat&#39;: no head" in warned.text
    assert given(world.store)["cats", world.users["annotator"]] == "started"
    assert annotator.submit(path, to="finish", anyway="yes").status_code == 303
    assert given(world.store)["cats", world.users["annotator"]] == "done"


def test_a_document_is_taken_up_after_a_manager_gives_it_again(world: World) -> None:
    manager, annotator = world.browser("manager"), world.browser("annotator")
    base = f"/projects/{world.project}"
    path = f"{base}/assignments/{world.assignments['annotator']}"
    annotator.submit(path, to="return")
    assert manager.submit(path, to="reopen").status_code == 303
    with world.store.read() as session:
        row = session.get_one(Assignment, world.assignments["annotator"])
        assert (row.state, row.reason) == ("started", None)
        assert assignments.overdue(session, world.project) == []
