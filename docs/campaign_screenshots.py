"""The pictures of campaigns: `python docs/campaign_screenshots.py` writes them to docs/images. It drives Chromium."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn

import coindex
from coindex.annotation_app.layers import open_store
from coindex.campaigns import keys, organising, submissions, teams
from coindex.campaigns.offline import new_campaign
from coindex.campaigns.server import viewer_of
from coindex.campaigns.worker import run_all
from coindex.server import accounts
from coindex.server.models import User
from coindex.serving import app
from coindex.sockets import listen

IMAGES = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parents[1] / "examples"
PASSWORD = "a long password"
SIZE = {"width": 1200, "height": 760}
NOW = datetime(2030, 6, 6, 9, 30, tzinfo=UTC)
TEAMS = {"Willow": "sieves", "Birch": "are-baseline", "Oak": "nearest-np"}
TO_THE_TOP = "one => scrollTo(0, scrollY + one.getBoundingClientRect().top - 8)"
FILES = ("garden.conllu", "cartero.conllu")


def packed(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def answered(resolver: str, content: bytes) -> bytes:
    """The input resolved."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(folder)
        for file in FILES:
            coindex.write(map(coindex.load(resolver), coindex.read(folder / file)), folder / f"new-{file}", "corefud")
        return packed({file: (folder / f"new-{file}").read_bytes() for file in FILES})


def fill(server: Any) -> int:
    """A campaign in its evaluation, with three teams that were in its development; its number."""
    text = new_campaign("garden-party", like="crac22", opens=datetime(2030, 3, 4, tzinfo=UTC).date())
    text = text.replace("Multilingual coreference resolution", "The garden party")
    text = text.replace("# hours_from_download = 48", "hours_from_download = 48")
    text = text.replace('"lea", "mor", "zero"]', '"lea"]').replace('"ceafm", "blanc", ', "")
    with server.store.write() as session:
        people = {name: accounts.add_user(session, name, PASSWORD) for name in ("Olga", *TEAMS)}
    id = organising.create_campaign(server, text, by=people["Olga"].id)
    organiser = viewer_of(server, id, people["Olga"])
    content = {file: (EXAMPLES / file).read_bytes() for file in FILES}
    for phase in ("practice", "development", "evaluation"):
        files = [(name, io.BytesIO(data), len(data)) for name, data in content.items()]
        keys.upload_key(server, organiser, phase, files)
    organising.set_registration(server, organiser, "open")
    organising.set_published(server, organiser, True)
    for name, resolver in TEAMS.items():
        _take_part(server, id, people[name], name, resolver)
    run_all(server)
    return id


def _take_part(server: Any, campaign: int, user: User, name: str, resolver: str) -> None:
    teams.register_team(server, viewer_of(server, campaign, user), name)
    viewer = viewer_of(server, campaign, user)
    given = submissions.download_input(server, viewer, "development").content
    submissions.submit(
        server, viewer, "development", file_name="answer.zip", content=answered(resolver, given), run=resolver
    )


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, int]]:
    """The address of a running server, and the campaign."""
    store = open_store(folder / "screenshots.db")
    moments = [datetime(2030, 5, 20, 9, tzinfo=UTC)]
    made = app(store, clock=lambda: moments[-1])
    id = fill(made.state.campaigns)
    moments.append(NOW)
    listener, address = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(made, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield address, id
    server.should_exit = True
    thread.join(timeout=10)
    made.state.campaigns.close()
    store.close()


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("this drives Chromium: install it (Debian's package chromium)")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (address, id), sync_playwright() as drive:
        browser = drive.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport=SIZE)
        tab.set_default_timeout(120_000)
        tab.goto(f"{address}/campaigns/{id}")
        tab.locator("h2:text-is('Tracks')").evaluate(
            "one => scrollTo(0, scrollY + one.getBoundingClientRect().top - 8)"
        )
        tab.screenshot(path=IMAGES / "campaign.png")
        tab.goto(f"{address}/login")
        tab.fill("input[name=name]", "Willow")
        tab.fill("input[name=password]", PASSWORD)
        tab.locator("main button").click()
        tab.wait_for_url(f"{address}/")
        tab.goto(f"{address}/campaigns/{id}/team")
        tab.screenshot(path=IMAGES / "team.png")
        browser.close()


if __name__ == "__main__":
    main()
