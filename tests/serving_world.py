"""A web app that listens in a thread of the tests: `from serving_world import quick_passwords, serving`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import uvicorn
from argon2 import PasswordHasher
from starlette.applications import Starlette

from coindex.server import accounts
from coindex.sockets import listen


@contextmanager
def quick_passwords() -> Iterator[None]:
    """The hash that guards real passwords is slow on purpose; here only its use is tested."""
    with mock.patch.object(accounts, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)):
        yield


@contextmanager
def serving(app: Starlette) -> Iterator[str]:
    """Give the address of a server that ends with the block."""
    listener, address = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join()
