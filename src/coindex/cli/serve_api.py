"""`coindex serve-api`."""

from __future__ import annotations

import click

from .help import Command, option
from .options import ChainText
from .progress import inform


@click.command("serve-api", cls=Command)
@option("--port", default=8001, type=click.IntRange(0, 65535), section="Server", help="Port (0 = any free port).")
@option(
    "--host",
    default="127.0.0.1",
    section="Server",
    help="Address to listen on; the default accepts only local connections.",
)
@option(
    "-r",
    "--resolver",
    "resolvers",
    type=ChainText(),
    multiple=True,
    section="Resolver",
    help="Resolver, chain or model folder to load at the start, as SPEC or NAME=SPEC; requests use the name. The first "
    "is the default (default: the model for English). Repeatable.",
)
@option(
    "--allow",
    type=ChainText(),
    multiple=True,
    section="Resolver",
    help="Another resolver that requests can name, loaded on first use (default: all that are installed and work on "
    "raw text). Repeatable.",
)
@option(
    "--max-loaded",
    type=click.IntRange(min=1),
    default=2,
    section="Limits",
    help="Resolvers in memory; the least recently used is dropped.",
)
@option("--max-bytes", type=click.IntRange(min=1), default=1_000_000, section="Limits", help="Bytes of a request.")
@option("--max-texts", type=click.IntRange(min=1), default=64, section="Limits", help="Texts of a request.")
@option("--max-words", type=click.IntRange(min=1), default=10_000, section="Limits", help="Words of a request.")
@option(
    "--max-requests",
    type=click.IntRange(min=1),
    default=256,
    section="Limits",
    help="Requests that wait or run; more are refused with 429.",
)
@option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    section="Limits",
    help="Seconds for a request, including the time that it waits.",
)
@option(
    "--batch-words",
    type=click.IntRange(min=1),
    default=4_096,
    section="Limits",
    help="Words of concurrent requests that are resolved together.",
)
@option(
    "--drain",
    type=click.FloatRange(0),
    default=0.0,
    section="Server",
    help="Seconds from SIGTERM to the end of listening, so that load balancers notice /readyz.",
)
@option(
    "--grace",
    type=click.FloatRange(0),
    default=30.0,
    section="Server",
    help="Seconds after SIGTERM for running requests.",
)
@option(
    "--api-key-file",
    type=click.Path(exists=True, dir_okay=False),
    section="Server",
    help="File with API keys, one per line. The environment variable COINDEX_API_KEY sets one too.",
)
@option(
    "--cors-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    section="Server",
    help="Origin of web pages that can use the service, such as https://example.org. Repeatable.",
)
def command(
    port: int,
    host: str,
    resolvers: tuple[str, ...],
    allow: tuple[str, ...],
    max_loaded: int,
    max_bytes: int,
    max_texts: int,
    max_words: int,
    max_requests: int,
    timeout: float,
    batch_words: int,
    drain: float,
    grace: float,
    api_key_file: str | None,
    origins: tuple[str, ...],
) -> None:
    """Serve resolution over HTTP.

    POST /v1/resolve resolves texts; /openapi.json describes the service. Concurrent requests are resolved together. On
    SIGTERM and Ctrl-C, running requests are finished. Needs coindex[service]. If other machines can reach the service,
    set an API key and put it behind a proxy with HTTPS.

    \b
    Examples:
      coindex serve-api
      coindex serve-api --resolver 'en-small(litbank)' --port 8080
      coindex serve-api --resolver news=./models/news --allow are-baseline
      coindex serve-api --host 0.0.0.0 --api-key-file keys.txt
    """
    from ..service.app import Access, Service, check_origins, read_keys, run
    from ..service.requests import Limits
    from ..service.resolvers import Resolvers
    from ..sockets import is_loopback, listen

    limits = Limits(
        body_bytes=max_bytes,
        texts=max_texts,
        words=max_words,
        requests=max_requests,
        seconds=timeout,
        batch_words=batch_words,
    )
    access = Access(keys=read_keys(api_key_file), origins=check_origins(origins))
    listener, address = listen(host, port)
    with listener:
        service = Service(Resolvers(preload=resolvers, allow=allow, most=max_loaded), limits=limits, access=access)
        click.echo(f"coindex is at {address}; stop it with Ctrl-C")
        inform(f"resolvers: {', '.join(service.resolvers.names)}; loaded: {', '.join(service.resolvers.loaded)}")
        if not is_loopback(host):
            lacking = "without encryption" if access.keys else "without encryption and without an API key"
            click.secho(
                f"warning: the service is reachable from other machines {lacking}; put it behind HTTPS",
                fg="yellow",
                err=True,
            )
        run(service, listener, delay=drain, grace=grace)
