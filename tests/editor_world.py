"""The editor in a real browser over a running server; `browser/conftest.py` has the fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coindex.annotation_app import projects
from coindex.annotation_app.layers import open_store
from coindex.document import Document
from coindex.server import accounts
from coindex.server.database import Store
from coindex.serving import app
from serving_world import quick_passwords, serving

PASSWORD = "a long password"
MOVED = "requestAnimationFrame(() => requestAnimationFrame(done))"


@dataclass
class EditorWorld:
    """A server with one annotator, who has a project."""

    store: Store
    address: str
    user: int
    project: int
    layers: dict[str, int] = field(default_factory=dict)

    def add(self, doc: Document, *, owner: bool = True) -> str:
        """A layer of a new document that begins with its entities; the address of its editor."""
        with self.store.write() as session:
            name = f"{doc.id or 'document'} {len(self.layers) + 1}"
            (document,) = projects.add_documents(session, self.project, [doc.replace(id=name)])
            user = self.user if owner else None
            layer = projects.start_layer(session, document, name="Ann's", owner=user, with_entities=True)
            url = f"{self.address}/projects/{self.project}/documents/{document}/layers/{layer.id}/edit"
            self.layers[url] = layer.id
            return url

    def set_settings(self, **settings: Any) -> None:
        from coindex.server.models import Project

        with self.store.write() as session:
            project = session.get_one(Project, self.project)
            project.settings = {**project.settings, **settings}

    def document(self, url: str) -> Document:
        """What the server has."""
        return self.store.layers.document_at(self.layers[url])

    def marked(self, url: str) -> dict[str, list[str]]:
        """The texts of each entity's mentions, as the server has them."""
        return {entity.id: [mention.text for mention in entity.mentions] for entity in self.document(url).entities}


@contextmanager
def running(folder: Path) -> Iterator[EditorWorld]:
    """A server that runs in a thread."""
    store = open_store(folder / "editor.db")
    with quick_passwords(), store.write() as session:
        user = accounts.add_user(session, "Ann", PASSWORD)
        project = projects.add_project(session, "Cats", manager=user.id)
        world = EditorWorld(store, "", user.id, project.id)
    with quick_passwords(), serving(app(store)) as world.address:
        yield world
    store.close()


class EditorPage:
    """A tab with the editor in it, and what people do there."""

    def __init__(self, tab: Any) -> None:
        self.tab = tab
        self.text = tab.locator("#text")

    def open(self, url: str) -> EditorPage:
        self.tab.goto(url)
        self.tab.wait_for_selector("#editor.ready")
        return self

    def word(self, at: int) -> Any:
        return self.tab.locator("#text i").nth(at)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tab.keyboard.press(key)
        self.settle()

    def settle(self) -> None:
        """Until the picture shows what was done."""
        self.tab.evaluate(f"new Promise(done => {MOVED})")

    def drag(self, first: int, last: int, *, alt: bool = False) -> None:
        if alt:
            self.tab.keyboard.down("Alt")
        self.word(first).hover()
        self.tab.mouse.down()
        self.word(last).hover()
        self.tab.mouse.up()
        if alt:
            self.tab.keyboard.up("Alt")
        self.settle()

    def click(self, at: int) -> None:
        self.word(at).click()
        self.settle()

    def button(self, name: str) -> Any:
        return self.tab.get_by_role("button", name=name, exact=True)

    def chosen(self) -> str:
        return self._words("selected")

    def held(self) -> str:
        return self._words("held")

    def _words(self, name: str) -> str:
        words = self.tab.eval_on_selector_all(f"#text i.{name}", "all => all.map(word => word.textContent.trim())")
        return " ".join(words)

    def state(self) -> str:
        return self.tab.locator(".state").inner_text()

    def saved(self) -> None:
        """Until the server has everything."""
        self.settle()
        self.tab.wait_for_selector(".state.saved")

    def message(self) -> str:
        return self.tab.locator("#message").inner_text()

    def said(self) -> str:
        return self.tab.locator("#announcement").inner_text()

    def names(self) -> list[str]:
        """The names in the list of entities."""
        return self.tab.locator(".entities li .name").all_inner_texts()

    def dialog(self) -> str:
        return self.tab.locator("dialog h2").inner_text()
