"""`coindex backup`."""

from __future__ import annotations

from pathlib import Path

import click

from .serve import DATABASE

DATABASE_HELP = "The database, as for `coindex serve`."


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--database", default=DATABASE, show_default=True, help=DATABASE_HELP)
def command(file: Path, database: str) -> None:
    """Write all of a database of `coindex serve` to a new FILE (.gz), while the server runs or not."""
    from ..errors import CoindexError
    from ..server.backup import back_up
    from ..server.database import Database

    if "://" not in database and not Path(database).is_file():
        raise CoindexError("no such database; name it with --database", code="unreadable-file", path=database)
    opened = Database(database)
    try:
        count = back_up(opened, file)
    finally:
        opened.close()
    click.echo(f"wrote {file}: {count} rows")
