"""Work, progress, dealing out, settings and assessments in a real browser: by clicks, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

from coindex.annotation_app import assessments, assignments, projects
from coindex.document import Document
from coindex.document.edits import add_mention
from store_samples import mark, plain_user

PAGES = ("", "/work", "/progress", "/dealing?copies=2&seed=0&PEOPLE", "/settings", "/schema", "/assessment", "/history")


@pytest.fixture(scope="module")
def people(world: Any) -> str:
    """Ann and three others have done some documents over some weeks; a tutorial waits. Who a plan may be for."""
    text = "Ann saw a bird. She fed it. It sang."
    key = add_mention(add_mention(Document.from_text(text, id="practice"), [0], entity="ann"), [5], entity="ann")
    start = datetime.now(UTC) - timedelta(days=20)
    with world.store.write() as session:
        users = [plain_user(session, name) for name in ("Bea", "Cem", "Dunja with a rather long name")]
        for user in users:
            projects.set_role(session, world.project, user, "annotator")
        texts = [Document.from_text(f"{text} " * (at + 3), id=f"text {at:02}") for at in range(12)]
        documents = projects.add_documents(session, world.project, [*texts, key])
        for at, document in enumerate(documents[:9]):
            given = assignments.assign(session, document, users[at % 3], at=start)
            if at < 7:
                assignments.begin(session, given, at=start)
            if at < 5:
                assignments.finish(session, given, at=start + timedelta(days=at * at))
        mine = assignments.assign(session, documents[9], world.user, deadline=start + timedelta(days=60))
        layer = assignments.begin(session, mine).id
        assessments.make(session, documents[-1], "tutorial", key)
    world.store.layers.append(layer, 0, [mark(0, 0)], client="a")
    return "&".join(f"person-{user}=yes" for user in users)


def test_a_tutorial_from_begin_to_feedback(browse: Callable[..., Any], world: Any, people: str) -> None:
    tab = browse().new_page()
    tab.goto(f"{world.address}/projects/{world.project}/assessment")
    tab.get_by_role("button", name="Start with practice").click()
    tab.wait_for_url("**/edit")
    tab.goto(f"{world.address}/projects/{world.project}/assessment")
    tab.get_by_label("I have finished").check()
    tab.get_by_role("button", name="Submit practice").click()
    tab.wait_for_url("**/attempts/*")
    assert "You would not pass yet" in tab.locator("main").inner_text()
    assert tab.locator(".difference").count() == 2
    colours = tab.locator(".mark").evaluate_all("marks => marks.map(one => getComputedStyle(one).borderBottomColor)")
    assert len(colours) == 2
    assert len(set(colours)) == 1, "one entity, one colour"


def test_from_settings_to_a_plan_that_is_done(browse: Callable[..., Any], world: Any, people: str) -> None:
    tab = browse().new_page()
    base = f"{world.address}/projects/{world.project}"
    tab.goto(f"{base}/settings")
    tab.get_by_label("RU-EVAL 2014: markables of Russian").check()
    tab.get_by_role("button", name="Save schema").click()
    tab.wait_for_url("**/schema")
    assert "semantic head" in tab.locator("main").inner_text()
    tab.get_by_role("link", name="Assign automatically").click()
    tab.get_by_label("Annotators per document").fill("2")
    tab.get_by_role("button", name="Preview assignments").click()
    button = tab.get_by_role("button", name="Create these 14 assignments")
    button.click()
    tab.wait_for_url("**/progress")
    assert tab.locator("svg.chart").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_the_pages(
    browse: Callable[..., Any], world: Any, people: str, serious: Callable[[Any], list[str]], scheme: str
) -> None:
    tab = browse(color_scheme=scheme).new_page()
    base = f"{world.address}/projects/{world.project}"
    tab.goto(f"{base}/assessment")
    attempts = [f"/attempts/{link.get_attribute('href').rsplit('/', 1)[1]}" for link in tab.locator("main li a").all()]
    for path in (*PAGES, *attempts[:1]):
        tab.goto(base + path.replace("PEOPLE", people))
        assert serious(tab) == [], path
