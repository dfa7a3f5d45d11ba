"""`coindex restore`."""

from __future__ import annotations

from pathlib import Path

import click

from .backup import DATABASE_HELP
from .serve import DATABASE


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--database", default=DATABASE, show_default=True, help=DATABASE_HELP)
def command(file: Path, database: str) -> None:
    """Fill a new database from the FILE of `coindex backup`; what was SQLite may become PostgreSQL."""
    from ..server.backup import restore

    count = restore(database, file)
    click.echo(
        f"restored {count} rows into {database if '://' not in database else 'the database'}; everybody logs in anew"
    )
