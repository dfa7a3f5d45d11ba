"""Comparison, adjudication, voting, agreement, suggestions and import in a real browser, by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

from coindex.annotation_app import projects
from coindex.annotation_app.suggestions import SuggestionRules, ask, set_rules
from coindex.server.models import Project
from web_team import ADA, BEN, CLEO, TEXT, Team, annotate, make_team, spans


@pytest.fixture(scope="module")
def team(world: Any) -> Team:
    """Two documents that three have finished; Ann manages the project."""
    made = make_team(world.store, [TEXT, TEXT])
    with world.store.write() as session:
        projects.set_role(session, made.project, world.user, "manager")
    for number in (0, 1):
        for name, marks in (("Ada", ADA), ("Ben", BEN), ("Cleo", CLEO)):
            annotate(made, name, marks, number)
    return made


@pytest.fixture
def tab(browse: Callable[..., Any], world: Any, team: Team) -> Any:
    page = browse().new_page()
    page.goto(f"{world.address}{team.base}")
    return page


def current(tab: Any) -> int:
    return int(tab.locator(".difference.current").get_attribute("data-number"))


def wait_left(tab: Any, number: int) -> None:
    tab.locator("#left", has_text=re.compile(f"^{number}$")).wait_for()


def test_stepping_through_differences_by_keyboard(tab: Any, team: Team) -> None:
    tab.get_by_role("link", name="Compare the layers of d1").click()
    count = tab.locator(".difference").count()
    assert count > 3
    tab.wait_for_load_state()  # the script comes after the rows, and keys before it are lost
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("j")
    assert current(tab) == 1
    tab.keyboard.press("ArrowUp")
    assert current(tab) == 0
    assert tab.evaluate("document.activeElement.id") == "d0"
    assert tab.locator(".mark.current, .missing.current").count() >= 3
    tab.get_by_role("navigation", name="Kinds of differences").get_by_role("link", name="span").click()
    tab.wait_for_load_state()
    assert 0 < tab.locator(".difference").count() < count


def test_adjudication_by_keyboard_alone(tab: Any, team: Team) -> None:
    """All of Ben's answers, one taken back and decided again; the result is Ben's layer."""
    ada, ben = team.layers["Ada", 0], team.layers["Ben", 0]
    tab.goto(f"{tab.url}/documents/{team.documents[0]}/compare?layer={ada}&layer={ben}")
    tab.get_by_role("button", name="Resolve differences").click()
    left = tab.locator("#left")
    total = int(left.inner_text())
    tab.wait_for_load_state()
    for done in range(1, total + 1):
        tab.keyboard.press("2")
        wait_left(tab, total - done)
    tab.keyboard.press("u")
    wait_left(tab, 1)
    tab.keyboard.press("n")
    tab.keyboard.press("2")
    wait_left(tab, 0)
    assert tab.locator("button[aria-pressed=true]").count() == total
    layer = int(tab.url.split("/")[-2])
    assert spans(team.store.layers.document_at(layer)) == {frozenset(mentions) for mentions in BEN.values()}
    shown = tab.locator(".cells").first.locator("p").nth(1)
    assert tab.locator("[data-row='0']").text_content() == shown.text_content()
    tab.get_by_role("button", name="Finish").click()
    tab.wait_for_url(f"**{team.base}")
    assert team.layer(layer).is_closed


def test_a_conflict_is_reported_and_nothing_is_lost(tab: Any, team: Team) -> None:
    ada, cleo = team.layers["Ada", 0], team.layers["Cleo", 0]
    tab.goto(f"{tab.url}/documents/{team.documents[0]}/compare?layer={ada}&layer={cleo}")
    tab.get_by_role("button", name="Resolve differences").click()
    other = tab.context.new_page()
    other.goto(tab.url)
    other.keyboard.press("1")
    other.wait_for_selector("[data-choice='1']")
    tab.keyboard.press("2")
    tab.wait_for_selector("#problem:not([hidden])")
    assert "reload" in tab.locator("#problem").inner_text()
    tab.reload()
    assert tab.locator("[data-choice='1']").count() == 1


def test_voting_and_the_table_of_quality(tab: Any, team: Team) -> None:
    tab.get_by_role("link", name="Quality").click()
    for name in ("Ada", "Ben", "Cleo"):
        tab.get_by_role("checkbox", name=name).check()
    tab.get_by_role("button", name="Create vote").click()
    tab.get_by_role("rowheader", name="Ada+Ben+Cleo-voting").wait_for()
    for name, role in (("Ada, annotation", "once"), ("Ben, annotation", "once"), ("Cleo, annotation", "final")):
        tab.get_by_label(f"{name}, role").select_option(role)
    tab.get_by_role("button", name="Compare").click()
    tab.wait_for_load_state()
    assert tab.get_by_role("rowheader", name="once", exact=True).count() == 1


@pytest.fixture
def suggested(world: Any, team: Team) -> str:
    """The page with suggestions for a layer of Ann's."""
    set_rules(team.store, team.project, SuggestionRules("are-baseline", blind_first=False), user=world.user)
    with team.store.write() as session:
        layer = projects.start_layer(session, team.documents[1], name="Ann", owner=world.user).id
        project = session.get_one(Project, team.project)
    ask(team.store, project, team.layer(layer), user=world.user)
    return f"{world.address}{team.layer_path(layer, '/suggestions')}"


