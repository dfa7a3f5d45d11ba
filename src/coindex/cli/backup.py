"""`coindex backup`."""

from __future__ import annotations

from pathlib import Path

import click

from .help import Command, Decorator, option
from .serve import DATABASE

database_option: Decorator = option(
    "--database",
    default=DATABASE,
    section="Input",
    help="Database of 'coindex serve': an SQLite file or a postgresql:// URL.",
)


@click.command("backup", cls=Command)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@database_option
def command(file: Path, database: str) -> None:
    """Back up the database of the web app.

    Writes the whole database to a new gzipped FILE. The server may keep running.

    \b
    Examples:
      coindex backup backup.gz
      coindex backup backup.gz --database postgresql://coindex@localhost/coindex
    """
    from ..errors import CoindexError
    from ..server.backup import back_up
    from ..server.database import Database

    if "://" not in database and not Path(database).is_file():
        raise CoindexError("no such database; set it with --database", code="unreadable-file", path=database)
    source = Database(database)
    try:
        count = back_up(source, file)
    finally:
        source.close()
    click.echo(f"wrote {file}: {count} rows")
