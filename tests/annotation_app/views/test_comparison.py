"""Layers side by side: what differs is set off, by kind, a page at a time."""

from __future__ import annotations

import re

import pytest

from coindex.server.database import Store
from web_team import ADA, BEN, CLEO, Team, annotate, make_team


@pytest.fixture
def team(store: Store) -> Team:
    made = make_team(store)
    for name, marks in (("Ada", ADA), ("Ben", BEN), ("Cleo", CLEO)):
        annotate(made, name, marks)
    return made


def page(team: Team, query: str = "", name: str = "Dora") -> str:
    return team.browser(name).see(f"{team.base}/documents/{team.documents[0]}/compare{query}")


def kinds(text: str) -> list[str]:
    return re.findall(r'<p><span class="tag">(\w+)</span>', text)


def test_all_finished_layers_are_compared_at_first(team: Team) -> None:
    text = page(team)
    for number, name in enumerate(("Ada", "Ben", "Cleo"), 1):
        assert f"<h4>{number} {name}</h4>" in text
    assert {"mention", "span", "link"} <= set(kinds(text))


def test_what_was_not_marked_is_shown_as_missing(team: Team) -> None:
    """Cleo has not marked Tom: the word has a mark in two cells and is missing in the third."""
    text = page(team)
    row = text[text.index('aria-label="Sentence 3"') :]
    cells = re.findall(r'<h4>\d \w+</h4><p dir="auto">(.*?)</p>', row)[:3]
    assert ['class="missing"' in cell for cell in cells] == [False, False, True]
    assert [bool(re.search(r'class="mark hue-\d+ differs"[^>]*>Tom', cell)) for cell in cells] == [True, True, False]


def test_one_kind_alone(team: Team) -> None:
    assert set(kinds(page(team, "?kind=span"))) == {"span"}
    assert len(kinds(page(team, "?kind=link"))) < len(kinds(page(team)))


def test_two_layers_are_chosen(team: Team) -> None:
    ada, ben = team.layers["Ada", 0], team.layers["Ben", 0]
    text = page(team, f"?layer={ben}&layer={ada}")
    assert "<h4>1 Ben</h4>" in text
    assert "<h4>2 Ada</h4>" in text
    assert "<h4>3" not in text


def test_sentences_without_differences_only_on_request(team: Team) -> None:
    query = f"?layer={team.layers['Ada', 0]}&layer={team.layers['Ben', 0]}"
    assert 'aria-label="Sentence 2"' not in page(team, query)
    assert 'aria-label="Sentence 2"' in page(team, query + "&all=yes")


def test_an_entity_of_both_has_one_number(team: Team) -> None:
    """Ada calls it "ann" and Cleo "a": the same mentions, the same number and colour."""
    text = page(team, f"?layer={team.layers['Ada', 0]}&layer={team.layers['Cleo', 0]}&all=yes")
    cells = re.findall(r'<h4>\d \w+</h4><p dir="auto">(.*?)</p>', text)
    found = [re.findall(r"hue-(\d+)[^>]*>Ann<sup>(\d+)</sup>", cell) for cell in cells[:2]]
    assert found == [[("1", "1")], [("1", "1")]]


def test_layers_of_other_documents_are_refused(team: Team) -> None:
    answer = team.browser("Dora").get(f"{team.base}/documents/{team.documents[0]}/compare?layer=999&layer=998")
    assert (answer.status_code, "this document has no layer" in answer.text) == (422, True)


def test_annotators_see_no_comparison(team: Team) -> None:
    browser = team.browser("Ada")
    assert browser.get(f"{team.base}/documents/{team.documents[0]}/compare").status_code == 403


def test_texts_are_escaped(store: Store) -> None:
    team = make_team(store, ["<b>bold</b> & <script> things ."])
    annotate(team, "Ada", {"x": [(0, 1, 2)]})
    annotate(team, "Ben", {})
    text = page(team)
    assert "<b>bold" not in text
    assert "<script> things" not in text
    assert "&lt;" in text


def test_one_layer_is_not_compared(store: Store) -> None:
    team = make_team(store)
    annotate(team, "Ada", ADA)
    assert "Choose at least two layers" in page(team)
