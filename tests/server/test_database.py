"""Databases: made, upgraded, refused; backed up and restored."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from coindex.annotation_app.layers import open_store
from coindex.annotation_app.models import Layer, OperationRow
from coindex.errors import CoindexError
from coindex.server.backup import back_up, restore
from coindex.server.database import Database, Store, database_url, latest_revision, list_revisions, migrate
from coindex.server.models import Base, User
from golden.database import schema_of
from store_samples import mark, small_project


def test_the_migrations_make_the_tables_of_the_models(store: Store) -> None:
    with store.database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_both_databases_have_the_same_schema(place: str) -> None:
    """The golden file has that of SQLite; types of PostgreSQL with other names are translated."""
    expected = json.loads((GOLDEN / "database-schema.json").read_text(encoding="utf-8"))
    database = Database(place)
    found = schema_of(database)
    database.close()
    for table in found["tables"].values():
        for name, type in table["columns"].items():
            table["columns"][name] = TYPE.sub(lambda match: SQLITE_TYPES[match[0]], type)
    assert found == expected


GOLDEN = Path(__file__).parents[1] / "golden" / "files"
SQLITE_TYPES = {"TIMESTAMP": "DATETIME", "BYTEA": "BLOB", "DOUBLE PRECISION": "FLOAT"}
TYPE = re.compile("|".join(SQLITE_TYPES))


def test_sqlite_is_set_to_lose_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a.db")
    with store.read() as session:
        settings = {
            name: session.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "synchronous", "foreign_keys")
        }
        assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
        assert session.scalar(text("PRAGMA busy_timeout")) >= 10_000
    store.close()


def test_data_of_the_first_schema_come_through_every_migration(place: str) -> None:
    """The rows are written as the first schema had them, without the models of today."""
    database = Database(place, bare=True)
    moment = "'2026-01-02 03:04:05.000000'"
    if place.startswith("postgresql"):
        moment = moment.replace("000'", "000+00'")  # without it, the time is in the zone of the server
    with database.write() as session:
        migrate(session.connection(), "old", to=list_revisions()[-1])
        for statement in (
            f"INSERT INTO users VALUES (5, 'Ann', 'ann', 'x', true, true, {moment})",
            f"INSERT INTO projects VALUES (6, 'Cats', '', '{{}}', {moment})",
            f"INSERT INTO documents VALUES (7, 6, 'a', {_blob(database)}, 1, 0, {moment})",
            f"INSERT INTO layers VALUES (8, 7, 5, 'Ann', 'annotation', 1, false, false, {moment})",
            f"INSERT INTO snapshots VALUES (8, 0, {_blob(database)})",
            f"INSERT INTO operations VALUES (8, 1, 'a', 0, 'edit', '{EDITS}', '[]', NULL, 1, 0, 5, {moment})",
        ):
            session.connection().exec_driver_sql(statement)
    database.close()
    store = open_store(place)
    with store.read() as session:
        assert session.get_one(User, 5).created.isoformat() == "2026-01-02T03:04:05+00:00"
        assert session.get_one(Layer, 8).owner_id == 5
        assert session.get_one(OperationRow, (8, 1)).client == "a"
    assert store.layers.document_at(8).entities[0].mentions[0].text == "Hi"
    store.close()


EDITS = '[{"name":"add_mention","arguments":{"positions":[0]}}]'


def _blob(database: Database) -> str:
    """The text "Hi" as it was packed by the first schema."""
    packed = bytes.fromhex(PACKED_HI).hex()
    return f"x'{packed}'" if database.is_sqlite else f"'\\x{packed}'"


PACKED_HI = (
    "7801ab56ca4c51b2524a54d2514acb2fca2d56b28a56f2c8548ad5018a8339862076714162722a905bad049437"
    "88ad058aa4e695a4e68105a3a30d740c6381aa80429925992075d1b1b50094f61b3b"
)


def test_opening_twice_changes_nothing(place: str) -> None:
    first = open_store(place)
    sample = small_project(first)
    second = open_store(place)
    assert second.layers.state(sample.layer).revision == 0
    first.close()
    second.close()


def test_a_newer_database_is_not_touched(place: str) -> None:
    store = open_store(place)
    with store.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(CoindexError, match=r"'9999' is newer than this version of coindex, .*; upgrade coindex"):
        open_store(place)


def test_a_foreign_database_is_not_changed(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE birds (id INTEGER)")
    connection.close()
    with pytest.raises(CoindexError, match=r"contains tables of another program \(birds\)"):
        open_store(tmp_path / "a.db")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("mysql://a/b", "databases of kind 'mysql' are not supported"),
        ("://", "is not the address of a database"),
        ("missing/folder/a.db", "the folder does not exist"),
        ("sqlite://", "a database in memory would be lost"),
        ("postgresql://nobody@127.0.0.1:1/none", "cannot open the database"),
    ],
)
def test_invalid_locations_are_explained(place: str, message: str) -> None:
    with pytest.raises(CoindexError, match=message):
        open_store(place)


def test_a_file_that_is_not_a_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("This is a letter, not a database. " * 50)
    with pytest.raises(CoindexError, match="not a coindex database"):
        open_store(tmp_path / "a.db")


def test_passwords_of_databases_are_not_shown() -> None:
    url = database_url("postgresql://ann:secret@host/name")
    assert url.drivername == "postgresql+psycopg"
    assert "secret" not in url.render_as_string(hide_password=True)


def test_a_backup_comes_back_on_either_database(place: str, other_place: str, tmp_path: Path) -> None:
    store = open_store(place)
    sample = small_project(store)
    store.layers.append(sample.layer, 0, [mark(0, 0), mark(1, 5, entity="e1")], client="a", user=sample.user)
    count = back_up(store.database, tmp_path / "b.gz")
    expected = store.layers.document_at(sample.layer)
    store.close()
    assert (tmp_path / "b.gz").stat().st_mode & 0o077 == 0, "it holds the hashes of passwords"
    assert restore(other_place, tmp_path / "b.gz") == count
    back = open_store(other_place)
    assert back.layers.document_at(sample.layer) == expected
    assert [step.revision for step in back.layers.log(sample.layer)] == [1, 2]
    with back.write() as session:
        session.add(User(name="New", key="new", password="x"))  # its id must not be one that is in use
        session.flush()
        assert session.scalar(text("SELECT count(*) FROM users")) == 2
    back.close()


def test_a_backup_goes_only_into_an_empty_database(store: Store, tmp_path: Path, place: str) -> None:
    back_up(store.database, tmp_path / "b.gz")
    with pytest.raises(CoindexError, match="the database is not empty; restore into a new database"):
        restore(place, tmp_path / "b.gz")
    with pytest.raises(CoindexError, match="already exists"):
        back_up(store.database, tmp_path / "b.gz")


@pytest.mark.parametrize("damage", ["cut", "plain", "newer", "other", "short", "type"])
def test_a_damaged_backup_restores_nothing(tmp_path: Path, damage: str) -> None:
    store = open_store(tmp_path / "a.db")
    small_project(store)
    path = tmp_path / "b.gz"
    back_up(store.database, path)
    store.close()
    lines = gzip.decompress(path.read_bytes()).splitlines()
    match damage:
        case "cut":
            path.write_bytes(path.read_bytes()[:-20])
        case "plain":
            path.write_text("nothing")
        case "newer":
            path.write_bytes(gzip.compress(json.dumps({"kind": "coindex backup", "schema": "9999"}).encode()))
        case "other":
            path.write_bytes(gzip.compress(b'{"kind": "a cake"}\n'))
        case "short":
            path.write_bytes(gzip.compress(b"\n".join(lines[:-2])))
        case "type":  # a value that its column cannot hold
            path.write_bytes(gzip.compress(re.sub(rb'{"time":[^}]*}', b'"now"', b"\n".join(lines))))
    with pytest.raises(CoindexError):
        restore(tmp_path / "new.db", path)
    again = open_store(tmp_path / "new.db")
    with again.read() as session:
        assert session.scalar(text("SELECT count(*) FROM users")) == 0
    again.close()


def test_the_message_about_a_newer_backup_is_short(tmp_path: Path) -> None:
    path = tmp_path / "b.gz"
    path.write_bytes(gzip.compress(json.dumps({"kind": "coindex backup", "schema": "9" * 5000}).encode()))
    with pytest.raises(CoindexError, match="is newer than this version of coindex") as raised:
        restore(tmp_path / "new.db", path)
    assert len(str(raised.value)) < 400


def test_the_newest_schema_is_the_last_of_the_known() -> None:
    assert list_revisions()[-1] == "0001"
    assert latest_revision() == list_revisions()[0]


def test_importing_coindex_loads_no_database() -> None:
    code = "import sys, coindex, coindex.cli.serve; print([m for m in ('sqlalchemy', 'starlette') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