def test_suggestions_by_keyboard(tab: Any, team: Team, suggested: str) -> None:
    tab.goto(suggested)
    left = tab.locator(".difference").count()
    assert left > 2
    with tab.expect_navigation():
        tab.keyboard.press("1")
    assert tab.locator(".difference").count() == left - 1
    with tab.expect_navigation():
        tab.keyboard.press("0")
    assert tab.locator(".difference").count() == left - 2
    (mention, _), *more = team.store.layers.document_at(int(suggested.split("/")[-2])).mentions()
    assert (more, bool(mention.attributes["by"])) == ([], True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_accessibility_problem(
    browse: Callable[..., Any],
    world: Any,
    team: Team,
    suggested: str,
    serious: Callable[[Any], list[str]],
    scheme: str,
) -> None:
    tab = browse(color_scheme=scheme).new_page()
    base = f"{world.address}{team.base}"
    tab.goto(f"{base}/documents/{team.documents[1]}/compare")
    tab.get_by_role("button", name="Resolve differences").click()
    adjudicate = tab.url
    compare = f"{base}/documents/{team.documents[1]}/compare"
    origin = adjudicate.replace("/adjudicate", "/origin")
    tab.goto(base)
    upload = {"name": "a.txt", "mimeType": "text/plain", "buffer": f"{TEXT} It was late.Then they slept.".encode()}
    tab.set_input_files("input[type=file]", files=[upload])
    tab.get_by_role("button", name="Preview import").click()
    tab.wait_for_load_state()
    preview = tab.url
    pages = [f"{base}/{name}" for name in ("agreement", "quality", "suggestions")]
    for url in (adjudicate, compare, origin, preview, suggested, *pages):
        tab.goto(url)
        assert serious(tab) == [], url


REST = "\t_" * 8
GARDEN = f"# newdoc id = garden\n1\tgarden{REST}\n\n# newdoc id = lake\n1\tlake{REST}\n\n"


def choose(tab: Any, files: dict[str, str]) -> dict[str, list[str]]:
    """Upload files; the table that the next page has of them."""
    uploads = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files.items()]
    tab.set_input_files("input[type=file]", files=uploads)
    tab.get_by_role("button", name="Preview import").click()
    tab.get_by_role("heading", name="Files").wait_for()
    rows = tab.locator("section", has=tab.get_by_role("heading", name="Files")).locator("tbody tr")
    cells = [row.locator("th, td").all_inner_texts() for row in rows.all()]
    return {name: rest for name, *rest in cells}


def test_files_of_several_formats_are_imported_together(tab: Any, team: Team) -> None:
    files = choose(tab, {"inn.txt": "Ann went to the inn. She slept.", "garden.conllu": GARDEN})
    assert files == {"garden.conllu": ["corefud", "2", ""], "inn.txt": ["text", "1", ""]}
    tab.get_by_role("button", name="Import", exact=True).click()
    tab.wait_for_url(f"**{team.base}")
    assert {"garden", "lake", "inn"} <= set(tab.locator("tbody th[scope=row]").all_inner_texts())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_refused_upload_names_each_file_in_the_way(
    browse: Callable[..., Any], world: Any, team: Team, serious: Callable[[Any], list[str]], scheme: str
) -> None:
    tab = browse(color_scheme=scheme).new_page()
    tab.goto(f"{world.address}{team.base}")
    none = '<are task="1" kind="response"></are>'
    bad = "# newdoc id = x\n1\tAnn\n2\tleft\n\n"
    found = choose(tab, {"here.txt": "Ann slept.", "page.txt": "<html><p>Ann", "bad.conllu": bad, "none.are.xml": none})
    assert tab.get_by_role("alert").inner_text().startswith("Nothing was imported: 3 of 4 files cannot be read.")
    assert list(found)[-1] == "here.txt"
    assert found["here.txt"] == ["text", "1", ""]
    assert "an HTML page" in found["page.txt"][2]
    assert "bad.conllu:2: 2 columns" in found["bad.conllu"][2]
    assert "no document" in found["none.are.xml"][2]
    assert serious(tab) == []
    tab.get_by_role("link", name="Back to the project").click()
    tab.wait_for_url(f"**{team.base}")
    assert "here" not in tab.locator("tbody th[scope=row]").all_inner_texts()
