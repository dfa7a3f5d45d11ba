"""Suggestions: off at first, never over human work, with provenance, after a blind first pass where that is asked."""

from __future__ import annotations

import re

import pytest

from coindex.annotation_app import assignments
from coindex.annotation_app.adjudication import recreate
from coindex.annotation_app.agreement import team_agreement
from coindex.annotation_app.layers import Operation
from coindex.annotation_app.models import Assignment
from coindex.annotation_app.suggestions import find_pending, suggestion_layer
from coindex.document.edit_log import Edit
from coindex.document.entities import BY
from coindex.server.database import Store
from web_team import Team, annotate, make_team, spans
from web_world import Browser

TEXT = "Anna Smith came home . She was tired . Anna Smith slept ."
OWN = {"anna": [(0, 1)]}


@pytest.fixture
def team(store: Store) -> Team:
    return make_team(store, [TEXT])


def turn_on(team: Team, *, blind: bool, resolver: str = "are-baseline") -> None:
    browser = team.browser("Max")
    browser.see("/")
    fields = {"resolver": resolver} | ({"blind_first": "yes"} if blind else {})
    answer = browser.submit(f"{team.base}/suggestions", **fields)
    assert answer.status_code == 303, answer.text


@pytest.fixture
def ada(team: Team) -> Browser:
    browser = team.browser("Ada")
    browser.see("/")
    return browser


def ask(team: Team, ada: Browser, layer: int) -> int:
    answer = ada.submit(team.layer_path(layer, "/suggestions"))
    assert answer.status_code == 303, answer.text
    found = re.search(r"layers/(\d+)/suggestions$", answer.headers["location"])
    assert found
    return int(found[1])


def decide(team: Team, ada: Browser, layer: int, positions: tuple[int, ...], accept: bool) -> None:
    answer = ada.submit(
        team.layer_path(layer, "/suggestions/decide"),
        base=str(team.layer(layer).revision),
        positions=",".join(map(str, positions)),
        accept="yes" if accept else "no",
    )
    assert answer.status_code == 303, answer.text


def left(team: Team, layer: int) -> list[tuple[int, ...]]:
    row = suggestion_layer(team.store, layer)
    assert row is not None
    found = find_pending(team.store.layers.document_at(layer), team.store.layers.document_at(row.id))
    return [one.positions for one in found]


def test_suggestions_are_off_by_default(team: Team, ada: Browser) -> None:
    layer = annotate(team, "Ada", OWN, finish=False)
    answer = ada.submit(team.layer_path(layer, "/suggestions"))
    assert (answer.status_code, "suggestions are turned off" in answer.text) == (422, True)
    assert team.made("suggestion") == []
    assert "/suggestions" not in ada.see(team.base)


def test_the_warning_is_shown(team: Team, ada: Browser) -> None:
    turn_on(team, blind=False)
    layer = annotate(team, "Ada", OWN, finish=False)
    assert "Suggestions bias annotators" in team.browser("Max").see(f"{team.base}/suggestions")
    assert "Suggestions bias annotators" in ada.see(team.layer_path(layer, "/suggestions"))


def test_every_suggestion_keeps_its_origin(team: Team, ada: Browser) -> None:
    turn_on(team, blind=False)
    layer = annotate(team, "Ada", OWN, finish=False)
    assert ask(team, ada, layer) == layer
    (suggested,) = team.made("suggestion")
    doc = team.store.layers.document_at(suggested.id)
    assert doc.mentions()
    assert all(mention.attributes[BY] for mention, _ in doc.mentions())
    assert recreate(team.store, suggested) == team.store.layers.document_at(suggested.id, 0)
    first = left(team, layer)
    assert (0, 1) not in first
    for positions in first:
        decide(team, ada, layer, positions, True)
    result = team.store.layers.document_at(layer)
    sources = {mention.positions: mention.attributes.get(BY) for mention, _ in result.mentions()}
    assert sources[0, 1] is None
    assert all(sources[positions] for positions in first)
    assert left(team, layer) == []
    assert "All suggestions have been accepted or rejected" in ada.see(team.layer_path(layer, "/suggestions"))


def test_a_suggestion_goes_to_the_entity_that_the_annotator_has(team: Team, ada: Browser) -> None:
    turn_on(team, blind=False)
    layer = annotate(team, "Ada", OWN, finish=False)
    ask(team, ada, layer)
    for positions in left(team, layer):
        decide(team, ada, layer, positions, True)
    together = next(entity for entity in spans(team.store.layers.document_at(layer)) if (0, 1) in entity)
    assert (9, 10) in together


