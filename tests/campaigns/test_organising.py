"""Definitions, keys, teams, links, tokens; and that a backup has all of it."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from campaigns.server_world import ServerWorld, answer, definition
from campaigns.world import BAD, GOOD
from coindex.annotation_app.layers import open_store
from coindex.campaigns import boards, key_review, organising, submissions, teams
from coindex.campaigns.keys import download_key, key_history
from coindex.campaigns.server import CampaignServer, ClosedError, ForbiddenError, viewer_of
from coindex.campaigns.submissions import download_input
from coindex.campaigns.worker import run_all
from coindex.errors import CoindexError
from coindex.server import accounts
from coindex.server.accounts import WrongLinkError, find_user
from coindex.server.backup import back_up, restore
from coindex.server.database import Store
from wording import says

# --- definitions


def test_definitions_are_kept_with_who_and_why(both: ServerWorld) -> None:
    world = both
    changed = definition().replace("A tiny task", "A small task")
    assert organising.save_definition(world.server, world.organiser, changed, version=1, why="it grew") == 2
    with pytest.raises(CoindexError, match="version 2 of the definition was saved meanwhile"):
        organising.save_definition(world.server, world.organiser, changed, version=1)
    history = organising.definition_history(world.server, world.organiser)
    assert [(one.number, one.by, one.why) for one in history] == [(2, "olga", "it grew"), (1, "olga", "")]
    assert history[1].text == definition()
    assert organising.get_campaign(world.server, world.organiser).title == "A small task"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "tiny"', 'name = "other"', "the campaign name 'tiny' cannot be changed"),
        ('name = "evaluation"', 'name = "test"', "unknown phase that after releases"),
        ('primary = "conll"', 'primary = "konll"', "unknown metric"),
        ("[[tracks]]", "[[tracks]", "invalid TOML"),
    ],
)
def test_definitions_that_cannot_be(world: ServerWorld, old: str, new: str, message: str) -> None:
    with pytest.raises(CoindexError, match=message):
        organising.save_definition(world.server, world.organiser, definition().replace(old, new), version=1)
    assert organising.get_campaign(world.server, world.organiser).version == 1


def test_another_profile_rescores_everything_and_keeps_the_old_scores(world: ServerWorld) -> None:
    world.submit(world.add_team("mill"), BAD)
    run_all(world.server)
    text = definition().replace('profile = "crac22"', 'profile = "crac24"')
    organising.save_definition(world.server, world.organiser, text, version=1)
    assert run_all(world.server) == 1
    (one,) = submissions.list_submissions(world.server, world.organiser)
    history = key_review.score_history(world.server, world.organiser, one.id)
    assert [("crac24" in version.signature, version.is_current) for version in history] == [
        (False, False),
        (True, True),
    ]


def test_a_new_title_rescores_nothing(world: ServerWorld) -> None:
    world.submit(world.add_team("mill"))
    run_all(world.server)
    organising.save_definition(world.server, world.organiser, definition().replace("tiny task", "task"), version=1)
    assert run_all(world.server) == 0


def test_an_upgrade_of_the_program_rescores(world: ServerWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.submit(world.add_team("mill"))
    run_all(world.server)
    assert key_review.queue_outdated(world.server) == 0
    monkeypatch.setattr("coindex.campaigns.setups._source", lambda track, key, off: "another version")
    assert key_review.queue_outdated(world.server) == 1
    assert key_review.queue_outdated(world.server) == 0, "it waits already"


# --- keys


def test_a_phase_without_a_key_uses_that_of_the_phase_it_releases(world: ServerWorld) -> None:
    world.clock.forward(days=40)
    team = world.add_team("mill")
    given = download_input(world.server, team, "after")
    assert given.content == download_input(world.server, world.organiser, "evaluation").content
    assert world.submit(team, phase="after").submission is not None
    assert run_all(world.server) == 1
    assert len(boards.board(world.server, team, "after", "main").rows) == 1


def test_a_new_key_takes_the_place_of_the_old_which_stays(world: ServerWorld) -> None:
    world.submit(world.add_team("mill"), BAD)
    run_all(world.server)
    first = boards.board(world.server, world.organiser, "evaluation", "main").rows[0].values[2]
    world.upload_key(answer(BAD), why="annotated again")
    run_all(world.server)
    assert boards.board(world.server, world.organiser, "evaluation", "main").rows[0].values[2] == 1.0
    history = key_history(world.server, world.organiser)
    assert [(key.is_current, key.why) for key in history] == [(True, "annotated again"), (False, "")]
    world.upload_key(answer(GOOD))
    run_all(world.server)
    assert boards.board(world.server, world.organiser, "evaluation", "main").rows[0].values[2] == first
    (one,) = submissions.list_submissions(world.server, world.organiser)
    assert len(key_review.score_history(world.server, world.organiser, one.id)) == 2


def test_unreadable_keys_are_reported(world: ServerWorld) -> None:
    for content in (b"no zip and no corpus", answer(GOOD)[:-40]):
        with pytest.raises(CoindexError) as refused:
            world.upload_key(content)
        assert "/tmp" not in str(refused.value)
    assert len(key_history(world.server, world.organiser)) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("notes.html", "<!DOCTYPE html><html></html>", "notes.html: an HTML page; extract its text first"),
        ("more.are.xml", '<are task="1" kind="response"></are>', "more.are.xml: no document; "),
        ("z.conllu", "# newdoc id = z\n1\tAnn\n\n", "z.conllu:2: 2 columns"),
    ],
)
def test_no_file_of_a_key_is_left_out(world: ServerWorld, name: str, content: str, message: str) -> None:
    key = io.BytesIO(answer(GOOD))
    with zipfile.ZipFile(key, "a") as archive:
        archive.writestr(name, content)
    with pytest.raises(CoindexError) as refused:
        world.upload_key(key.getvalue())
    assert refused.value.code == "invalid-upload"
    assert says(refused.value, message)
    assert len(key_history(world.server, world.organiser)) == 1


def test_a_chain_that_is_not_there_is_not_switched(world: ServerWorld) -> None:
    with pytest.raises(CoindexError, match="no such chain in the key"):
        key_review.switch_chain(world.server, world.organiser, "evaluation", document="x1", entity="z", reason="odd")
    with pytest.raises(CoindexError, match="enter a reason"):
        key_review.switch_chain(world.server, world.organiser, "evaluation", document="x1", entity="a", reason=" ")
    with pytest.raises(CoindexError, match="is already included"):
        key_review.switch_chain(
            world.server, world.organiser, "evaluation", document="x1", entity="a", reason="odd", off=False
        )


# --- teams


def test_teams_register_join_and_leave(both: ServerWorld) -> None:
    world, server = both, both.server
    mill = world.add_team("Mill", "mia")
    world.add_user("nan")
    for name, message in (
        ("MILL", "is already taken"),
        ("coindex-team-1", "cannot start with"),
        (" ", "empty team's name"),
    ):
        with pytest.raises(CoindexError, match=message):
            teams.register_team(server, world.viewer("nan"), name)
    with pytest.raises(CoindexError, match="already in a team of this campaign"):
        teams.register_team(server, mill, "Second")
    secret = teams.invite_member(server, mill)
    assert teams.find_invitation(server, secret).team == "Mill"
    max_user = world.add_user("max")
    teams.join(server, secret, max_user.id)
    assert world.viewer("max").team == mill.team
    late = world.add_user("late")
    with pytest.raises(WrongLinkError):
        teams.join(server, secret, late.id)
    (team,) = teams.list_teams(server, mill)
    assert team.members == ["max", "mia"]
    teams.leave(server, world.viewer("max"))
    assert world.viewer("max").role == "public"


def test_links_end(world: ServerWorld) -> None:
    secret = teams.invite_member(world.server, world.add_team("mill"))
    late = world.add_user("late")
    world.clock.forward(days=7)
    with pytest.raises(WrongLinkError):
        teams.join(world.server, secret, late.id)


def test_registration_by_invitation_and_closed(world: ServerWorld) -> None:
    pat = world.add_user("pat")
    organising.set_registration(world.server, world.organiser, "invited")
    with pytest.raises(ClosedError, match="registration is by invitation only"):
        teams.register_team(world.server, world.viewer("pat"), "mill")
    secret = teams.invite_team(world.server, world.organiser)
    teams.join(world.server, secret, pat.id, team_name="mill")
    assert [team.name for team in teams.list_teams(world.server, world.organiser)] == ["mill"]
    organising.set_registration(world.server, world.organiser, "closed")
    with pytest.raises(ClosedError, match="registration is closed"):
        teams.sign_up(world.server, world.campaign, user_name="new", password="long enough 1", team_name="lake")
    with world.store.read() as session:
        assert find_user(session, "new") is None
    with pytest.raises(ForbiddenError, match="log in first"):
        teams.register_team(world.server, world.viewer(None), "lake")


# --- tokens


def test_tokens_open_close_and_end(store: Store) -> None:
    world = ServerWorld(store)
    mia, max_user, at = world.add_user("mia"), world.add_user("max"), world.clock()
    with store.write() as session:
        secret = accounts.make_token(session, mia.id, "laptop", at=at, expires=at + timedelta(days=1))
        with pytest.raises(CoindexError, match="you already have a token 'laptop'"):
            accounts.make_token(session, mia.id, "laptop", at=at)
    with store.read() as session:
        found = accounts.find_token(session, secret, at=at)
        assert found is not None
        assert found[0].name == "mia"
        assert secret not in found[1].hash
        assert not accounts.is_use_noted(found[1], at)
        assert accounts.find_token(session, secret + "x", at=at) is None
        assert accounts.find_token(session, secret, at=at + timedelta(days=1)) is None
    token = found[1].id
    with store.write() as session:
        accounts.note_use(session, token, at=at)
        with pytest.raises(CoindexError, match="you have no token"):
            accounts.revoke_token(session, max_user.id, token)
    with store.write() as session:
        assert [one.last_used for one in accounts.tokens(session, mia.id)] == [at]
        accounts.revoke_token(session, mia.id, token)
        assert accounts.find_token(session, secret, at=at) is None
    world.close()


# --- backup


def test_a_backup_has_keys_submissions_and_scores(both: ServerWorld, other_place: str, tmp_path: Path) -> None:
    world = both
    mill = world.add_team("mill")
    sent = world.submit(mill, BAD).submission or 0
    run_all(world.server)
    world.submit(mill, GOOD)
    back_up(world.store.database, tmp_path / "backup.gz")
    restore(other_place, tmp_path / "backup.gz")
    store = open_store(other_place)
    server = CampaignServer(store, clock=world.clock)
    with store.read() as session:
        viewer = viewer_of(server, world.campaign, find_user(session, "olga"))
    key = download_key(world.server, world.organiser, "evaluation")
    assert download_key(server, viewer, "evaluation").content == key.content
    assert submissions.download_submission(server, viewer, sent).content == answer(BAD)
    assert boards.board(server, viewer, "evaluation", "main") == boards.board(
        world.server, world.organiser, "evaluation", "main"
    )
    assert run_all(server) == 1, "what waited goes on"
    server.close()
    store.close()
