"""The application: routes, checks of requests, and graceful shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..document import Document
from ..errors import CoindexError, CoindexWarning, use_caller
from ..resolvers.chain import Chain
from ..resolvers.defaults import warn_about_languages
from .batching import Batcher, Job, Outcome, collect_warnings, route_warnings
from .description import PATHS, describe_api
from .metrics import Metrics
from .requests import (
    Limits,
    ResolveRequest,
    ServiceError,
    check_words,
    parse_request,
    place,
    render_message,
    render_result,
    retry_seconds,
)
from .resolvers import Resolvers, scheme_of

_log = logging.getLogger("coindex.service")
API_KEY = "COINDEX_API_KEY"
"""The environment variable with an API key."""
KEEP_ALIVE = 75
"""Seconds that an idle connection stays open; longer than the idle time of common proxies, which reuse connections."""
TEXT_THREADS = 2
"""Threads that split texts into words and write answers while the model runs."""
CLIENT_CLOSED = 499
"""The status that is counted for clients that disconnect; nobody receives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who can use the service. Without keys, everybody who reaches it; without origins, no page of another site."""

    keys: tuple[bytes, ...] = ()
    """SHA-256 of the keys."""
    origins: tuple[str, ...] = ()

    def check(self, request: Request) -> None:
        """Refuse a request without a valid key; the comparison takes the same time for all wrong keys."""
        if not self.keys:
            return
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        digest = _hash(given.strip()) if kind.casefold() == "bearer" else b""
        if sum(hmac.compare_digest(digest, key) for key in self.keys) == 0:  # unlike any(), it compares all
            message = "the API key is missing or wrong; send it as 'Authorization: Bearer KEY'"
            raise ServiceError(401, message, code="wrong-api-key")


def read_keys(path: str | os.PathLike[str] | None = None) -> tuple[bytes, ...]:
    """Return the hashes of the API keys in a file, one per line, and in the environment variable `COINDEX_API_KEY`."""
    lines = [os.environ.get(API_KEY, "")]
    if path is not None:
        try:
            lines += Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise CoindexError(f"cannot read the API keys: {error}", code="unreadable-file", path=path) from error
    keys = [key for line in lines if (key := line.strip()) and not key.startswith("#")]
    if path is not None and not keys:
        raise CoindexError("there is no API key in the file; write one per line", code="invalid-option", path=path)
    return tuple(map(_hash, keys))


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()


@dataclass(eq=False)
class Service:
    """The state of the service. All of it belongs to the event loop, except what threads read."""

    resolvers: Resolvers
    limits: Limits = field(default_factory=Limits)
    access: Access = field(default_factory=Access)
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.is_draining = False
        self.in_progress = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._stop = asyncio.Event()
        self._numbers = count(1)
        self._batcher = Batcher(batch_words=self.limits.batch_words, metrics=self.metrics)
        self._threads = ThreadPoolExecutor(TEXT_THREADS, thread_name_prefix="texts")
        self._description = describe_api(self.limits, self.resolvers.describe(), has_keys=bool(self.access.keys))
        self.metrics.in_progress.set_function(lambda: self.in_progress)
        self.metrics.loaded.set_function(lambda: len(self.resolvers.loaded))

    @property
    def is_busy(self) -> bool:
        """Whether a batch is running."""
        return self._batcher.is_running

    @contextlib.asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        with route_warnings():
            self._batcher.start()
            try:
                yield
            finally:
                await self._batcher.stop()
                self._threads.shutdown(wait=False, cancel_futures=True)

    async def drain(self, *, delay: float = 0.0, grace: float = 30.0) -> None:
        """Refuse new work and wait for the requests that are running.

        `delay` is the least time in seconds, so that load balancers notice `/readyz`. Requests that are not finished
        after `grace` seconds are answered with 503.
        """
        self.is_draining = True
        waits = asyncio.gather(asyncio.sleep(delay), self._idle.wait())
        try:
            await asyncio.wait_for(waits, max(delay, grace))
        except TimeoutError:
            self._stop.set()
            await self._idle.wait()

    # --- endpoints

    async def resolve(self, request: Request) -> Response:
        """Answer `POST /v1/resolve`."""
        self.access.check(request)
        if self.is_draining:
            raise _stopping()
        if self.in_progress >= self.limits.requests:
            message = f"{self.in_progress} requests are waiting; repeat the request later"
            raise ServiceError(429, message, code="server-busy", retry_after=self._retry_after())
        self.in_progress += 1
        self._idle.clear()
        try:
            return await self._resolve(request)
        finally:
            self.in_progress -= 1
            if not self.in_progress:
                self._idle.set()

    async def _resolve(self, request: Request) -> Response:
        loop = asyncio.get_running_loop()
        jobs: list[Job] = []
        deadline = loop.time() + self.limits.seconds
        try:
            async with asyncio.timeout_at(deadline), _interrupted(self._stop.wait, _stopping()):
                body = await read_body(request, self.limits.body_bytes)
        except TimeoutError as error:
            message = f"the body did not arrive within {self.limits.seconds:g} seconds"
            raise ServiceError(408, message, code="time-limit") from error
        try:
            async with (
                asyncio.timeout_at(deadline),
                _interrupted(self._stop.wait, _stopping()),
                _interrupted(partial(_wait_for_disconnect, request), ClientDisconnect()),
            ):
                parsed = parse_request(body, self.limits)
                prepared = await loop.run_in_executor(self._threads, self._prepare, parsed)
                jobs += [self._batcher.submit(prepared.chain, doc, prepared.resolver) for doc in prepared.docs]
                outcomes = await asyncio.gather(*(job.future for job in jobs))
                content = await loop.run_in_executor(self._threads, _render, parsed, prepared, outcomes)
        except TimeoutError as error:
            raise self._too_late(jobs) from error
        finally:
            for job in jobs:
                job.future.cancel()
        return Response(content, media_type="application/json")

    def _prepare(self, request: ResolveRequest) -> _Prepared:
        """Load the resolver if necessary, and split the texts into words (in a thread)."""
        with use_caller("service"):
            options = self.resolvers.choose(request.options)
            chain = self.resolvers.load(options)
            docs: list[Document] = []
            caught: list[list[CoindexWarning]] = []
            for text in request.texts:
                with collect_warnings() as own:
                    # the number distinguishes texts of different requests in warnings
                    doc = chain.prepare(text).replace(id=f"text {next(self._numbers)}")
                    docs += warn_about_languages([doc], chain)
                caught.append(own)
                check_words((len(doc.tokens) for doc in docs), self.limits)
        return _Prepared(chain, options.resolver or "", docs, caught)

    def _too_late(self, jobs: Sequence[Job]) -> ServiceError:
        limit = f"{self.limits.seconds:g} seconds"
        if jobs and all(job.is_running for job in jobs):
            message = f"resolving took longer than {limit}; send shorter texts"
            return ServiceError(504, message, code="time-limit")
        message = f"the request waited longer than {limit} for other requests; repeat it later"
        return ServiceError(503, message, code="time-limit", retry_after=self._retry_after())

    def _retry_after(self) -> int:
        return retry_seconds(self._batcher.waiting_words, self._batcher.speed)

    async def list_resolvers(self, request: Request) -> Response:
        """Answer `GET /v1/resolvers`."""
        self.access.check(request)
        return JSONResponse({"resolvers": self.resolvers.describe()})

    async def healthz(self, request: Request) -> Response:
        """Answer `GET /healthz`: whether the process works, or has to be restarted."""
        if not self._batcher.is_alive:
            raise ServiceError(503, "the thread that resolves has stopped; restart the service", code="server-error")
        return JSONResponse({"status": "ok"})

    async def readyz(self, request: Request) -> Response:
        """Answer `GET /readyz`: whether to send requests here."""
        if self.is_draining:
            raise _stopping()
        return await self.healthz(request)

    async def show_metrics(self, request: Request) -> Response:
        """Answer `GET /metrics`."""
        self.access.check(request)
        return Response(generate_latest(self.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    async def show_description(self, request: Request) -> Response:
        """Answer `GET /openapi.json`."""
        return JSONResponse(self._description)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The documents of a request, with the warnings about each."""

    chain: Chain
    resolver: str
    docs: list[Document]
    caught: list[list[CoindexWarning]]


