"""Brings a database to the schema of this program: makes it, upgrades it, or says that it is too new."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from ..errors import CoindexError

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x636F696E  # any number that PostgreSQL's other users do not lock by


def migrate(connection: Connection, name: str, to: str = "head") -> None:
    """Within the caller's transaction: all of it or nothing. Two programs that start at once do it one by one."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    current = revision(connection)
    if current is None:
        if others := inspect(connection).get_table_names():
            raise CoindexError(
                f"{name}: holds tables of something else ({', '.join(sorted(others)[:3])}); name an empty database"
            )
    elif current not in known_revisions():
        raise CoindexError(
            f"{name}: its schema {current!r} is newer than this program; expected {latest_revision()!r} or older; "
            "upgrade coindex"
        )
    if current != (latest_revision() if to == "head" else to):
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, to)


def revision(connection: Connection) -> str | None:
    """The schema that the database has; None where it has none."""
    return MigrationContext.configure(connection).get_current_revision()


def known_revisions() -> list[str]:
    """Every schema from the newest to the first."""
    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]


def latest_revision() -> str:
    return known_revisions()[0]


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
