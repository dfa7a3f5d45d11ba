"""`coindex serve`."""

from __future__ import annotations

import click

from .help import Command, option

DATABASE = "coindex.db"


@click.command("serve", cls=Command)
@option("--port", default=8000, type=click.IntRange(0, 65535), help="Port (0 = any free port).")
@option("--host", default="127.0.0.1", help="Address to listen on; the default accepts only local connections.")
@option(
    "--database",
    default=DATABASE,
    help="SQLite file, created on first use, or postgresql://user@host/name.",
)
def command(port: int, host: str, database: str) -> None:
    """Start the web app for annotation and shared tasks.

    The first start prints a link to create the administrator account. Needs coindex[web], for PostgreSQL also
    coindex[postgres]. If other machines can reach the server, put it behind a proxy with HTTPS.

    \b
    Examples:
      coindex serve
      coindex serve --port 8080 --database project.db
      coindex serve --database postgresql://coindex@localhost/coindex
    """
    from ..annotation_app.layers import open_store
    from ..serving import run, setup_url
    from ..sockets import is_loopback, listen

    listener, address = listen(host, port)
    with listener:
        store = open_store(database)
        click.echo(f"coindex is at {address} (database {store.database.name}); stop it with Ctrl-C")
        if (link := setup_url(store, address)) is not None:
            click.echo(f"there are no accounts yet; create the administrator at\n{link}")
        if not is_loopback(host):
            click.secho(
                "warning: the server is reachable from other machines without encryption; put it behind HTTPS",
                fg="yellow",
                err=True,
            )
        try:
            run(store, listener)
        finally:
            store.close()