def _render(request: ResolveRequest, prepared: _Prepared, outcomes: Sequence[Outcome]) -> bytes:
    """Return the body of the answer (in a thread)."""
    results = []
    for number, (outcome, caught) in enumerate(zip(outcomes, prepared.caught, strict=True)):
        if outcome.error is not None:
            if not isinstance(outcome.error, CoindexError):
                raise outcome.error
            text = render_message(outcome.error, prepared.docs[number])["error"]
            name = place(number, request.texts)
            raise ServiceError(outcome.error.http_status, f"{name}: {text}", code=outcome.error.code)
        assert outcome.doc is not None, "there is no error"
        warnings = [*caught, *outcome.warnings]
        results.append(render_result(outcome.doc, request.format, request.confidence, warnings))
    answer = {"resolver": prepared.resolver, "scheme": scheme_of(prepared.chain), "results": results}
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


DISCARDED = 16
"""A body that exceeds the limit by less than this factor is read to its end: a client that is still sending would see a
reset connection instead of the error."""


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a JSON request; refuse other types and bodies that are too long."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind != "application/json":
        # Browsers send other types to any server without asking it first, so they are not even parsed.
        raise ServiceError(415, "expected the header 'Content-Type: application/json'")
    too_long = ServiceError(413, f"the body is longer than {most:,} bytes; split the request", code="limit-exceeded")
    length = request.headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length[:20]) > DISCARDED * most:
        raise too_long
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > DISCARDED * most:
            raise too_long
        parts.append(part if size <= most else b"")
    if size > most:
        raise too_long
    return b"".join(parts)


