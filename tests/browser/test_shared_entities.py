"""Entities across documents in a real browser: a candidate of another document becomes an entity of this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

from coindex.document import Document
from editor_world import EditorPage


def test_from_one_document_to_the_next(browse: Callable[..., Any], world: Any) -> None:
    tab = browse().new_page()
    tab.goto(f"{world.address}/projects/{world.project}/settings")
    tab.get_by_label("Entities can occur in several documents").select_option("yes")
    tab.locator("form[action$='/settings/shared'] button").click()
    tab.wait_for_load_state()
    evening, morning = (Document.from_text(text, id="tale") for text in ("Tom slept.", "He woke."))
    first, second = world.add(evening), world.add(morning)

    page = EditorPage(tab).open(first)
    page.press("n")
    page.saved()
    page.open(second)
    tab.get_by_role("heading", name="In other documents").wait_for()
    assert page.names() == ["Tom"]
    page.click(0)
    page.button("Link to Tom").click()
    page.click(1)
    page.press("n")
    page.saved()
    other = EditorPage(tab.context.new_page()).open(first)
    other.click(1)
    other.press("n")
    other.saved()
    assert "slept" not in page.names()
    tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # as when one comes back to the tab
    tab.get_by_role("button", name="Link to slept").wait_for()
    other.press("Delete")
    other.saved()
    assert world.marked(first) == {"tale 1_e1": ["Tom"]}
    assert world.marked(second) == {"tale 1_e1": ["He"], "tale 2_e1": ["woke"]}
