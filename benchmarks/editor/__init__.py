"""The editor with a novel of 200,000 words in headless Chromium: how long until it is open, and until an edit shows.

A real server sends the document; the clock is the page's own. An edit is timed from its key to the picture after it.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..measuring import save
from ..serving import PASSWORD, serving
from .novel import novel
from .world import USER, make_world

OPENINGS = 5
TIMES = 15
PATIENCE = 300_000
"""Milliseconds: a busy machine shall give bad numbers rather than none."""
LIMITS = {"open": 1500.0, "edit": 50.0}
NOTES = """
A generated novel of {words:,} words with {mentions:,} mentions of {entities:,} entities; the largest has {largest:,}.
Medians in milliseconds of {openings} openings, each in a new window, and of {times} edits of each kind, spread over the
novel, with the whole novel on the page and the edited place visible. *Open* is the time from the click until words and
lines are painted. The limits are {open:.0f} ms to open and {edit:.0f} ms for an edit to show.
""".strip()

# Each edit begins at another place; bringing it into sight is not timed.
EDITS = {
    "mark words": "go(at); press('ArrowRight', {shiftKey: true}); await time(() => press('n'))",
    "link to the largest": "go(at); press('n'); editor.setTarget('hero'); await time(() => press(' '))",
    "unlink from the largest": "editor.goTo(hero().mentions[at % 1000]); await time(() => press('u'))",
    "merge into the largest": (
        "editor.setTarget('hero'); const others = [...doc.entities.values()].filter(one => one !== hero());"
        "editor.goTo(others[at % 1000].mentions[0]);"
        "await time(() => press('m'))"
    ),
    "remove": "go(at); press('n'); await time(() => press('Delete'))",
    "set a head": "go(at); press('n'); await time(() => press('h'))",
    "insert an empty node": "go(at); await time(() => press('z'))",
    "undo": "go(at); press('n'); await time(() => press('z', {ctrlKey: true}))",
    "next mention": "go(at); await time(() => press('j'))",
}
MEASURE = """async times => {
  const { editor } = document.getElementById('editor').coindex, { doc } = editor;
  const text = document.getElementById('text');
  const found = [], hero = () => doc.entities.get('hero');
  const press = (key, more = {}) => text.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }));
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const go = at => { editor.moveTo(at); press('ArrowRight'); };
  const time = async act => {
    await new Promise(done => setTimeout(done, 300)); // what came into sight is drawn
    const from = performance.now();
    act();
    await frame();
    found.push(performance.now() - from);
  };
  // The novel is written bit by bit while nothing else is to be done: edits are timed when all of it is there.
  for (let before = -1; before !== text.textContent.length; ) {
    before = text.textContent.length;
    await new Promise(done => setTimeout(done, 1000));
  }
  for (let number = 1; number <= times; number++) {
    const at = Math.floor(doc.length * number / (times + 1));
    await frame();
    %s;
  }
  return found;
}"""


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("this benchmark drives Chromium: install it (Debian's package chromium)")
    from playwright.sync_api import sync_playwright

    doc = novel()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        database = Path(folder) / "editor.db"
        path = make_world(database, doc)
        url = stack.enter_context(serving(database)).address + path
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(PATIENCE)
        _log_in(context.new_page(), url)
        openings = [_opened(context, url) for _ in range(OPENINGS + 1)][1:]  # the first warms up server and browser
        edits = {name: _timed(context, url, code) for name, code in EDITS.items()}
        browser.close()
    results = {
        "words": len(doc.tokens),
        "mentions": sum(map(len, doc.entities)),
        "entities": len(doc.entities),
        "largest": max(map(len, doc.entities)),
        "openings": OPENINGS,
        "times": TIMES,
        "data": [opening["data"] for opening in openings],
        "open": [opening["open"] for opening in openings],
        "edits": edits,
    }
    save("editor", results, page(results))


def page(results: dict[str, Any]) -> str:
    """Return the results as a table."""
    rows = {"the document has arrived": results["data"], "open": results["open"], **results["edits"]}
    lines = ["| | median | longest |", "| --- | --- | --- |"]
    lines += [f"| {name} | {statistics.median(values):.0f} | {max(values):.0f} |" for name, values in rows.items()]
    return "\n".join([NOTES.format(**{**results, "open": LIMITS["open"], "edit": LIMITS["edit"]}), "", *lines])


def _log_in(tab: Any, url: str) -> None:
    tab.goto(url)
    tab.fill("input[name=name]", USER)
    tab.fill("input[name=password]", PASSWORD)
    tab.locator("main button").click()
    tab.wait_for_selector("#editor.ready")
    tab.close()


def _opened(context: Any, url: str) -> dict[str, float]:
    tab = context.new_page()
    tab.goto(url)
    tab.wait_for_selector("#editor.ready")
    tab.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))")
    measured: dict[str, float] = tab.evaluate(
        """() => ({
          data: performance.getEntriesByType('resource').find(one => one.name.includes('/data')).responseEnd,
          open: performance.getEntriesByName('coindex:shown')[0].startTime })"""
    )
    tab.close()
    return measured


def _timed(context: Any, url: str, code: str) -> list[float]:
    tab = context.new_page()
    tab.goto(url)
    tab.wait_for_selector("#editor.ready")
    found: list[float] = tab.evaluate(MEASURE % code, TIMES)
    tab.close(run_before_unload=False)
    return found