@contextlib.asynccontextmanager
async def _interrupted(wait: Callable[[], Awaitable[object]], error: Exception) -> AsyncIterator[None]:
    """Cancel the block as soon as `wait` returns, and raise the error instead."""
    task = asyncio.current_task()
    assert task is not None, "endpoints run in tasks"
    happened = False

    async def watch() -> None:
        nonlocal happened
        await wait()
        happened = True
        task.cancel()

    watcher = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if not happened:
            raise
        task.uncancel()
        raise error from None
    finally:
        watcher.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _stopping() -> ServiceError:
    return ServiceError(503, "the service is stopping; repeat the request", code="shutting-down", retry_after=1)


Endpoint = Callable[[Request], Awaitable[Response]]


def _answer_errors(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with all errors as JSON."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except CoindexError as error:
            return error_response(error)
        except ClientDisconnect:
            return Response(status_code=CLIENT_CLOSED)
        except Exception:
            _log.exception("%s %s", request.method, request.url.path)
            return error_response(ServiceError(500, "internal error; it has been logged", code="server-error"))

    return answer


def error_response(error: CoindexError) -> Response:
    """Return the JSON response for an error."""
    headers = {}
    if wait := getattr(error, "retry_after", 0):
        headers["Retry-After"] = str(wait)
    if error.http_status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if error.http_status in (408, 413, 415) or error.code == "shutting-down":
        headers["Connection"] = "close"  # the rest of the body is not read, or another server should be used
    return JSONResponse(render_message(error), error.http_status, headers)


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for this class"
    known = ", ".join(PATHS)
    message, code = {
        404: (f"there is no such path; the service has {known}", "not-found"),
        405: ("the path does not accept this method", "invalid-request"),
    }.get(error.status_code, (str(error.detail), "invalid-request"))
    response = error_response(ServiceError(error.status_code, message, code=code))
    response.headers.update(error.headers or {})
    return response


class Observed:
    """Middleware that counts requests and adds headers."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in PATHS else "other"
        method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "OPTIONS") else "other"
        status = "500"
        began = time.perf_counter()

        async def observe(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
                message["headers"] = [*message["headers"], (b"x-content-type-options", b"nosniff")]
            await send(message)

        try:
            await self._app(scope, receive, observe)
        finally:
            self._metrics.requests.labels(method, path, status).inc()
            self._metrics.request_seconds.labels(path).observe(time.perf_counter() - began)


def make_app(service: Service) -> Starlette:
    """Return the ASGI application of a service."""
    endpoints: dict[str, tuple[str, Endpoint]] = {
        "/v1/resolve": ("POST", service.resolve),
        "/v1/resolvers": ("GET", service.list_resolvers),
        "/healthz": ("GET", service.healthz),
        "/readyz": ("GET", service.readyz),
        "/metrics": ("GET", service.show_metrics),
        "/openapi.json": ("GET", service.show_description),
    }
    middleware = [Middleware(Observed, metrics=service.metrics)]
    if service.access.origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=service.access.origins,
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Type"],
                expose_headers=["Retry-After"],
            )
        )
    app = Starlette(
        routes=[
            Route(path, _answer_errors(endpoint), methods=[method]) for path, (method, endpoint) in endpoints.items()
        ],
        middleware=middleware,
        exception_handlers={HTTPException: _answer_http_error},
        lifespan=service.lifespan,
    )
    app.router.redirect_slashes = False
    return app


class _Server(uvicorn.Server):
    """A server that drains on the first SIGTERM or Ctrl-C; a second one stops it without waiting."""

    def __init__(self, config: uvicorn.Config, service: Service, *, delay: float, grace: float) -> None:
        super().__init__(config)
        self._service = service
        self._delay = delay
        self._grace = grace
        self._drain: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop is not None and self._drain is None:
            self.should_exit = False
            self._loop.call_soon_threadsafe(self._begin_drain)

    def _begin_drain(self) -> None:
        if self._drain is None:
            self._drain = asyncio.ensure_future(self._drain_then_exit())

    async def _drain_then_exit(self) -> None:
        await self._service.drain(delay=self._delay, grace=self._grace)
        self.should_exit = True


def run(service: Service, listener: socket.socket, *, delay: float = 0.0, grace: float = 30.0) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish the requests that are running.

    Requests are not logged, since texts may be confidential.
    """
    config = uvicorn.Config(
        make_app(service),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=5,
        ws="none",
    )
    try:
        _Server(config, service, delay=delay, grace=grace).run(sockets=[listener])
    finally:
        if service.is_busy:  # the time is over; Python would wait for the thread
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(128 + signal.SIGTERM)


def check_origins(origins: Iterable[str]) -> tuple[str, ...]:
    """Return the origins of pages that can use the service; each is a scheme and a host, or * for all."""
    for origin in origins:
        scheme, _, host = origin.partition("://")
        if origin != "*" and (scheme not in ("http", "https") or not host or "/" in host):
            raise CoindexError(
                f"{origin!r} is not an origin; write it as https://example.org, without a path", code="invalid-option"
            )
    return tuple(origins)
