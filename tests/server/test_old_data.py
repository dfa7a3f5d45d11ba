"""What coindex 0.1.0 left behind still works: its database, its backup, and everything that is in them.

`tests/data/v0.1.0/make_world.py` made the files. Their times are in 2025, and so is the clock here.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.testclient import TestClient

import coindex
from campaign_pages import Program
from coindex.annotation_app import projects
from coindex.annotation_app.adjudication import comparison_of, list_decisions
from coindex.annotation_app.layers import Appended, Operation, open_store
from coindex.annotation_app.models import Layer
from coindex.campaigns.key_review import queue_outdated
from coindex.campaigns.worker import run_all
from coindex.document import Document
from coindex.server import accounts
from coindex.server.backup import back_up, restore
from coindex.server.database import Store
from coindex.serving import app
from web_world import BASE, Browser

FOLDER = Path(__file__).parents[1] / "data" / "v0.1.0"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
NOT_OURS = {"alembic_version", "sqlite_sequence"}


def clock() -> datetime:
    return datetime(2025, 3, 1, tzinfo=UTC)


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    """A copy of the database, as the old version left it."""
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((FOLDER / "coindex.db.gz").read_bytes()))
    return path


@pytest.fixture
def old_store(old_file: Path) -> Iterator[Store]:
    store = open_store(old_file)
    yield store
    store.close()


@pytest.fixture
def old_app(old_store: Store) -> Iterator[Starlette]:
    made = app(old_store, clock=clock)
    yield made
    made.state.campaigns.close()


def rows_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of an SQLite file as they are stored."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: [dict(row) for row in connection.execute(f"SELECT * FROM {name}")]
            for name in tables
            if name not in NOT_OURS
        }


def dump_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of a backup; times in UTC, whatever the database made of them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in gzip.decompress(path.read_bytes()).splitlines():
        record = json.loads(line, object_hook=_time)
        if "table" in record:
            found.setdefault(record["table"], []).extend(record["rows"])
    return found


def _time(record: dict[str, Any]) -> Any:
    return datetime.fromisoformat(record["time"]).astimezone(UTC) if record.keys() == {"time"} else record


def assert_all_there(old: dict[str, list[dict[str, Any]]], new: dict[str, list[dict[str, Any]]]) -> None:
    """Every table has the same rows; columns that the old ones did not have are left out of account."""
    for name in old:
        columns = list(old[name][0])
        expected, found = (
            sorted(repr([row[column] for column in columns]) for row in side[name]) for side in (old, new)
        )
        assert found == expected, name


# --- the database


def test_the_database_opens_with_every_row(old_file: Path) -> None:
    before = rows_of(old_file)
    assert {name: len(rows) for name, rows in before.items()} == {
        name: count for name, count in EXPECTED["tables"].items() if name not in NOT_OURS
    }
    open_store(old_file).close()
    assert_all_there(before, rows_of(old_file))


def test_passwords_still_open_accounts(old_store: Store) -> None:
    with old_store.read() as session:
        users = {user.name: user for user in accounts.users(session)}
    assert {name: user.id for name, user in users.items()} == EXPECTED["users"]
    assert accounts.check_password(users["Root"], EXPECTED["password"])
    assert users["Root"].is_administrator
    assert not accounts.check_password(users["Gone"], EXPECTED["password"]), "the account is locked"
    assert not accounts.check_password(users["Ada"], EXPECTED["password"] + "!")


def test_people_log_in_and_see_their_project(old_app: Starlette) -> None:
    for name in ("Ada", "Vic"):
        browser = Browser(old_app, base_url=BASE)
        browser.login(name, EXPECTED["password"])
        assert "Keys" in browser.see("/")


def test_roles_are_kept(old_store: Store) -> None:
    with old_store.read() as session:
        found = {user.name: role for user, role in projects.members(session, EXPECTED["project"])}
    assert found == EXPECTED["roles"]


@pytest.mark.parametrize("purpose", ["invitation", "password"])
def test_links_of_then_have_expired(old_store: Store, purpose: Any) -> None:
    with old_store.read() as session, pytest.raises(accounts.WrongLinkError):
        accounts.find_link(session, EXPECTED["secrets"][purpose], purpose)


def test_tokens_work_until_they_end(old_store: Store) -> None:
    token = EXPECTED["secrets"]["ending token"]
    for month, status in ((5, 200), (7, 401)):
        made = app(old_store, clock=lambda month=month: datetime(2025, month, 1, tzinfo=UTC))
        assert Program(made, token).get("/api/campaigns/1/team").status_code == status
        made.state.campaigns.close()


PAGES = {
    "Mara": ["/projects/1", "/projects/1/progress", "/projects/1/history", "/projects/1/settings"],
    "Dora": [
        "/projects/1/agreement",
        "/projects/1/quality",
        "/projects/1/attempts/1",
        "/projects/1/documents/1/compare?left=1&right=2",
        "/projects/1/documents/1/layers/4/adjudicate",
        "/projects/1/documents/1/layers/4/origin",
        "/projects/1/documents/1/layers/1/operations",
    ],
    "Ada": [
        "/projects/1/work",
        "/projects/1/documents/1/layers/5/suggestions",
        "/projects/1/documents/1/layers/1/data",
    ],
    "Olga": [
        f"/campaigns/1{page}"
        for page in ("", "/manage", "/teams", "/submissions", "/submissions/1", "/checking", "/findings", "/log")
    ],
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_show_old_work(old_app: Starlette, name: str) -> None:
    browser = Browser(old_app, base_url=BASE)
    browser.login(name, EXPECTED["password"])
    assert {path: browser.get(path).status_code for path in PAGES[name]} == dict.fromkeys(PAGES[name], 200)


# --- layers


def summary(doc: Document) -> str:
    """The entities of a document in a line, as `expected.json` has them."""
    return "; ".join(f"{one.id}: {' | '.join(mention.text for mention in one.mentions)}" for one in doc.entities)


def stored(layer: int) -> Document:
    """What a layer is expected to hold."""
    (doc,) = coindex.read(FOLDER / f"layer-{layer}.jsonl")
    return doc


def check_layers(store: Store) -> None:
    """Each layer has the expected document now, and had the expected entities at each revision."""
    for layer in EXPECTED["layers"]:
        state = store.layers.state(layer["id"])
        assert (state.revision, state.document) == (layer["revision"], stored(layer["id"])), layer["name"]
        steps = store.layers.log(layer["id"])
        assert [step.kind for step in steps] == layer["steps"]
        history = [summary(store.layers.document_at(layer["id"], at)) for at in range(layer["revision"] + 1)]
        assert history == layer["history"]


def test_layers_replay(old_store: Store) -> None:
    check_layers(old_store)


def test_layers_replay_from_their_first_revision(old_store: Store) -> None:
    """Without the snapshots in between, all of the log is applied."""
    with old_store.write() as session:
        assert session.execute(text("DELETE FROM snapshots WHERE revision > 0")).rowcount
    check_layers(old_store)


def test_layers_hold_what_is_hard_to_keep() -> None:
    """The expected documents have a zero, a mention with a gap, an event, a bridge and a split antecedent."""
    ada = stored(1)
    (zero,) = ada.tokens.empty_positions
    assert any(mention.positions == (zero,) for mention in ada.entity("tom").mentions)
    assert [split.antecedents for split in ada.split_antecedents] == [("ann", "tom")]
    assert [(bridge.antecedent, bridge.relation) for bridge in ada.bridges] == [("ann", "own")]
    assert not ada.entity("search").mentions[0].is_contiguous
    assert ada.entity("search").kind == "event"
    assert ada.entity("key").mentions[0].attributes == {"func": "def", "str": "noun"}


def test_work_goes_on_where_it_was(old_store: Store) -> None:
    """An open layer: what was undone is done again, and then all of it undone."""
    layer = next(one for one in EXPECTED["layers"] if one["name"] == "Ben" and not one["is_closed"])
    history, head = layer["history"], layer["revision"]
    for kind, expected in (("redo", history[2]), ("undo", history[1]), ("undo", history[0])):
        done = old_store.layers.append(layer["id"], head, [Operation(head, kind=kind)], client="new")  # type: ignore[arg-type]
        assert isinstance(done, Appended)
        head = done.revision
        assert summary(old_store.layers.document_at(layer["id"])) == expected
    assert not old_store.layers.state(layer["id"]).can_undo


def test_decisions_of_an_adjudication_are_known(old_store: Store) -> None:
    gold = next(one["id"] for one in EXPECTED["layers"] if one["kind"] == "adjudication")
    with old_store.read() as session:
        layer = session.get_one(Layer, gold)
    assert list_decisions(old_store, gold, comparison_of(old_store, layer)) == EXPECTED["decided"]


# --- the campaign


def boards(made: Starlette) -> dict[str, Any]:
    """The boards as organiser, team and world see them."""
    clients: dict[str, TestClient] = {"nobody": TestClient(made, base_url=BASE)}
    clients |= {name: Program(made, EXPECTED["tokens"][name]) for name in ("Olga", "Wanda")}
    return {
        name: {phase: _rows(client, phase) for phase in ("practice", "evaluation")} for name, client in clients.items()
    }


def _rows(client: TestClient, phase: str) -> Any:
    response = client.get(f"/api/campaigns/1/phases/{phase}/boards/main")
    if response.status_code != 200:
        return response.status_code
    return [{"team": row["team"], **row["values"]} for row in response.json()["tables"][0]["rows"]]


def approximately(found: Any) -> Any:
    """Numbers within rounding: sums may be added up in another order."""
    if isinstance(found, dict):
        return {name: approximately(value) for name, value in found.items()}
    if isinstance(found, list):
        return [approximately(value) for value in found]
    return round(found, 9) if isinstance(found, float) else found


def test_boards_show_the_scores_of_then(old_app: Starlette) -> None:
    """A newer version scores submissions again before it shows them; the numbers are the same."""
    queue_outdated(old_app.state.campaigns)
    run_all(old_app.state.campaigns)
    assert approximately(boards(old_app)) == approximately(EXPECTED["boards"])


def test_old_submissions_get_the_same_scores_again(old_store: Store, old_app: Starlette) -> None:
    with old_store.write() as session:
        session.execute(text("UPDATE campaign_scores SET source = 'another version ' || id"))
    assert boards(old_app)["nobody"]["evaluation"] == []
    assert queue_outdated(old_app.state.campaigns) == 5, "all but the one that was cancelled"
    run_all(old_app.state.campaigns)
    assert approximately(boards(old_app)) == approximately(EXPECTED["boards"])


# --- the backup


def test_the_backup_restores_everything(place: str, tmp_path: Path) -> None:
    old = FOLDER / "backup.gz"
    assert restore(place, old) == EXPECTED["rows"]
    store = open_store(place)
    try:
        back_up(store.database, tmp_path / "again.gz")
        assert_all_there(dump_of(old), dump_of(tmp_path / "again.gz"))
        check_layers(store)
        with store.read() as session:
            assert accounts.check_password(accounts.find_user(session, "mara"), EXPECTED["password"])
    finally:
        store.close()


def test_the_backup_has_what_the_database_has(old_store: Store, tmp_path: Path) -> None:
    back_up(old_store.database, tmp_path / "now.gz")
    assert_all_there(dump_of(FOLDER / "backup.gz"), dump_of(tmp_path / "now.gz"))
