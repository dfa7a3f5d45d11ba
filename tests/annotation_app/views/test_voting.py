"""Votes and merges as layers: each records its sources, and recreating it gives the same result."""

from __future__ import annotations

import re

import pytest

from coindex.annotation_app.adjudication import recreate
from coindex.annotation_app.projects import Origin
from coindex.api.agreement import vote
from coindex.document.edits import canonical
from coindex.server.database import Store
from web_team import ADA, BEN, CLEO, TEXT, Team, annotate, make_team, spans
from web_world import Browser


@pytest.fixture
def team(store: Store) -> Team:
    made = make_team(store, [TEXT, TEXT])
    for number in (0, 1):
        for name, marks in (("Ada", ADA), ("Ben", BEN), ("Cleo", CLEO)):
            if (name, number) != ("Cleo", 1):
                annotate(made, name, marks, number)
    return made


@pytest.fixture
def max_(team: Team) -> Browser:
    browser = team.browser("Max")
    browser.see("/")
    return browser


def test_voting_over_chosen_layers(team: Team, max_: Browser) -> None:
    """Only the first document was finished by all three."""
    fields = {f"version {number}": f"annotation:{name}" for number, name in enumerate(("Ada", "Ben", "Cleo"))}
    assert max_.submit(f"{team.base}/votes", **fields).status_code == 303
    (made,) = team.made("vote")
    assert (made.name, made.document_id, made.is_closed) == ("Ada+Ben+Cleo-voting", team.documents[0], True)
    expected = vote({name: [team.store.layers.document_at(team.layers[name, 0])] for name in ("Ada", "Ben", "Cleo")})
    doc = team.store.layers.document_at(made.id)
    assert doc == canonical(next(iter(expected)))
    assert frozenset([(0,), (6,), (19,)]) in spans(doc)


def test_a_vote_lists_its_sources_and_can_be_repeated(team: Team, max_: Browser) -> None:
    max_.submit(f"{team.base}/votes", **{"version 0": "annotation:Ada", "version 1": "annotation:Ben", "name": "AB"})
    for layer, number in zip(team.made("vote"), (0, 1), strict=True):
        origin = Origin.of(layer)
        assert origin is not None
        assert [(source.layer, source.revision) for source in origin.sources] == [
            (team.layers["Ada", number], 1),
            (team.layers["Ben", number], 1),
        ]
        assert recreate(team.store, layer) == team.store.layers.document_at(layer.id, 0)
        assert "Reproducible: " in max_.see(team.layer_path(layer.id, "/origin"))


def test_a_record_that_does_not_fit_is_found_out(team: Team, max_: Browser) -> None:
    max_.submit(f"{team.base}/votes", **{"version 0": "annotation:Ada", "version 1": "annotation:Ben"})
    layer = team.made("vote")[0]
    with team.store.write() as session:
        row = session.get_one(type(layer), layer.id)
        origin = Origin.of(row)
        assert origin is not None
        row.origin = {
            **origin.to_json(),
            "sources": [[team.layers["Ada", 0], 0, "Ada"], [team.layers["Ben", 0], 0, "Ben"]],
        }
    assert "Not reproducible: " in max_.see(team.layer_path(layer.id, "/origin"))


def test_the_process_of_preco(store: Store) -> None:
    """A, B, C annotate; D, E, F merge two each; D, E, F are voted on, and the table compares the ways."""
    team = make_team(store)
    for name, marks in (("Ada", ADA), ("Ben", BEN), ("Cleo", CLEO)):
        annotate(team, name, marks)
    dora = team.browser("Dora")
    dora.see("/")
    merges = {"D": ("Ada", "Ben"), "E": ("Ada", "Cleo"), "F": ("Ben", "Cleo"), "AB": ("Ada", "Ben")}
    for name, sources in merges.items():
        layers = ",".join(str(team.layers[source, 0]) for source in sources)
        path = f"{team.base}/documents/{team.documents[0]}/adjudications"
        answer = dora.submit(path, layers=layers, kind="merge", name=name)
        found = re.search(r"layers/(\d+)/", answer.headers["location"])
        assert found
        dora.submit(team.layer_path(int(found[1]), "/finish"), finished="yes")
    text = dora.see(f"{team.base}/quality")
    order = re.findall(r'<tr><th scope="row">(\w+)</th><td>(\w+)</td>', text)
    assert sorted(order) == sorted([(n, "annotation") for n in ("Ada", "Ben", "Cleo")] + [(n, "merge") for n in merges])
    numbers = {name: number for number, (name, _) in enumerate(order)}
    dora.submit(f"{team.base}/votes", **{f"version {numbers[name]}": f"merge:{name}" for name in "DEF"})
    (voted,) = team.made("vote")
    assert voted.name == "DEF-voting"
    assert recreate(store, voted) == store.layers.document_at(voted.id, 0)
    roles = {"Ada": "once", "Ben": "once", "Cleo": "once", "AB": "merged", "D": "final", "E": "final", "F": "final"}
    query = "&".join(f"as+{kind}:{name}={roles[name]}" for name, kind in order)
    text = dora.see(f"{team.base}/quality?{query}")
    for label in ("once", "Ada+Ben+Cleo-voting", "AB-merge", "DEF-voting"):
        assert f'<th scope="row">{label}</th>' in text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "choose at least two"),
        ({"version 0": "annotation:Ada"}, "choose at least two"),
        ({"version 0": "annotation:Ada", "version 1": "annotation:Ben", "least": "3"}, "choose 1 to 2"),
        ({"version 0": "annotation:Nobody", "version 1": "annotation:Ben"}, "choose at least two"),
    ],
)
def test_bad_votes_make_nothing(team: Team, max_: Browser, fields: dict[str, str], message: str) -> None:
    answer = max_.submit(f"{team.base}/votes", **fields)
    assert (answer.status_code, message in answer.text) == (422, True), answer.text
    assert team.made("vote") == []


def test_a_layer_annotated_from_scratch_has_no_origin(team: Team, max_: Browser) -> None:
    answer = max_.get(team.layer_path(team.layers["Ada", 0], "/origin"))
    assert (answer.status_code, "was annotated from scratch" in answer.text) == (422, True)


def test_what_was_voted_is_exported_by_its_name(team: Team, max_: Browser) -> None:
    max_.submit(f"{team.base}/votes", **{"version 0": "annotation:Ada", "version 1": "annotation:Ben", "name": "AB"})
    assert '<option value="vote:AB">' in max_.see(team.base)
    answer = max_.get(f"{team.base}/export?layers=vote:AB&format=json&as=file")
    assert answer.status_code == 200, answer.text
    assert answer.text.count('"id": "d') == 2
    assert "nothing to export" in max_.get(f"{team.base}/export?layers=vote:ABC&format=json").text


def test_a_member_s_export_has_each_document_once(team: Team, max_: Browser) -> None:
    """What was voted or merged by the same person is not theirs to annotate."""
    max_.submit(f"{team.base}/votes", **{"version 0": "annotation:Ada", "version 1": "annotation:Ben"})
    answer = max_.get(f"{team.base}/export?layers={team.users['Max']}&format=json")
    assert "nothing to export" in answer.text
    text = max_.get(f"{team.base}/export?layers={team.users['Ada']}&format=json").text
    assert text.count('"id": "d') == 2
