"""Who did what and when: with names, for those who may see it, in pages."""

from __future__ import annotations

import re

import pytest

from coindex.server import models
from coindex.server.database import Store
from web_team import ADA, BEN, Team, annotate, make_team
from web_world import World

ROW = re.compile(r"</time></td><td>(.*?)</td><td>(.*?)</td>(?:<td>.*?</td>)?<td>(.*?)</td></tr>")


def rows(text: str) -> list[tuple[str, str, str]]:
    """Who, what and more, without markup."""
    return [tuple(re.sub("<.*?>", "", cell) for cell in row) for row in ROW.findall(text)]


@pytest.fixture
def team(store: Store) -> Team:
    made = make_team(store)
    annotate(made, "Ada", ADA)
    annotate(made, "Ben", BEN)
    return made


def test_actions_are_listed_with_names(team: Team) -> None:
    max_ = team.browser("Max")
    layer = team.layers["Ada", 0]
    max_.see(team.base)
    max_.submit(team.layer_path(layer, "/publish"), published="yes")
    max_.submit(f"{team.base}/members/{team.users['Cleo']}", role="viewer")
    with team.store.write() as session:
        models.record(session, "imported", user=team.users["Max"], project=team.project, documents=1, left_out=0)
    max_.submit(f"{team.base}/assignments", document=str(team.documents[0]), user=str(team.users["Dora"]))
    told = rows(max_.see(f"{team.base}/history"))
    assert told == [
        ("Max", "assigned", "to: Dora; documents: d1"),
        ("Max", "imported", "documents: 1; left out: 0"),
        ("Max", "role", "of: Cleo; role: viewer"),
        ("Max", "published", "layer: Ada of d1; on: yes"),
    ]
    of_dora = max_.see(f"{team.base}/history?person={team.users['Dora']}")
    assert rows(of_dora) == []


def test_the_history_names_the_assignment(team: Team) -> None:
    ada = team.browser("Ada")
    ada.see(team.base)
    with team.store.read() as session:
        assignment = next(row.id for row, *_ in _given(session, team) if row.user_id == team.users["Ada"])
    ada.submit(f"{team.base}/assignments/{assignment}", to="reopen")
    assert rows(team.browser("Max").see(f"{team.base}/history")) == [("Ada", "reopened", "assignment: d1 of Ada")]


def _given(session, team: Team):  # type: ignore[no-untyped-def]
    from coindex.annotation_app import assignments

    return assignments.of_project(session, team.project)


def test_pages_go_back_and_hostile_names_are_escaped(world: World) -> None:
    with world.store.write() as session:
        for number in range(205):
            models.record(session, "noted", user=None, project=world.project, why=f"<b>{number}</b>")
    manager = world.browser("manager")
    seen, path = [], f"/projects/{world.project}/history"
    while True:
        text = manager.see(path)
        assert "<b>" not in text
        seen += re.findall(r"&lt;b&gt;(\d+)&lt;/b&gt;", text)
        more = re.search(r'<a href="(\?before=\d+)">Older entries', text)
        if more is None:
            break
        path = f"/projects/{world.project}/history{more[1]}"
    assert seen == [str(number) for number in reversed(range(205))]


def test_an_administrator_sees_all_projects(world: World) -> None:
    with world.store.write() as session:
        models.record(session, "noted", user=world.users["manager"], project=world.project)
        models.record(session, "locked", user=world.users["administrator"], of=world.users["viewer"])
    told = rows(world.browser("administrator").see("/history"))
    assert told[:2] == [("administrator", "locked", "of: viewer"), ("manager", "noted", "")]
