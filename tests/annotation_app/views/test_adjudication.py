"""Adjudication through the web: decisions are operations of a layer, and can be undone and replayed."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coindex.annotation_app.adjudication import comparison_of, list_decisions, recreate
from coindex.annotation_app.layers import Operation
from coindex.annotation_app.models import Layer
from coindex.document.edit_log import Edit, apply, apply_all, edits_between
from coindex.document.edits import canonical
from coindex.errors import CoindexError
from coindex.server.database import Store
from edit_strategies import edits_of
from strategies import documents
from web_team import ADA, BEN, Team, annotate, make_team, spans
from web_world import Browser


@pytest.fixture
def team(store: Store) -> Team:
    made = make_team(store)
    annotate(made, "Ada", ADA)
    annotate(made, "Ben", BEN)
    return made


@pytest.fixture
def dora(team: Team) -> Browser:
    browser = team.browser("Dora")
    browser.see("/")
    return browser


def start(team: Team, dora: Browser, **fields: str) -> int:
    """The id of a new adjudication of Ada's and Ben's layers."""
    layers = f"{team.layers['Ada', 0]},{team.layers['Ben', 0]}"
    path = f"{team.base}/documents/{team.documents[0]}/adjudications"
    answer = dora.submit(path, layers=layers, **fields)
    assert answer.status_code == 303, answer.text
    found = re.search(r"layers/(\d+)/adjudicate$", answer.headers["location"])
    assert found
    return int(found[1])


def decide(team: Team, dora: Browser, layer: int, difference: str, choice: int) -> dict[str, object]:
    answer = dora.post(
        team.layer_path(layer, "/decisions"),
        data={
            "form_token": dora.token,
            "base": str(team.layer(layer).revision),
            "difference": difference,
            "choice": str(choice),
        },
        headers={"accept": "application/json"},
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


def differences(team: Team, layer: int) -> list[str]:
    return [one.id for one in comparison_of(team.store, team.layer(layer)).differences]


@pytest.mark.parametrize(("choice", "marks"), [(1, ADA), (2, BEN)])
def test_taking_one_annotator_everywhere_gives_their_layer(
    team: Team, dora: Browser, choice: int, marks: dict[str, list[tuple[int, ...]]]
) -> None:
    layer = start(team, dora)
    for number, id in enumerate(differences(team, layer), 1):
        answer = decide(team, dora, layer, id, choice)
        assert answer["left"] == len(differences(team, layer)) - number
    assert spans(team.store.layers.document_at(layer)) == {frozenset(mentions) for mentions in marks.values()}


def test_choosing_no_annotator_removes_the_mention(team: Team, dora: Browser) -> None:
    layer = start(team, dora)
    (span,) = [id for id in differences(team, layer) if id.startswith("span")]
    decide(team, dora, layer, span, 0)
    marked = {positions for entity in spans(team.store.layers.document_at(layer)) for positions in entity}
    assert (2, 3, 4) not in marked
    assert (3, 4) not in marked


def test_every_decision_is_one_step_that_can_be_undone_and_done_again(team: Team, dora: Browser) -> None:
    """Even one that changes nothing, as when the first annotator is taken where votes are equal."""
    layer = start(team, dora)
    first = team.store.layers.document_at(layer)
    ids = differences(team, layer)
    for number, id in enumerate(ids, 1):
        decide(team, dora, layer, id, 1 if number % 2 else 2)
        assert team.layer(layer).revision == number
    last = team.store.layers.document_at(layer)
    comparison = comparison_of(team.store, team.layer(layer))
    everything = list_decisions(team.store, layer, comparison)
    assert list(everything) == ids

    def step(name: str) -> None:
        base = str(team.layer(layer).revision)
        assert dora.submit(team.layer_path(layer, "/decisions"), base=base, step=name).status_code == 303

    for left in reversed(range(len(ids))):
        step("undo")
        assert len(list_decisions(team.store, layer, comparison)) == left
    assert team.store.layers.document_at(layer) == first
    for _ in ids:
        step("redo")
    assert team.store.layers.document_at(layer) == last
    assert list_decisions(team.store, layer, comparison) == everything


def test_a_choice_can_be_changed(team: Team, dora: Browser) -> None:
    layer = start(team, dora)
    (span,) = [id for id in differences(team, layer) if id.startswith("span")]
    for choice, there, gone in ((2, (3, 4), (2, 3, 4)), (1, (2, 3, 4), (3, 4))):
        decide(team, dora, layer, span, choice)
        marked = {positions for entity in spans(team.store.layers.document_at(layer)) for positions in entity}
        assert (there in marked, gone in marked) == (True, False)


def test_what_was_changed_in_the_editor_stays(team: Team, dora: Browser) -> None:
    layer = start(team, dora)
    mark = Operation(0, (Edit("add_mention", {"positions": [7], "entity": "looking"}),))
    team.store.layers.append(layer, 0, [mark], client="editor", user=team.users["Dora"])
    for id in differences(team, layer):
        decide(team, dora, layer, id, 2)
    expected = {frozenset(mentions) for mentions in BEN.values()} | {frozenset([(7,)])}
    assert spans(team.store.layers.document_at(layer)) == expected


def test_a_decision_that_no_longer_fits_is_reported(team: Team, dora: Browser) -> None:
    layer = start(team, dora)
    doc = team.store.layers.document_at(layer)
    edits = tuple(
        Edit("remove_mention", {"entity": entity.id, "positions": mention.positions})
        for mention, entity in doc.mentions()
    )
    team.store.layers.append(layer, 0, [Operation(0, edits)], client="editor", user=team.users["Dora"])
    (span,) = [id for id in differences(team, layer) if id.startswith("span")]
    answer = dora.submit(team.layer_path(layer, "/decisions"), base="1", difference=span, choice="2")
    assert (answer.status_code, "was edited here" in answer.text) == (422, True)


def test_sources_are_those_of_the_beginning(team: Team, dora: Browser) -> None:
    """Whoever goes on annotating does not move the ground under the adjudicator; the record says which revision."""
    layer = start(team, dora)
    before = differences(team, layer)
    with team.store.write() as session:
        session.get_one(Layer, team.layers["Ada", 0]).is_closed = False
    team.store.layers.append(
        team.layers["Ada", 0], 1, [Operation(5, (Edit("add_mention", {"positions": [1]}),))], client="test"
    )
    assert differences(team, layer) == before
    assert recreate(team.store, team.layer(layer)) == team.store.layers.document_at(layer, 0)


def test_two_tabs_conflict(team: Team, dora: Browser) -> None:
    layer = start(team, dora)
    id = differences(team, layer)[0]
    decide(team, dora, layer, id, 1)
    answer = dora.submit(team.layer_path(layer, "/decisions"), base="0", difference=id, choice="2")
    assert (answer.status_code, "changed elsewhere" in answer.text) == (409, True)
    assert team.layer(layer).revision == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"difference": "mention:99", "choice": "1"}, "mention:99"),
        ({"choice": "1"}, "difference"),
        ({"difference": "?", "choice": "3"}, "expected 0 for nobody, or 1 to 2"),
        ({"difference": "?", "choice": "x"}, "choice: missing or not a number"),
    ],
)
def test_bad_decisions_are_refused(team: Team, dora: Browser, fields: dict[str, str], message: str) -> None:
    layer = start(team, dora)
    if fields.get("difference") == "?":
        fields = {**fields, "difference": differences(team, layer)[0]}
    answer = dora.submit(team.layer_path(layer, "/decisions"), base="0", **fields)
    assert (answer.status_code, message in answer.text) == (422, True), answer.text
    assert team.layer(layer).revision == 0


def test_a_finished_adjudication_is_closed_until_it_is_opened(team: Team, dora: Browser) -> None:
    layer = start(team, dora, kind="merge", name="D")
    id = differences(team, layer)[0]
    assert (team.layer(layer).kind, team.layer(layer).name) == ("merge", "D")
    dora.submit(team.layer_path(layer, "/finish"), finished="yes")
    assert team.layer(layer).is_closed
    assert "finished" in dora.submit(team.layer_path(layer, "/decisions"), base="0", difference=id, choice="1").text
    assert "Reopen" in dora.see(team.base)
    dora.submit(team.layer_path(layer, "/finish"), finished="no")
    decide(team, dora, layer, id, 1)


def test_a_layer_of_ones_own_is_finished_and_opened_again(team: Team, dora: Browser) -> None:
    made = dora.submit(f"{team.base}/documents/{team.documents[0]}/layers", name="third look", start="text")
    layer = int(made.headers["location"].split("/")[-2])
    finish = f'action="{team.layer_path(layer, "/finish")}"'
    assert finish in dora.see(team.base)
    assert dora.submit(team.layer_path(layer, "/finish"), finished="yes").status_code == 303
    assert team.layer(layer).is_closed
    dora.submit(team.layer_path(layer, "/finish"), finished="no")
    assert not team.layer(layer).is_closed
    ada = team.browser("Ada")
    assert team.layer_path(team.layers["Ada", 0], "/finish") not in ada.see(team.base), "that one was given"


def test_what_was_given_is_finished_where_it_was_given(team: Team) -> None:
    ada = team.browser("Ada")
    ada.see("/")
    answer = ada.submit(team.layer_path(team.layers["Ada", 0], "/finish"), finished="no")
    assert (answer.status_code, "belongs to an assignment" in answer.text) == (422, True)
    assert team.layer(team.layers["Ada", 0]).is_closed


def test_the_page_shows_what_is_decided(team: Team, dora: Browser) -> None:
    layer = start(team, dora)
    ids = differences(team, layer)
    decide(team, dora, layer, ids[0], 2)
    text = dora.see(team.layer_path(layer, "/adjudicate"))
    assert f'<b id="left">{len(ids) - 1}</b> of {len(ids)}' in text
    assert text.count('aria-pressed="true"') == 1


def test_only_the_owner_decides(team: Team, dora: Browser) -> None:
    layer = start(team, dora)
    for name in ("Max", "Ada"):
        browser = team.browser(name)
        assert browser.get(team.layer_path(layer, "/adjudicate")).status_code in (403, 404)
        assert browser.submit(team.layer_path(layer, "/decisions"), base="0").status_code in (403, 404)


def test_zeros_of_one_annotator_that_were_not_taken_go_at_the_end(store: Store) -> None:
    team = make_team(store, ["Ann came . Saw ."])
    annotate(team, "Ada", {"ann": [(0,)]})
    ben = annotate(team, "Ben", {"ann": [(0,)]}, finish=False)
    zero = (
        Edit("insert_zero", {"before": 3}),
        Edit("add_mention", {"positions": [3], "entity": "ann"}),
    )
    team.store.layers.append(ben, 1, [Operation(1, zero)], client="test")
    dora = team.browser("Dora")
    dora.see("/")
    layer = start(team, dora)
    (id,) = differences(team, layer)
    before = team.store.layers.document_at(layer)
    decide(team, dora, layer, id, 1)
    dora.submit(team.layer_path(layer, "/finish"), finished="yes")
    done = team.store.layers.document_at(layer)
    assert (len(before.tokens), len(done.tokens)) == (6, 5)
    dora.submit(team.layer_path(layer, "/finish"), finished="no")
    decide(team, dora, layer, id, 2)
    dora.submit(team.layer_path(layer, "/finish"), finished="yes")
    assert [mention.is_zero for mention, _ in team.store.layers.document_at(layer).mentions()] == [False, True]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_edits_between_two_documents_make_one_of_the_other(data: st.DataObject) -> None:
    """The other document is any that random edits lead to, as long as the words stay."""
    doc = data.draw(documents())
    wanted = doc
    for _ in range(data.draw(st.integers(0, 8))):
        edit = data.draw(edits_of(wanted))
        try:
            after = apply(wanted, edit)
        except CoindexError:
            continue
        wanted = after if after.tokens == doc.tokens else wanted
    assert canonical(apply_all(doc, edits_between(doc, wanted))) == canonical(wanted)