def test_a_rejected_one_does_not_come_again(team: Team, ada: Browser) -> None:
    turn_on(team, blind=False)
    layer = annotate(team, "Ada", OWN, finish=False)
    ask(team, ada, layer)
    positions = left(team, layer)[0]
    before = team.store.layers.document_at(layer)
    decide(team, ada, layer, positions, False)
    assert positions not in left(team, layer)
    assert team.store.layers.document_at(layer) == before
    ask(team, ada, layer)
    assert positions not in left(team, layer)
    answer = ada.submit(
        team.layer_path(layer, "/suggestions/decide"), base="1", positions=str(positions[0]) + ",999", accept="yes"
    )
    assert (answer.status_code, "already accepted or rejected" in answer.text) == (422, True)


def test_blind_first_gives_them_after_the_first_pass_in_a_second_layer(team: Team, ada: Browser) -> None:
    turn_on(team, blind=True)
    layer = annotate(team, "Ada", OWN, finish=False)
    answer = ada.submit(team.layer_path(layer, "/suggestions"))
    assert (answer.status_code, "available after your first pass" in answer.text) == (422, True)
    assert team.made("suggestion") == []
    with team.store.write() as session:
        assignments.finish(session, session.query(Assignment).one())
    first = team.store.layers.document_at(layer)
    second = ask(team, ada, layer)
    assert second != layer
    assert ask(team, ada, layer) == second
    assert team.store.layers.document_at(second) == first
    for positions in left(team, second):
        decide(team, ada, second, positions, True)
    assert team.store.layers.document_at(layer) == first
    assert team.layer(second).name == "Ada, second pass"
    assert recreate(team.store, team.layer(second)) == first
    assert ada.submit(team.layer_path(second, "/finish"), finished="yes").status_code == 303
    assert team.layer(second).is_closed


def test_agreement_takes_the_second_pass_with_and_the_first_without(team: Team, ada: Browser) -> None:
    """Ben has marked what the resolver suggests to Ada: with suggestions the two agree more."""
    turn_on(team, blind=True)
    layer = annotate(team, "Ada", OWN)
    second = ask(team, ada, layer)
    for positions in left(team, second):
        decide(team, ada, second, positions, True)
    ada.submit(team.layer_path(second, "/finish"), finished="yes")
    annotate(team, "Ben", {"anna": [(0, 1), (5,), (9, 10)]})
    found = {how: team_agreement(team.store, team.project, suggested=how).whole for how in ("with", "without")}  # type: ignore[arg-type]
    mentions = {how: whole.means()["mentions"] for how, whole in found.items() if whole is not None}
    assert (mentions["without"], found["with"] and found["with"].names) == (0.5, ("Ada", "Ben"))
    assert (mentions["with"] or 0) > (mentions["without"] or 0)


def test_a_first_pass_that_was_opened_again_counts_as_it_was_handed_in(team: Team, ada: Browser) -> None:
    """Who has seen suggestions may change the first pass too; without suggestions that does not count."""
    turn_on(team, blind=True)
    layer = annotate(team, "Ada", OWN)
    annotate(team, "Ben", {"anna": [(0, 1), (9, 10)]})
    ask(team, ada, layer)
    with team.store.write() as session:
        assignments.reopen(session, session.query(Assignment).where(Assignment.layer_id == layer).one())
    edit = Edit("add_mention", {"positions": [9, 10], "entity": "anna"})
    team.store.layers.append(layer, 1, [Operation(1, (edit,))], client="editor")
    with team.store.write() as session:
        assignments.finish(session, session.query(Assignment).where(Assignment.layer_id == layer).one())
    found = {how: team_agreement(team.store, team.project, suggested=how).whole for how in ("with", "without")}  # type: ignore[arg-type]
    mentions = {how: whole and whole.means()["mentions"] for how, whole in found.items()}
    assert mentions == {"with": 1, "without": pytest.approx(2 / 3)}


@pytest.mark.parametrize(("resolver", "message"), [("", "choose one"), ("magic", "magic"), ("sieves + + x", "sieves")])
def test_wrong_resolvers_are_refused(team: Team, resolver: str, message: str) -> None:
    browser = team.browser("Max")
    browser.see("/")
    answer = browser.submit(f"{team.base}/suggestions", resolver=resolver)
    assert (answer.status_code, message in answer.text) == (422, True), answer.text


def test_they_can_be_turned_off_again(team: Team, ada: Browser) -> None:
    turn_on(team, blind=False)
    turn_on(team, blind=False, resolver="off")
    layer = annotate(team, "Ada", OWN, finish=False)
    assert "suggestions are turned off" in ada.submit(team.layer_path(layer, "/suggestions")).text


def test_suggestions_to_others_are_hidden(team: Team, ada: Browser) -> None:
    turn_on(team, blind=False)
    layer = annotate(team, "Ada", OWN, finish=False)
    ask(team, ada, layer)
    (suggested,) = team.made("suggestion")
    ben = team.browser("Ben")
    for id in (layer, suggested.id):
        for tail in ("/suggestions", "/data", "/edit", "/operations"):
            assert ben.get(team.layer_path(id, tail)).status_code == 404
