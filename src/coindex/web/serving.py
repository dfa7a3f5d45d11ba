"""Running the app: a socket, the set-up link, the server."""

from __future__ import annotations

import errno
import socket

from ..api.campaign_server.worker import start_worker
from ..errors import CoindexError, MissingExtraError
from ..store import Store, accounts
from .application import app

KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: an annotator thinks for longer than the server's usual five."""


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """A socket that is bound before anything else is done, and the address people open."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
    except OSError as error:
        raise CoindexError(
            f"{host}: no address to listen at: {error.strerror or error}; choose another --host"
        ) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise CoindexError(f"port {port} is in use by another program; choose another with --port") from error
        raise CoindexError(f"{host} port {port}: cannot listen: {error.strerror}; choose another") from error
    shown = f"[{host}]" if ":" in host else host
    return listener, f"http://{shown}:{listener.getsockname()[1]}"


def setup_url(store: Store, address: str) -> str | None:
    """The link that makes the first administrator; None where somebody has an account."""
    with store.write() as session:
        secret = accounts.setup_link(session)
    return None if secret is None else f"{address}/setup/{secret}"


def run(store: Store, listener: socket.socket) -> None:
    """Serve until interrupted, with a worker that scores submissions. Requests are not logged: paths may be secrets."""
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("uvicorn", "web") from error
    made = app(store)
    config = uvicorn.Config(
        made, log_level="warning", access_log=False, server_header=False, timeout_keep_alive=KEEP_ALIVE
    )
    worker = start_worker(made.state.campaigns)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        worker.stop()
        made.state.campaigns.close()
