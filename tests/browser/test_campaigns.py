"""Campaigns in a real browser: the organiser's way, a team's way, and pages that everybody can read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

from campaign_pages import DEFINITION, KEY, CampaignWorld, answer, fill_campaign, written, zipped
from coindex.annotation_app.layers import open_store
from coindex.campaigns.worker import start_worker
from serving_world import quick_passwords, serving
from web_world import PASSWORD

ORGANISER = (
    "manage",
    "schedule",
    "definition",
    "teams",
    "checking",
    "findings",
    "log",
    "submissions",
    "phases/practice/preview",
)
TEAM = ("team", "runs", "submissions", "submissions/S", "submissions/S/errors?track=main&dataset=x&document=x")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A campaign with two teams that have sent something, a server, and a worker beside it."""
    store = open_store(tmp_path_factory.mktemp("campaigns") / "web.db")
    with quick_passwords():
        made = CampaignWorld(store)
        fill_campaign(made)
        made.add_user("cleo")
        with serving(made.app) as made.address:  # type: ignore[attr-defined]
            worker = start_worker(made.server)
            yield made
            worker.stop()
    made.close()
    store.close()


@pytest.fixture
def session() -> Any:
    """Nobody is logged in at first."""
    return None


def log_in(context: Any, address: str, name: str) -> Any:
    tab = context.new_page()
    tab.goto(f"{address}/login")
    tab.fill("input[name=name]", name)
    tab.fill("input[name=password]", PASSWORD)
    tab.locator("main button").click()
    tab.wait_for_url(f"{address}/")
    return tab


def put(form: Any, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    form.locator("input[type=file]").set_input_files(files=[file])


def test_an_organiser_makes_a_campaign_uploads_its_key_and_publishes_it(browse: Callable[..., Any], world: Any) -> None:
    world.at("practice")
    tab = log_in(browse(), world.address, "root")
    tab.get_by_role("link", name="Campaigns").click()
    tab.get_by_role("link", name="New campaign").click()
    own = tab.locator("form", has=tab.locator("textarea"))
    text = DEFINITION.format(counts="chosen").replace('"tiny"', '"second"').replace("A tiny task", "Second task")
    tab.get_by_label("or paste the definition").fill(text.replace('"conll"', '"conl"'))
    own.get_by_role("button", name="Create campaign").click()
    assert "conll" in tab.get_by_role("alert").inner_text()
    assert 'name = "second"' in tab.get_by_label("or paste the definition").input_value(), (
        "nothing that was written is lost"
    )
    tab.get_by_label("or paste the definition").fill(text)
    own.get_by_role("button", name="Create campaign").click()
    tab.wait_for_url("**/manage")
    form = tab.locator("form[action$='/phases/practice/key']")
    put(form, "key.zip", zipped({"x.conllu": written(KEY, "x")}))
    form.get_by_role("button", name="Upload key").click()
    tab.wait_for_url("**/preview")
    shown = tab.locator("pre").inner_text()
    assert "Ann" in shown
    assert "Entity=" not in shown
    tab.get_by_role("link", name="Manage", exact=True).click()
    tab.get_by_role("button", name="Publish campaign").click()
    tab.get_by_label("Registration").select_option("invited")
    tab.get_by_role("button", name="Save registration setting").click()
    tab.get_by_role("link", name="Teams").click()
    tab.get_by_role("button", name="Create invitation link").click()
    assert re.search("/campaigns/invitations/", tab.get_by_label("Link").input_value())
    tab.goto(f"{world.address}/campaigns")
    tab.get_by_role("link", name="Second task").click()
    tab.get_by_role("link", name="Definition").click()
    tab.locator("textarea[name=text]").fill(text.replace("2030-02-10", "2030-13-10"))
    tab.get_by_role("button", name="Save definition").click()
    assert "2030-13-10" in tab.locator("textarea[name=text]").input_value()
    assert tab.get_by_role("alert").is_visible()


def test_a_team_registers_downloads_submits_and_follows(browse: Callable[..., Any], world: Any) -> None:
    world.at("evaluation")
    context = browse()
    tab = log_in(context, world.address, "cleo")
    base = f"{world.address}/campaigns/{world.campaign}"
    tab.goto(base)
    tab.get_by_role("main").get_by_role("link", name="Register a team").click()
    tab.get_by_label("Team name").fill("Cleo's team")
    tab.get_by_role("button", name="Register team").click()
    tab.wait_for_url("**/team")
    assert "Downloading the input starts your 48-hour submission window." in tab.locator("main").inner_text()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download input and start the 48-hour window").click()
    assert download.value.suggested_filename == "tiny-evaluation-input.zip"
    tab.reload()
    assert "2030-01-18 00:00 UTC" in tab.locator("dd strong").inner_text()
    form = tab.locator("form[action$='/submissions']")
    put(form, "answer.zip", zipped({"x.conllu": written(KEY, "x").replace("\tmet\t", "\tsaw\t")}))
    form.get_by_role("button", name="Submit to evaluation").click()
    tab.get_by_role("alert").wait_for()
    assert "'saw'" in tab.locator("main table").inner_text()
    tab.get_by_role("link", name="Back to my team").click()
    put(form, "answer.zip", answer(KEY))
    tab.get_by_label("Run name").fill("first")
    form.get_by_role("button", name="Submit to evaluation").click()
    tab.wait_for_url("**/submissions/*")
    tab.get_by_role("heading", name="Scores").wait_for()  # the page updates automatically
    assert "Scores are hidden in this phase." in tab.locator("main").inner_text()
    world.at("reveal")
    tab.goto(f"{base}/runs")
    assert "100.00" in tab.locator("main table").inner_text()
    anybody = browse().new_page()
    anybody.goto(base)
    assert "Cleo's team" in anybody.locator("main table.numbers").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_the_pages(
    browse: Callable[..., Any], world: Any, serious: Callable[[Any], list[str]], scheme: str
) -> None:
    world.at("practice")
    base = f"/campaigns/{world.campaign}"
    sample = world.program("olga").find(f"/{world.campaign}/checking")["samples"][0]["id"]
    own = str(world.submissions["wandaquok", "practice"])
    pages = {
        "": ["/campaigns", base, f"{base}/register"],
        "root": [
            "/campaigns/new",
            *(f"{base}/{tail}" for tail in (*ORGANISER, f"samples/{sample}", f"submissions/{own}")),
        ],
        "wandaquok": ["/account", *(f"{base}/{tail.replace('S', own)}" for tail in TEAM)],
    }
    for name, paths in pages.items():
        context = browse(color_scheme=scheme)
        tab = log_in(context, world.address, name) if name else context.new_page()
        for path in paths:
            tab.goto(world.address + path)
            assert tab.title() != "Error · coindex", path
            assert serious(tab) == [], path
