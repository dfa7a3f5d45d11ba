"""Running the app: a socket, the set-up link, the server."""

from __future__ import annotations

import errno
import socket

from ..errors import CoindexError, MissingExtraError
from ..store import Store, accounts
from .application import app


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
    """Serve until interrupted. Requests are not logged: their paths may be secrets."""
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("uvicorn", "web") from error
    config = uvicorn.Config(app(store), log_level="warning", access_log=False, server_header=False)
    uvicorn.Server(config).run(sockets=[listener])
