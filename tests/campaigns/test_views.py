"""Who sees what: boards, lists and logs through one layer of rights and aliases."""

from __future__ import annotations

import logging
from dataclasses import asdict
from pathlib import Path

import pytest
from sqlalchemy import select

from campaigns.server_world import ServerWorld, answer, definition
from campaigns.world import BAD, GOOD, HALF
from coindex.analysis.writers import render
from coindex.annotation_app.layers import open_store
from coindex.campaigns import boards, key_review, organising, submissions
from coindex.campaigns.keys import download_key, key_history
from coindex.campaigns.models import LogRow, SubmissionRow
from coindex.campaigns.server import ClosedError, ForbiddenError, NotFoundError
from coindex.campaigns.submissions import submit
from coindex.campaigns.teams import list_teams
from coindex.campaigns.worker import run_all
from coindex.errors import CoindexError

OPEN = definition().replace('scores = "own"', 'scores = "teams"')
"""Teams see the scores of all, under aliases."""


def test_names_that_are_hidden_are_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    store = open_store(tmp_path / "a.db")
    world = ServerWorld(store, text=OPEN)
    mill, lake = world.add_team("Millstone", "mia"), world.add_team("Lakeside", "leo")
    world.submit(mill, GOOD, run="millstone final")
    submit(world.server, lake, "evaluation", file_name="lakeside.zip", content=answer(HALF))
    failed = world.submit(mill, BAD).submission
    with store.write() as session:
        row = session.get_one(SubmissionRow, failed)
        row.outcome, row.failure = "failed", "millstone.zip: what Millstone wrote"
    run_all(world.server)
    seen = [
        render([boards.board(world.server, lake, "evaluation", "main")], form)
        for form in ("text", "csv", "json", "html")
    ]
    seen += [str([asdict(one) for one in submissions.list_submissions(world.server, lake)])]
    seen += [str([asdict(team) for team in list_teams(world.server, lake)])]
    told = "\n".join(seen)
    assert "millstone" not in told.lower()
    assert "mia" not in told
    assert "Lakeside" in told, "a team knows its own name"
    assert len(boards.board(world.server, lake, "evaluation", "main").rows) == 2

    public = world.viewer(None)
    assert boards.visible_boards(world.server, public) == []
    assert submissions.list_submissions(world.server, public) == []
    names = [team.name for team in list_teams(world.server, public)]
    assert all(name.startswith("S") and name[1:].isdecimal() for name in names)
    with store.read() as session:
        kept = " ".join(str((row.action, row.detail)) for row in session.scalars(select(LogRow)))
    assert "millstone" not in (caplog.text + kept).lower()

    world.clock.forward(days=40)  # another phase shows all
    assert {row.label for row in boards.board(world.server, public, "evaluation", "main").rows} == {
        "Millstone",
        "Lakeside",
    }
    world.close()
    store.close()


def test_aliases_stay_and_do_not_reveal_the_order(world: ServerWorld) -> None:
    for number in range(12):
        world.add_team(f"team{number}")
    first = {team.name: team.alias for team in list_teams(world.server, world.organiser)}
    assert len(set(first.values())) == 12
    order = [int(str(first[f"team{number}"])[1:]) for number in range(12)]
    assert order != sorted(order)  # once in 479 million it would be
    world.add_team("late")
    again = {team.name: team.alias for team in list_teams(world.server, world.organiser)}
    assert again.items() >= first.items()


def test_the_key_is_for_whom_the_phase_shows_it(world: ServerWorld) -> None:
    team = world.add_team("mill")
    assert download_key(world.server, world.organiser, "evaluation").content
    for viewer in (team, world.viewer(None)):
        with pytest.raises(NotFoundError, match="is not visible"):
            download_key(world.server, viewer, "evaluation")


