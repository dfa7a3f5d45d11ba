"""`coindex serve`."""

from __future__ import annotations

import click

DATABASE = "coindex.db"


@click.command("serve")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen at; only this machine if not told."
)
@click.option(
    "--database",
    default=DATABASE,
    show_default=True,
    help="An SQLite file, made on first use, or postgresql://user@host/name.",
)
def command(port: int, host: str, database: str) -> None:
    """Start the web app for annotation and campaigns; the first start prints a link that makes the administrator.

    Needs coindex[web], for PostgreSQL coindex[postgres] too. Put it behind a server with HTTPS where others reach it.
    """
    from ..annotation_app.layers import open_store
    from ..serving import listen, run, setup_url

    listener, address = listen(host, port)
    with listener:
        store = open_store(database)
        click.echo(f"coindex is at {address} (database {store.database.name}); stop it with Ctrl-C")
        if (link := setup_url(store, address)) is not None:
            click.echo(f"nobody has an account yet: make the administrator at\n{link}")
        if not host.startswith("127.") and host not in ("localhost", "::1"):
            click.secho("warning: others can reach it, without encryption; put it behind HTTPS", fg="yellow", err=True)
        try:
            run(store, listener)
        finally:
            store.close()
