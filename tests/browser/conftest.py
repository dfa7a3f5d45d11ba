"""The browser, pages from files, and the editor's server and tabs, for the tests of this folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import waiting

PATIENCE = 1000 * waiting.PATIENCE
"""In milliseconds, as Playwright counts."""
AXE = Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js"
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's Chromium. It is driven by an event loop of this thread, so there is one at a time, and none for long."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    sync_api.expect.set_options(timeout=PATIENCE)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=PATIENCE
        )
        browser.new_context, browser.new_page = patient(browser.new_context), patient(browser.new_page)
        yield browser
        browser.close()


def patient(make: Callable[..., Any]) -> Callable[..., Any]:
    """Let what is made, a context or a tab, wait longer than Playwright's 30 seconds."""

    def made(**options: Any) -> Any:
        opened = make(**options)
        opened.set_default_timeout(PATIENCE)
        return opened

    return made


@pytest.fixture
def visit(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens HTML as a file; at the end there must have been no message, no error and no other request."""
    seen: list[str] = []
    opened: list[Any] = []

    def visit(markup: str, place: str = "", **options: Any) -> Any:
        path = tmp_path / "page.html"
        path.write_text(markup, encoding="utf-8")
        tab = chromium.new_page(**{"viewport": {"width": 1300, "height": 700}, **options})
        opened.append(tab)
        tab.on("console", lambda message: seen.append(message.text))
        tab.on("pageerror", lambda error: seen.append(str(error)))
        tab.on("request", lambda request: seen.append(request.url))
        tab.goto(path.as_uri() + place)
        assert seen.pop(0).startswith(path.as_uri())
        return tab

    yield visit
    for tab in opened:
        tab.close()
    assert seen == []


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A running server for the tests of one file."""
    pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")
    from editor_world import running

    with running(tmp_path_factory.mktemp("editor")) as made:
        yield made


@pytest.fixture(scope="module")
def log_in(chromium: Any, world: Any) -> Callable[[], Any]:
    """Logs Ann in and gives what the browser keeps of that."""
    from editor_world import PASSWORD

    def log_in() -> Any:
        context = chromium.new_context()
        tab = context.new_page()
        tab.goto(f"{world.address}/login")
        tab.fill("input[name=name]", "Ann")
        tab.fill("input[name=password]", PASSWORD)
        tab.locator("main button").click()
        tab.wait_for_url(f"{world.address}/")
        state = context.storage_state()
        context.close()
        return state

    return log_in


@pytest.fixture(scope="module")
def session(log_in: Callable[[], Any]) -> Any:
    """One log-in for all tests of a file."""
    return log_in()


@pytest.fixture
def browse(chromium: Any, session: Any) -> Iterator[Callable[..., Any]]:
    """A new browser with Ann logged in; at the end no page may have complained."""
    seen: list[str] = []
    contexts = []

    def browse(**options: Any) -> Any:
        options = {"storage_state": session, "viewport": {"width": 1280, "height": 800}, **options}
        context = chromium.new_context(**options)
        contexts.append(context)
        context.on("weberror", lambda error: seen.append(str(error.error)))
        context.on("console", lambda message: _note(seen, message))
        return context

    yield browse
    for context in contexts:
        context.close()
    assert seen == []


def _note(seen: list[str], message: Any) -> None:
    """A cut network and a conflict are told by the browser too; all else is a mistake of ours."""
    if "Failed to load resource" not in message.text:
        seen.append(message.text)


@pytest.fixture
def editor(browse: Callable[..., Any], world: Any) -> Callable[..., Any]:
    """Opens a document in the editor."""
    from editor_world import EditorPage

    def editor(doc: Any, **options: Any) -> Any:
        page = EditorPage(browse(**options).new_page())
        page.url = world.add(doc)
        return page.open(page.url)

    return editor


@pytest.fixture
def serious() -> Callable[[Any], list[str]]:
    """What axe-core finds wrong with a page that keeps somebody from using it."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: run `npm ci` in frontend/")

    def serious(tab: Any) -> list[str]:
        tab.evaluate(AXE.read_text(encoding="utf-8"))
        found = tab.evaluate("axe.run()")["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in ("serious", "critical")]

    return serious
