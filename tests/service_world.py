"""A service with a resolver that waits for the test, and real servers: `from service_world import …`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from coindex import Document
from coindex.errors import CoindexError
from coindex.resolvers.chain import Chain, load_chain
from coindex.resolvers.resolver import Resolver, Step
from coindex.service.app import Access, Service, _Server, make_app
from coindex.service.requests import ChainOptions, Limits
from coindex.service.resolvers import Resolvers
from coindex.sockets import listen
from waiting import PATIENCE, wait_until

RULES = "are-baseline"
STORY = "Alice met Bob at the station. She gave him her key."


class GatedResolvers(Resolvers):
    """Resolvers whose chains wait at a gate. A text with *broken* is refused; one with *crash* raises an exception."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.batches: list[list[str]] = []
        super().__init__(preload=[RULES])

    def _make(self, options: ChainOptions) -> Chain:
        real = super()._make(options)

        class Gated:
            def __init__(self, owner: GatedResolvers) -> None:
                self.owner = owner

            def __call__(self, doc: Document) -> Document:
                raise AssertionError("the service uses pipe")

            def pipe(self, docs: Any, *, batch_size: int) -> Iterator[Document]:
                batch = list(docs)
                self.owner.batches.append([doc.text for doc in batch])
                assert self.owner.gate.wait(PATIENCE)
                for doc in batch:
                    if "broken" in doc.text:
                        raise CoindexError(f"{doc.id}: no tree", code="missing-layer")
                    if "crash" in doc.text:
                        raise RuntimeError("a bug")
                yield from real.run(batch)

        def make(*, mentions: str) -> Step:
            return Gated(self)

        gated = Resolver(name=RULES, kind="rules", summary="waits", make=make)
        return load_chain(RULES, language=options.language, find=lambda name: gated)


@dataclass(frozen=True)
class Running:
    """A service that listens in a thread."""

    address: str
    service: Service
    server: _Server
    threads: ThreadPoolExecutor

    def resolve(self, text: str = STORY, **options: Any) -> httpx2.Response:
        return resolve(self.address, text=text, **options)

    def start(self, text: str = STORY) -> Future[httpx2.Response]:
        """Send a request without waiting for the answer."""
        return self.threads.submit(self.resolve, text)

    def wait_for_requests(self, number: int) -> None:
        """Wait until so many requests are waiting or running."""
        wait_until(lambda: self.service.in_progress == number)

    def wait_for_texts(self, number: int) -> None:
        """Wait until so many texts are in the queue."""
        wait_until(lambda: metric(self.address, "coindex_waiting_texts") == number)


@contextmanager
def running(
    resolvers: Resolvers, *, delay: float = 0.0, grace: float = PATIENCE, access: Access | None = None, **limits: Any
) -> Iterator[Running]:
    """Give a service that listens until the end of the block."""
    import uvicorn

    service = Service(resolvers, limits=Limits(**limits), access=access or Access())
    listener, address = listen("127.0.0.1", 0)
    config = uvicorn.Config(make_app(service), log_level="critical", access_log=False)
    server = _Server(config, service, delay=delay, grace=grace)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    with ThreadPoolExecutor(64) as threads:
        try:
            yield Running(address, service, server, threads)
        finally:
            if isinstance(resolvers, GatedResolvers):
                resolvers.gate.set()
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


@contextmanager
def process(*options: str, environment: dict[str, str] | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Give the address and the process of `coindex serve-api` with these options."""
    command = [sys.executable, "-m", "coindex", "serve-api", "--port", "0", *options]
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        try:
            assert line.startswith("coindex is at "), line + server.communicate()[1]
            address = line.split()[3].rstrip(";")
            assert httpx2.get(f"{address}/healthz", timeout=PATIENCE).status_code == 200  # now it handles signals
            yield address, server
        finally:
            if server.poll() is None:
                server.send_signal(signal.SIGKILL)
            server.communicate()


def resolve(address: str, **body: Any) -> httpx2.Response:
    return post(address, json.dumps(body).encode())


def post(address: str, body: bytes, **headers: str) -> httpx2.Response:
    headers = {"content-type": "application/json", **headers}
    return httpx2.post(f"{address}/v1/resolve", content=body, headers=headers, timeout=PATIENCE)


def metric(address: str, name: str) -> float:
    """The value of a metric without labels, or the sum over its labels."""
    lines = httpx2.get(f"{address}/metrics", timeout=PATIENCE).text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith((f"{name} ", f"{name}{{")))


def connect(address: str) -> socket.socket:
    host, _, port = address.rpartition("/")[2].partition(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def is_listening(address: str) -> bool:
    try:
        connect(address).close()
    except OSError:
        return False
    return True


def head(length: int) -> bytes:
    return (
        b"POST /v1/resolve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: " + str(length).encode() + b"\r\n\r\n"
    )


def read_all(client: socket.socket) -> bytes:
    parts = []
    while part := client.recv(65536):
        parts.append(part)
    return b"".join(parts)