def test_actions_of_organisers_are_refused_to_teams(world: ServerWorld) -> None:
    team, server = world.add_team("mill"), world.server
    acts = [
        lambda: organising.save_definition(server, team, definition(), version=1),
        lambda: organising.definition_history(server, team),
        lambda: organising.set_published(server, team, False),
        lambda: organising.organisers(server, team),
        lambda: organising.add_organiser(server, team, "of-mill"),
        lambda: organising.log_of(server, team),
        lambda: key_history(server, team),
        lambda: key_review.rescore(server, team, why="I want more"),
        lambda: key_review.retry(server, team, 1),
        lambda: key_review.switch_chain(server, team, "evaluation", document="x1", entity="a", reason="mine"),
        lambda: key_review.switches(server, team),
        lambda: key_review.list_excluded_entities(server, team, "evaluation"),
        lambda: key_review.score_history(server, team, 1),
        lambda: key_review.request_findings(server, team, "evaluation"),
        lambda: key_review.findings(server, team, "evaluation", "text"),
        lambda: key_review.request_sample(server, team, "evaluation", "main"),
        lambda: key_review.samples(server, team),
        lambda: key_review.sample(server, team, 1),
    ]
    for act in acts:
        with pytest.raises(ForbiddenError, match="only organisers of the campaign"):
            act()
    assert organising.get_campaign(server, team).text == ""


def test_drafts_are_not_there_for_others(world: ServerWorld) -> None:
    organising.set_published(world.server, world.organiser, False)
    with pytest.raises(NotFoundError, match="there is no campaign"):
        world.viewer(None)
    assert organising.list_campaigns(world.server, None) == []
    assert [info.name for info, _ in organising.list_campaigns(world.server, world.organiser_user)] == ["tiny"]


def test_documents_and_their_errors_are_for_the_team_itself(world: ServerWorld) -> None:
    mill, lake = world.add_team("mill"), world.add_team("lake")
    sent = world.submit(mill, HALF).submission or 0
    run_all(world.server)
    table = boards.document_scores(world.server, mill, sent, "main")
    assert [(row.section, row.label) for row in table.rows] == [("x", "x1"), ("x", "x2"), ("y", "y1"), ("y", "y2")]
    found = boards.document_errors(world.server, mill, sent, "main", dataset="x", document="x1")
    assert {error["kind"] for error in found} >= {"missed"}
    assert all(error["document"] == "x1" for error in found)
    with pytest.raises(CoindexError, match="no document 'y1' in x"):
        boards.document_errors(world.server, mill, sent, "main", dataset="x", document="y1")
    for act in (
        lambda: boards.document_scores(world.server, lake, sent, "main"),
        lambda: boards.document_errors(world.server, lake, sent, "main", dataset="x", document="x1"),
    ):
        with pytest.raises(NotFoundError, match="are not visible"):
            act()


def test_a_team_compares_its_runs(world: ServerWorld) -> None:
    mill, lake = world.add_team("mill"), world.add_team("lake")
    for marks in (HALF, GOOD):
        world.submit(mill, marks)
    world.submit(lake, BAD)
    run_all(world.server)
    table = boards.own_runs(world.server, mill, "evaluation", "main")
    assert [(row.label, row.values[2] == 1.0) for row in table.rows] == [("2", True), ("1", False)]
    assert {"conll", "lea", "muc", "b3"} <= {column.name for column in table.columns}


def test_a_team_chooses_the_run_that_counts(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a.db")
    world = ServerWorld(store, text=definition(counts="chosen"))
    mill = world.add_team("mill")
    first = world.submit(mill, HALF).submission or 0
    world.submit(mill, GOOD)
    run_all(world.server)

    def counted() -> list[object]:
        return [row.values[1] for row in boards.board(world.server, world.organiser, "evaluation", "main").rows]

    assert counted() == ["2"], "the last, where none was chosen"
    submissions.choose(world.server, mill, first, "main")
    assert counted() == ["1"]
    assert submissions.submission(world.server, mill, first).chosen_for == ["main"]
    world.clock.forward(days=8)
    with pytest.raises(ClosedError, match="evaluation is closed"):
        submissions.choose(world.server, mill, first, "main")
    world.close()
    store.close()


def test_where_the_best_run_counts_there_is_no_choice(world: ServerWorld) -> None:
    mill = world.add_team("mill")
    sent = world.submit(mill).submission or 0
    with pytest.raises(CoindexError, match="ranks the best run of each team"):
        submissions.choose(world.server, mill, sent, "main")
