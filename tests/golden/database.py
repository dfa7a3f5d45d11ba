"""The schema of a database as plain data, in a form that SQLite and PostgreSQL share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Inspector, inspect

from coindex.server.database import Database, revision


def schema_of(database: Database) -> dict[str, Any]:
    """The revision, and the tables with columns, keys, constraints and indexes."""
    with database.engine.connect() as connection:
        found = inspect(connection)
        tables = {name: _table(found, name) for name in sorted(found.get_table_names())}
        return {"revision": revision(connection), "tables": tables}


def _table(found: Inspector, name: str) -> dict[str, Any]:
    unique = found.get_unique_constraints(name)
    # PostgreSQL lists the index behind a unique constraint, too
    indexes = [one for one in found.get_indexes(name) if not one.get("duplicates_constraint")]
    return {
        "columns": {
            column["name"]: f"{column['type']}{'' if column['nullable'] else ' not null'}"
            for column in found.get_columns(name)
        },
        "primary key": found.get_pk_constraint(name)["constrained_columns"],
        "foreign keys": sorted(map(_foreign_key, found.get_foreign_keys(name))),
        "unique": sorted(f"{one['name']}: {_joined(one['column_names'])}" for one in unique),
        "checks": sorted(f"{one['name']}: {one['sqltext']}" for one in found.get_check_constraints(name)),
        "indexes": sorted(
            f"{one['name']}: {_joined(one['column_names'])}{' (unique)' if one['unique'] else ''}" for one in indexes
        ),
    }


def _foreign_key(key: Mapping[str, Any]) -> str:
    target = f"{key['referred_table']}({_joined(key['referred_columns'])})"
    return f"{_joined(key['constrained_columns'])} -> {target} on delete {key['options'].get('ondelete', 'no action')}"


def _joined(names: list[Any]) -> str:
    return ", ".join(names)
