"""Anonymity: where a phase hides names, no name shows in any form, message, log or report."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime
from pathlib import Path

import pytest

from campaigns.world import BAD, GOOD, HALF, World, text
from coindex.campaigns.offline import campaign_findings, score_campaign
from coindex.campaigns.scoring import Run
from coindex.campaigns.visibility import Aliases, draw_aliases
from coindex.errors import CoindexError

TEAMS = ("Quokka", "lower lab", "zebra.net")
AFTER = datetime(2030, 2, 1, tzinfo=UTC)
FORMS = ("text", "json", "csv", "markdown", "latex", "html")


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.answer(f"{TEAMS[0]}@{TEAMS[0]}-big", GOOD)
    world.answer(f"{TEAMS[0]}@2", HALF)
    world.answer(TEAMS[1], BAD)
    broken = world.answer(TEAMS[2], HALF)
    (broken / "x.conllu").write_text(text(HALF, "x1"), encoding="utf-8")
    return world


def names_in(shown: str) -> list[str]:
    return [team for team in TEAMS if team.casefold() in shown.casefold()]


def test_no_name_shows_where_the_phase_hides_it(world: World) -> None:
    board = score_campaign(
        world.file, world.keys, world.received, scores=world.scores, role="public", phase="evaluation", now=AFTER
    )
    for form in FORMS:
        assert names_in(board.render(form)) == []
    assert names_in(repr(board)) == []
    assert names_in("\n".join(board.log)) == []
    assert names_in((world.scores / "log.txt").read_text(encoding="utf-8")) == []
    assert "not scored" in board.render("text"), "the message of the failed run is there, without its folder"
    shown = score_campaign(world.file, world.keys, world.received, scores=world.scores)
    assert names_in(shown.render("text")) == list(TEAMS), "or this test finds nothing anywhere"


def test_no_name_shows_in_findings(world: World) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = campaign_findings(world.file, world.keys, world.received, scores=world.scores, anonymous=True)
    for form in FORMS:
        assert names_in(made.render(form)) == []
    assert names_in("\n".join(str(one.message) for one in caught)) == []


@pytest.mark.parametrize("role", ["team", "public"])
def test_hidden_scores_are_refused(world: World, role: str) -> None:
    before = datetime(2030, 1, 31, 23, 59, 59, tzinfo=UTC)
    with pytest.raises(CoindexError, match="hidden"):
        score_campaign(world.file, world.keys, world.received, role=role, phase="evaluation", now=before)  # type: ignore[arg-type]
    with pytest.raises(CoindexError, match="no phase"):
        score_campaign(world.file, world.keys, world.received, role=role, now=AFTER)  # type: ignore[arg-type]


def test_aliases_stay(world: World) -> None:
    boards = [
        score_campaign(world.file, world.keys, world.received, scores=world.scores, anonymous=True) for _ in range(2)
    ]
    assert boards[0].render("csv") == boards[1].render("csv")
    world.answer("new", HALF)
    third = score_campaign(world.file, world.keys, world.received, scores=world.scores, anonymous=True)
    known = {row.label for row in boards[0].tables[0].rows}
    assert {row.label for row in third.tables[0].rows} == known | {"S4"}


def test_without_a_folder_aliases_would_change(world: World) -> None:
    with pytest.raises(CoindexError, match="--scores"):
        score_campaign(world.file, world.keys, world.received, anonymous=True)


# --- the layer itself


def test_aliases_are_dealt_by_chance() -> None:
    teams = [f"team{number}" for number in range(30)]
    one, other = (draw_aliases(teams, seed=seed) for seed in (1, 2))
    assert set(one.names.values()) == {f"S{number}" for number in range(1, 31)}
    assert one.names != other.names
    assert draw_aliases(reversed(teams), seed=1) == one
    kept = draw_aliases([*teams, "more"], seed=9, given=one.names)
    assert {team: kept.names[team] for team in teams} == one.names


def test_a_team_called_like_an_alias() -> None:
    found = draw_aliases(["S1", "s2", "other"], seed=0)
    assert {alias.casefold() for alias in found.names.values()}.isdisjoint({"s1", "s2"})
    with pytest.raises(CoindexError, match="is a team's name"):
        Aliases({"S1": "S2", "S2": "S3"})
    with pytest.raises(CoindexError, match="two teams have the same alias"):
        Aliases({"a": "S2", "b": "S2"})


def test_texts() -> None:
    aliases = Aliases({"mill": "S1", "mill-two": "S2", "a.b": "S3"})
    assert aliases.text("received/mill.zip/x: MILL, mill-two@3, a.b, axb") == "received/S1.zip/x: S1, S2@3, S3, axb"
    assert aliases.text("a windmill") == "a windmill", "whole words only"


def test_a_team_knows_itself() -> None:
    aliases = Aliases({"mill": "S1", "lake": "S2"}).but("mill")
    runs = [Run(team=team, name="secret", track="t", failure=f"{team} failed") for team in ("mill", "lake")]
    found = {run.team: run for run in aliases.apply(runs)}
    assert (found["mill"].name, found["mill"].failure) == ("secret", "mill failed")
    assert (found["S2"].name, found["S2"].failure) == ("1", "S2 failed"), "the name of a run can reveal its team"
