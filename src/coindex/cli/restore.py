"""`coindex restore`."""

from __future__ import annotations

from pathlib import Path

import click

from .backup import database_option
from .help import Command


@click.command("restore", cls=Command)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@database_option
def command(file: Path, database: str) -> None:
    """Restore a database from a backup.

    Fills a new database from a FILE written by 'coindex backup'. A backup of an SQLite database can be restored to
    PostgreSQL and vice versa.

    \b
    Examples:
      coindex restore backup.gz --database restored.db
      coindex restore backup.gz --database postgresql://coindex@localhost/coindex
    """
    from ..server.backup import restore

    count = restore(database, file)
    name = "the database" if "://" in database else database
    click.echo(f"restored {count} rows into {name}; all users have to log in again")
