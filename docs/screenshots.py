"""Take the pictures of the web app and of the HTML view: `python docs/screenshots.py` writes them to docs/images.

It needs Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import uvicorn

import coindex
from coindex.annotation_app import assignments, projects
from coindex.annotation_app.layers import Operation, open_store
from coindex.annotation_app.projects import WorkRules, set_work_rules
from coindex.document import Document
from coindex.document.edit_log import Edit
from coindex.server import accounts
from coindex.server.database import Store
from coindex.serving import app
from coindex.sockets import listen

IMAGES = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parents[1] / "examples"
PASSWORD = "a long password"
SIZE = {"width": 1200, "height": 760}
STORY_SIZE = {"width": 1180, "height": 530}
TOPS = {"agreement": "h2:text-is('Pairs of annotators')", "comparison": "form[action$='/adjudications']"}
"""What stands at the top of a picture, where that is not the top of the page."""
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
TEXT = (
    "Ida kept the lighthouse at Cape Thorn. Every evening she climbed its stairs and lit the lamp.\n\n"
    "One night the fishermen saw no light. They rowed across the bay and found the keeper asleep beside her books. "
    "The old lamp had gone out.\n\n"
    "She laughed, trimmed it, and gave them tea until the storm was over."
)
NAMES = {"beacon": "Nora", "signal": "Greta", "tower": "Lena", "shore": "Ruth", "pier": "Olga", "lighthouse": "Ida"}

Marks = Mapping[str, Sequence[str]]
"""The mentions of each entity, each at its first place in the text; KEEPER is the name."""
ALMA: Marks = {
    "keeper": ["KEEPER", "she", "the keeper", "her", "She"],
    "lighthouse": ["the lighthouse at Cape Thorn", "its"],
    "cape": ["Cape Thorn"],
    "lamp": ["the lamp", "The old lamp", "it"],
    "fishermen": ["the fishermen", "They", "them"],
    "books": ["her books"],
}
BRUNO: Marks = {
    "keeper": ["KEEPER", "she", "the keeper", "her", "She"],
    "lighthouse": ["the lighthouse", "its"],
    "lamp": ["the lamp", "it"],
    "another lamp": ["The old lamp"],
    "fishermen": ["the fishermen", "They", "them"],
}
CLARA: Marks = {
    "keeper": ["KEEPER", "she", "her", "She"],
    "somebody": ["the keeper"],
    "lighthouse": ["the lighthouse at Cape Thorn"],
    "lamp": ["the lamp", "The old lamp", "it"],
    "fishermen": ["the fishermen", "They", "them"],
    "storm": ["the storm"],
}
PEOPLE = {"Alma": ALMA, "Bruno": BRUNO, "Clara": CLARA}


def edits(doc: Document, marks: Marks, keeper: str) -> list[Edit]:
    """The marks as edits; each entity has the same colour whoever marked it."""
    made = []
    for entity, phrases in marks.items():
        for phrase in phrases:
            words = phrase.replace("KEEPER", keeper).split()
            forms = list(doc.tokens.forms)
            start = next(at for at in range(len(forms)) if forms[at : at + len(words)] == words)
            positions = list(range(start, start + len(words)))
            made.append(Edit("add_mention", {"positions": positions, "entity": entity}))
    return made


def fill(store: Store) -> dict[str, str]:
    """A project in the middle of its work; the path of each page."""
    with store.write() as session:
        manager = accounts.add_user(session, "Mara", PASSWORD)
        project = projects.add_project(session, "Tales of the coast", "Short stories, three annotators each.")
        projects.set_role(session, project.id, manager.id, "manager")
        users = {name: accounts.add_user(session, name, PASSWORD).id for name in PEOPLE}
        for user in users.values():
            projects.set_role(session, project.id, user, "annotator")
        docs = [Document.from_text(TEXT.replace("Ida", keeper), id=name) for name, keeper in NAMES.items()]
        ids = projects.add_documents(session, project.id, docs)
        set_work_rules(session, project.id, WorkRules(copies=len(PEOPLE)))
    base = f"/projects/{project.id}"
    paths = {"project": base, "progress": f"{base}/progress", "agreement": f"{base}/agreement"}
    for number, (doc, id) in enumerate(zip(docs, ids, strict=True)):
        for order, (name, user) in enumerate(users.items()):
            begun = BEGIN + timedelta(days=6 * number + 2 * order)
            layer = _annotate(store, doc, id, name, user, begun, is_finished=number < 5 - order)
            if (doc.id, name) == ("lighthouse", "Alma"):
                paths["editor"] = f"{base}/documents/{id}/layers/{layer}/edit"
    paths["comparison"] = f"{base}/documents/{ids[0]}/compare"
    return paths


def _annotate(store: Store, doc: Document, id: int, name: str, user: int, begun: datetime, *, is_finished: bool) -> int:
    with store.write() as session:
        given = assignments.assign(session, id, user, at=begun)
        layer = assignments.begin(session, given, at=begun).id
        assignment = given.id
    marks = dict(PEOPLE[name])
    if id % 2 and len(marks) > 5:
        marks.popitem()  # so that not every document has the same numbers
    operation = Operation(0, tuple(edits(doc, marks, NAMES[doc.id or ""])))
    store.layers.append(layer, 0, [operation], client="screenshots", user=user)
    if is_finished:
        with store.write() as session:
            row = session.get_one(type(given), assignment)
            assignments.finish(session, row, at=begun + timedelta(days=1))
    return layer


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a running server, and the pages."""
    store = open_store(folder / "screenshots.db")
    paths = fill(store)
    listener, address = listen("127.0.0.1", 0)
    clock = lambda: BEGIN + timedelta(days=32)  # noqa: E731 - the day on which the pictures are taken
    server = uvicorn.Server(uvicorn.Config(app(store, clock=clock), log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield address, paths
    server.should_exit = True
    thread.join(timeout=10)
    store.close()


def take(browser: Any, address: str, paths: Mapping[str, str], names: Sequence[str], scheme: str) -> None:
    context = browser.new_context(viewport=SIZE, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(f"{address}/login")
    tab.fill("input[name=name]", "Alma" if names == ["editor"] else "Mara")
    tab.fill("input[name=password]", PASSWORD)
    tab.locator("main button").click()
    tab.wait_for_url(f"{address}/")
    for name in names:
        tab.goto(address + paths[name])
        if name == "editor":
            tab.wait_for_selector("#editor.ready")
            tab.locator("#text i", has_text="keeper").first.click()
            tab.wait_for_selector("#text i.held")
        if name in TOPS:
            tab.locator(TOPS[name]).evaluate("one => scrollTo(0, scrollY + one.getBoundingClientRect().top - 8)")
        tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        tab.screenshot(path=IMAGES / f"{name}{'-dark' if scheme == 'dark' else ''}.png")
    context.close()


def take_story(browser: Any, folder: Path) -> None:
    """Take the picture of the page that `coindex show --html` writes."""
    page = folder / "garden.html"
    coindex.write(coindex.read(EXAMPLES / "garden.conllu"), page)
    tab = browser.new_page(viewport=STORY_SIZE, color_scheme="light")
    tab.goto(page.as_uri())
    tab.screenshot(path=IMAGES / "garden.png")
    tab.close()


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("this drives Chromium: install it (Debian's package chromium)")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (address, paths), sync_playwright() as drive:
        browser = drive.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for scheme in ("light", "dark"):
            take(browser, address, paths, ["editor"], scheme)
        take(browser, address, paths, ["project", "progress", "agreement", "comparison"], "light")
        take_story(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
