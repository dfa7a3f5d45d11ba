"""The whole life of a project, in a browser and with the real server: from the set-up link to the exported corpus."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

import coindex
from coindex.document import Document
from editor_world import PASSWORD, EditorPage

TEXT = "Mira planted a pear tree. She watered it every day. The tree thanked her."
#       0    1       2 3    4   5 6   7       8  9     10 11 12  13   14      15 16
OTHER = "Two birds moved in. They sang until noon."
GARDEN = {frozenset({"0", "6", "15"}), frozenset({"2-4", "8", "12-13"})}
BENS = {frozenset({"0", "6"}), frozenset({"3-4", "8", "12-13"})}


@pytest.fixture
def link(tmp_path: Path) -> Iterator[str]:
    """The set-up link that the first start of the server prints."""
    with subprocess.Popen(
        [sys.executable, "-m", "coindex", "serve", "--port", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout is not None
        yield [server.stdout.readline() for _ in range(3)][2].strip()
        server.send_signal(signal.SIGINT)


class Person:
    """Somebody with a browser of their own."""

    def __init__(self, chromium: Any, link: str, name: str) -> None:
        """Opens a link that works once, and makes an account with it."""
        self.context = chromium.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
        self.wrong: list[str] = []
        self.context.on("weberror", lambda error: self.wrong.append(str(error.error)))
        self.tab = self.context.new_page()
        self.address = "/".join(link.split("/")[:3])
        self.tab.goto(link)
        self.tab.get_by_label("Name").fill(name)
        self.tab.locator("[name=password]").fill(PASSWORD)
        self.tab.locator("[name=again]").fill(PASSWORD)
        self.press("", within="main")
        self.tab.get_by_role("link", name=name, exact=True).wait_for()

    def press(self, name: str, *, within: str = "body") -> None:
        self.tab.locator(within).get_by_role("button", name=name).click()

    def see(self, name: str) -> None:
        """To a page, by its link."""
        self.tab.get_by_role("link", name=name, exact=True).first.click()

    def project(self, name: str = "Orchard") -> None:
        self.tab.goto(f"{self.address}/")
        self.see(name)
        self.tab.get_by_role("heading", name=name).wait_for()

    def make_project(self, name: str) -> None:
        self.tab.goto(f"{self.address}/")
        self.tab.get_by_label("Name").fill(name)
        self.press("Create project")
        self.tab.get_by_role("heading", name=name).wait_for()

    def invite(self, role: str) -> str:
        self.project()
        form = self.tab.locator("form[action$='/invitations']")
        form.get_by_label("Role").select_option(role)
        form.get_by_role("button").click()
        invitation: str = self.tab.get_by_label("Link").input_value()
        return invitation

    def bring_in(self, files: list[Path], format: str) -> None:
        self.tab.set_input_files("input[type=file]", files)
        self.tab.locator("form[action$='/imports']").get_by_label("Format").select_option(format)
        self.press("Preview import")
        self.tab.get_by_role("button", name="Import", exact=True).click()
        self.tab.get_by_role("heading", name="Export").wait_for()

    def export(self, layers: str, folder: Path) -> Path:
        form = self.tab.locator("form[action$='/export']")
        form.get_by_label("Layers").select_option(label=layers)
        with self.tab.expect_download() as download:
            form.get_by_role("button").click()
        path = folder / f"{re.sub(r'[^a-z]', '', layers.lower())}.json"
        download.value.save_as(path)
        return path

    def annotate(self) -> EditorPage:
        self.project()
        self.press("Annotate garden")
        self.tab.wait_for_selector("#editor.ready")
        page = EditorPage(self.tab)
        page.url = self.tab.url
        return page

    def finish(self) -> None:
        self.project()
        self.press("Submit garden")
        self.tab.get_by_role("button", name="Reopen garden").wait_for()


def entities(doc: Document) -> set[frozenset[str]]:
    """Each entity as the places of its mentions: "3-4", "6"."""
    return {
        frozenset("-".join(map(str, dict.fromkeys((one.positions[0], one.positions[-1])))) for one in entity.mentions)
        for entity in doc.entities
    }


def step_to(page: EditorPage, at: int) -> None:
    """With the arrow keys alone."""
    caret = "[...document.querySelectorAll('#text i')].findIndex(word => word.classList.contains('caret'))"
    while (here := page.tab.evaluate(caret)) != at:
        page.press("ArrowRight" if here < at else "ArrowLeft")


def annotate_by_mouse(ada: Person) -> None:
    page = ada.annotate()
    page.drag(0, 0)
    page.press("Enter")
    for at in (6, 15):
        page.drag(at, at)
        page.button("Link to Mira").click()
    page.drag(2, 4)
    page.press("Enter")
    for first, last in ((8, 8), (12, 13)):
        page.drag(first, last)
        page.button("Link to a pear tree").click()
    page.saved()


def annotate_by_keyboard(ben: Person) -> None:
    page = ben.annotate()
    page.press("n")
    step_to(page, 6)
    page.press("Space")
    step_to(page, 3)
    page.press("Shift+ArrowRight", "n")
    step_to(page, 8)
    page.press("Space")
    step_to(page, 12)
    page.press("Shift+ArrowRight", "Space")
    page.saved()


def annotate_through_conflict_and_cut_network(cleo: Person) -> None:
    first = cleo.annotate()
    second = EditorPage(cleo.context.new_page()).open(first.url)
    second.tab.on("dialog", lambda dialog: dialog.accept())  # leave although something is not saved
    first.click(0)
    first.press("n")
    first.saved()
    second.drag(2, 4)
    second.press("n")
    second.tab.wait_for_selector("dialog")
    assert second.dialog() == "This layer was changed elsewhere"
    second.button("Reload").click()
    second.tab.wait_for_selector("dialog h2:text-is('Unsaved changes')")
    second.button("Reapply").click()
    second.saved()
    assert second.names() == ["Mira", "a pear tree"]
    cleo.context.set_offline(True)
    for at, name in ((6, "Mira"), (15, "Mira"), (8, "a pear tree")):
        second.drag(at, at)
        second.button(f"Link to {name}").click()
    second.drag(12, 13)
    second.press("Space")
    second.tab.wait_for_selector(".state.offline")
    cleo.context.set_offline(False)
    second.saved()
    second.tab.close()


def check_agreement(dora: Person) -> None:
    dora.project()
    dora.see("Agreement")
    pairs = dora.tab.locator("tr", has=dora.tab.get_by_role("rowheader", name=re.compile("Ada.*Cleo")))
    assert "100.00" in pairs.first.inner_text()
    other = dora.tab.locator("tr", has=dora.tab.get_by_role("rowheader", name=re.compile("Ada.*Ben")))
    assert "100.00" not in other.first.inner_text()


def adjudicate(dora: Person) -> None:
    """Ada's answer everywhere, by keyboard."""
    dora.project()
    dora.tab.get_by_role("link", name="Compare the layers of garden").click()
    dora.tab.get_by_role("checkbox", name="Cleo").uncheck()
    dora.tab.get_by_role("button", name="Compare", exact=True).click()
    dora.tab.get_by_label("Layer name").fill("gold")
    dora.press("Resolve differences")
    total = int(dora.tab.locator("#left").inner_text())
    assert total == 2  # the article of the tree, and "her"
    for left in range(total - 1, -1, -1):
        dora.tab.keyboard.press("1")
        dora.tab.locator("#left", has_text=re.compile(f"^{left}$")).wait_for()
    dora.press("Finish")
    dora.tab.get_by_role("heading", name="Orchard").wait_for()


