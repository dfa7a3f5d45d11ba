"""`coindex campaign work`."""

from __future__ import annotations

import signal
from types import FrameType

import click

from .serve import DATABASE


@click.command("work")
@click.option(
    "--database",
    default=DATABASE,
    show_default=True,
    help="The database of the server: an SQLite file or postgresql://…",
)
@click.option("--seconds", type=click.IntRange(min=1), help="The most that one scoring may take; 1800 if not told.")
@click.option("--memory", type=click.IntRange(min=64), help="The most megabytes that one scoring may use; 4096.")
@click.option("--once", is_flag=True, help="End when nothing is left to do.")
def command(database: str, seconds: int | None, memory: int | None, once: bool) -> None:
    """Score submissions beside a server that has many: one more worker.

    `coindex serve` has a worker of its own; this is another one, on the same machine or, with PostgreSQL, on any.
    It can be stopped or killed at any time: what it was at is taken up by another. Needs coindex[web].
    """
    from ..annotation_app.store import open_store
    from ..campaigns.rescoring import queue_outdated
    from ..campaigns.server import MEGABYTE, CampaignServer, Limits
    from ..campaigns.worker import Worker, run_all

    store = open_store(database)
    standard = Limits()
    limits = Limits(
        score_seconds=seconds or standard.score_seconds,
        memory=(memory * MEGABYTE) if memory else standard.memory,
        checkers=1,
    )
    server = CampaignServer(store, limits=limits)
    try:
        if once:
            queue_outdated(server)
            click.echo(f"{run_all(server)} done")
            return
        worker = Worker(server)

        def stop(number: int, frame: FrameType | None) -> None:
            worker.stop()

        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # unlike SIGINT under nohup
                signal.signal(number, stop)
        click.echo(f"working for {store.database.name}; stop it with Ctrl-C")
        worker.run()
    finally:
        server.close()
        store.close()
