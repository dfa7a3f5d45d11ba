"""Bind the socket of a server."""

from __future__ import annotations

import errno
import socket

from .errors import CoindexError


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """Bind a socket, before any other work is done, and return it with the URL of the server."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
    except OSError as error:
        raise CoindexError(
            f"cannot listen on {host}: {error.strerror or error}; choose another --host",
            code="address-unavailable",
        ) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise CoindexError(
                f"port {port} is in use by another program; choose another with --port", code="address-unavailable"
            ) from error
        raise CoindexError(
            f"cannot listen on {host}, port {port}: {error.strerror}; choose another --host or --port",
            code="address-unavailable",
        ) from error
    shown = f"[{host}]" if ":" in host else host
    return listener, f"http://{shown}:{listener.getsockname()[1]}"


def is_loopback(host: str) -> bool:
    """Return whether only programs on the same machine can connect to an address."""
    return host.startswith("127.") or host in ("localhost", "::1")
