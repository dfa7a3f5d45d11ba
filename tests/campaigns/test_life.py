"""A campaign from its first upload to its findings."""

from __future__ import annotations

import json

import pytest

from campaigns.server_world import ServerWorld
from campaigns.world import BAD, GOOD, HALF
from coindex.analysis.writers import render
from coindex.campaigns import boards, key_review, submissions
from coindex.campaigns.server import NotFoundError
from coindex.campaigns.worker import run_all


def test_a_whole_campaign(both: ServerWorld) -> None:
    world, server = both, both.server
    mill, lake = world.add_team("mill"), world.add_team("lake")
    world.submit(mill, HALF)
    world.submit(mill, GOOD)
    world.submit(lake, BAD)
    assert {one.state for one in submissions.list_submissions(server, world.organiser)} == {"waiting"}
    assert run_all(server) == 3
    assert [one.state for one in submissions.list_submissions(server, mill)] == ["done", "done"]

    table = boards.board(server, world.organiser, "evaluation", "main")
    assert [(row.label, row.values[0], row.values[1]) for row in table.rows] == [("mill", 1, "2"), ("lake", 2, "1")]
    assert table.rows[0].values[2] == 1.0

    own = boards.board(server, mill, "evaluation", "main")
    assert [row.label for row in own.rows] == ["mill"]
    with pytest.raises(NotFoundError, match="not visible"):
        boards.board(server, world.viewer(None), "evaluation", "main")

    world.clock.forward(days=40)
    shown = boards.board(server, world.viewer(None), "evaluation", "main")
    assert [row.label for row in shown.rows] == ["mill", "lake"]

    key_review.request_findings(server, world.organiser, "evaluation")
    sample = key_review.request_sample(server, world.organiser, "evaluation", "main", size=3)
    assert run_all(server) == 2
    state = key_review.findings_state(server, world.organiser, "evaluation")
    assert (state.state, state.error) == ("done", "")
    assert "mill" in key_review.findings(server, world.organiser, "evaluation", "markdown")
    assert json.loads(key_review.findings(server, world.organiser, "evaluation", "json"))
    drawn = key_review.sample(server, world.organiser, sample)
    assert {item.kind for item in drawn.items} == {"matched", "wrong", "missed"}
    assert {item.system.partition("@")[0] for item in drawn.items} <= {"mill", "lake"}
    key_review.give_verdict(server, world.organiser, sample, drawn.items[0].id, "disputed", comment="both can be")
    assert key_review.sample(server, world.organiser, sample).items[0].verdict == "disputed"
    assert "Disputed" in render([key_review.verdict_table(server, world.organiser, sample)], "text")


def test_rescoring_keeps_old_scores_and_logs_who_and_why(both: ServerWorld) -> None:
    world, server = both, both.server
    mill = world.add_team("mill")
    world.submit(mill, {0: "a", 4: "a", 10: "a", 2: "b", 6: "b"})
    run_all(server)
    (one,) = submissions.list_submissions(server, world.organiser)
    before = one.scores
    chain = {"dataset": "x", "document": "x1", "entity": "a"}
    queued = key_review.switch_chain(server, world.organiser, "evaluation", **chain, reason="generic")
    assert queued == 1
    assert boards.board(server, world.organiser, "evaluation", "main").rows == []
    assert "are being rescored" in boards.board(server, world.organiser, "evaluation", "main").remarks[-1]
    run_all(server)
    (one,) = submissions.list_submissions(server, world.organiser)
    assert one.scores != before
    history = key_review.score_history(server, world.organiser, one.id)
    assert [version.is_current for version in history] == [False, True]
    assert [bool(version.switched_off) for version in history] == [False, True]
    (switch,) = key_review.switches(server, world.organiser)
    assert (switch.by, switch.entity, switch.reason, switch.is_off) == ("olga", "a", "generic", True)

    key_review.switch_chain(server, world.organiser, "evaluation", **chain, reason="no, it is fine", off=False)
    run_all(server)
    (one,) = submissions.list_submissions(server, world.organiser)
    assert one.scores == before
    assert len(key_review.score_history(server, world.organiser, one.id)) == 2