def vote(dora: Person) -> None:
    dora.project()
    dora.see("Quality")
    for name in ("Ada", "Ben", "Cleo"):
        dora.tab.get_by_role("checkbox", name=name).check()
    dora.tab.get_by_label("Result name").fill("ABC")
    dora.press("Create vote")
    dora.tab.get_by_role("rowheader", name="ABC").wait_for()


def test_from_the_set_up_link_to_the_corpus(chromium: Any, link: str, tmp_path: Path) -> None:
    root = Person(chromium, link, "Root")
    root.make_project("Orchard")
    files = [tmp_path / "garden.txt", tmp_path / "birds.txt"]
    for file, text in zip(files, (TEXT, OTHER), strict=True):
        file.write_text(text)
    root.bring_in(files, "text")
    roles = {"Ada": "annotator", "Ben": "annotator", "Cleo": "annotator", "Dora": "adjudicator"}
    people = {name: Person(chromium, root.invite(role), name) for name, role in roles.items()}
    for name in ("Ada", "Ben", "Cleo"):
        root.project()
        root.tab.locator("form[action$='/assignments']").get_by_label("Annotator").select_option(label=name)
        root.press("Assign", within="form[action$='/assignments']")
        root.tab.get_by_role("row", name=f"garden {name}").wait_for()
    annotate_by_mouse(people["Ada"])
    annotate_by_keyboard(people["Ben"])
    annotate_through_conflict_and_cut_network(people["Cleo"])
    for name in ("Ada", "Ben", "Cleo"):
        people[name].finish()

    dora = people["Dora"]
    check_agreement(dora)
    adjudicate(dora)
    vote(dora)

    dora.project()
    expected = {"Ada": GARDEN, "Ben": BENS, "Cleo": GARDEN, "gold (adjudication)": GARDEN, "ABC (vote)": GARDEN}
    for layers, marked in expected.items():
        garden = next(doc for doc in coindex.read(dora.export(layers, tmp_path)) if doc.id == "garden")
        assert (garden.text, entities(garden)) == (TEXT, marked), layers

    root.make_project("Again")
    exported = tmp_path / "abcvote.json"
    root.bring_in([exported], "json")
    again = root.export("as imported", tmp_path)
    assert list(coindex.read(again)) == list(coindex.read(exported))

    for person in (root, *people.values()):
        person.context.close()
        assert person.wrong == []
