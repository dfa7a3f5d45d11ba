"""The editor and the server: a cut network, two tabs, reloads, log-outs. Nothing is lost."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

from coindex.document import Document
from editor_world import PASSWORD, EditorPage

TEXT = "Ann saw Bob. She met his dog. It barked at her."


@pytest.fixture
def page(editor):
    made = editor(Document.from_text(TEXT, id="saving"))
    made.tab.on("dialog", lambda dialog: dialog.accept())  # leave although something is not saved
    return made


def mark(page: EditorPage, at: int) -> None:
    page.click(at)
    page.press("n")


def reopen(page: EditorPage) -> None:
    page.open(page.url)


class TestOffline:
    def test_edits_go_on_and_are_sent_when_the_network_is_back(self, page, world):
        mark(page, 0)
        page.saved()
        page.tab.context.set_offline(True)
        mark(page, 2)
        page.tab.wait_for_selector(".state.offline")
        mark(page, 4)
        page.press("Control+z")
        assert "3 changes kept in this browser" in page.state()
        assert page.names() == ["Ann", "Bob"]
        assert world.marked(page.url) == {"e1": ["Ann"]}
        page.tab.context.set_offline(False)
        page.saved()
        assert world.marked(page.url) == {"e1": ["Ann"], "e2": ["Bob"]}

    def test_a_page_that_is_closed_offline_has_lost_nothing(self, page, world):
        page.tab.context.set_offline(True)
        mark(page, 0)
        mark(page, 2)
        page.tab.wait_for_selector(".state.offline")
        page.tab.goto("about:blank")
        page.tab.context.set_offline(False)
        reopen(page)
        assert world.marked(page.url) == {"e1": ["Ann"], "e2": ["Bob"]}
        assert page.names() == ["Ann", "Bob"]
        assert page.tab.evaluate("localStorage.length") == 0
        page.button("Undo").click()  # they are in the log as if nothing had happened
        page.saved()
        assert world.marked(page.url) == {"e1": ["Ann"]}

    def test_operations_with_a_lost_acknowledgement_are_applied_once(self, page, world):
        page.tab.route("**/operations", lambda route: (route.fetch(), route.abort()))
        mark(page, 0)
        page.tab.wait_for_selector(".state.offline")
        assert world.marked(page.url) == {"e1": ["Ann"]}
        page.tab.unroute("**/operations")
        mark(page, 2)
        page.saved()
        assert world.marked(page.url) == {"e1": ["Ann"], "e2": ["Bob"]}
        assert len(world.store.layers.log(world.layers[page.url])) == 2

    def test_what_was_done_before_the_page_was_opened_waits_for_the_server(self, page, world):
        mark(page, 0)
        page.saved()
        reopen(page)
        page.tab.context.set_offline(True)
        mark(page, 2)
        page.press("Control+z")
        page.tab.wait_for_selector(".state.offline")
        page.press("Control+z")
        assert "while offline" in page.message()
        assert page.names() == ["Ann"]
        page.tab.context.set_offline(False)
        page.saved()
        page.press("Control+z")
        page.saved()
        assert world.marked(page.url) == {}


class TestTwoTabs:
    @pytest.fixture
    def tabs(self, page):
        second = EditorPage(page.tab.context.new_page())
        second.tab.on("dialog", lambda dialog: dialog.accept())
        second.url = page.url
        second.open(page.url)
        mark(page, 0)
        page.saved()
        mark(second, 2)
        second.tab.wait_for_selector("dialog")
        assert second.dialog() == "This layer was changed elsewhere"
        assert "1 change was made" in second.tab.locator("dialog").inner_text()
        return page, second

    def test_reload_and_put_on_top(self, tabs, world):
        _, second = tabs
        second.button("Reload").click()
        second.tab.wait_for_selector("#editor.ready")
        assert second.names() == ["Ann"]
        assert second.dialog() == "Unsaved changes"
        second.button("Reapply").click()
        second.settle()
        second.saved()
        assert world.marked(second.url) == {"e1": ["Ann"], "e2": ["Bob"]}  # both tabs had called theirs e1

    def test_reload_and_ask_later(self, tabs, world):
        _, second = tabs
        second.button("Reload").click()
        second.tab.wait_for_selector("dialog")
        second.button("Ask later").click()
        assert second.tab.locator("dialog").count() == 0
        reopen(second)
        assert second.dialog() == "Unsaved changes"
        second.button("Discard").click()
        assert world.marked(second.url) == {"e1": ["Ann"]}
        reopen(second)
        assert second.tab.locator("dialog").count() == 0

    def test_take_over(self, tabs, world):
        first, second = tabs
        second.button("Overwrite").click()
        second.saved()
        assert world.marked(second.url) == {"e1": ["Bob"]}
        assert second.names() == ["Bob"]
        mark(first, 4)  # now the first is the one behind
        first.tab.wait_for_selector("dialog")
        second.press("Control+z")
        second.saved()
        second.press("Control+z")
        second.saved()
        assert world.marked(second.url) == {"e1": ["Ann"]}  # what was taken back is there again
        assert second.names() == ["Ann"]

    def test_changes_that_do_not_fit_are_given_back(self, page, world):
        mark(page, 0)
        page.saved()
        second = EditorPage(page.tab.context.new_page())
        second.tab.on("dialog", lambda dialog: dialog.accept())
        second.open(page.url)
        page.click(0)
        page.press("Delete")
        page.saved()
        second.click(0)
        second.press("h")
        second.tab.wait_for_selector("dialog")
        second.button("Reload").click()
        second.tab.wait_for_selector("dialog")
        second.button("Reapply").click()
        second.settle()
        assert second.dialog() == "Some changes no longer fit"
        with second.tab.expect_download() as download:
            second.tab.get_by_text("Download as a file").click()
        assert "set_head" in download.value.path().read_text()
        second.button("Close").click()
        assert world.marked(page.url) == {}


def test_after_another_login_the_work_goes_on(editor, log_in, world):
    page = editor(Document.from_text(TEXT, id="login"), storage_state=log_in())
    other = page.tab.context.new_page()
    other.goto(f"{world.address}/")
    other.click("text=Log out")
    mark(page, 0)
    page.tab.wait_for_selector(".state.signed-out")
    assert "kept in this browser" in page.state()
    other.goto(f"{world.address}/login")
    other.fill("input[name=name]", "Ann")
    other.fill("input[name=password]", PASSWORD)
    other.locator("main button").click()
    page.saved()
    assert world.marked(page.url) == {"e1": ["Ann"]}


def test_a_change_that_the_server_refuses(page, world):
    edit = {"name": "link", "arguments": {"entity": "x", "positions": [0], "to": "y"}}
    page.tab.evaluate("edit => document.getElementById('editor').coindex.sync.push('edit', [edit])", edit)
    page.tab.wait_for_selector("dialog")
    assert page.dialog() == "The server refused a change"
    assert "no entity" in page.tab.locator("dialog").inner_text()


def test_a_layer_without_an_owner_is_read_only(browse, world):
    page = EditorPage(browse().new_page())
    doc = Document.from_text(TEXT, id="reading")
    page.open(world.add(doc, owner=False))
    assert page.state() == "Read-only"
    page.click(0)
    page.press("n")
    assert page.message() == "This layer is read-only."
    assert page.tab.get_by_role("button", name="Undo").count() == 0
