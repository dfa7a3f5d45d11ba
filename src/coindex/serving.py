"""The web app as a whole: routes of all parts, static files, guards, the socket, the worker."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from .annotation_app.calls import ProjectCall
from .annotation_app.layers import AnnotationStore, open_store
from .annotation_app.routes import PROJECT_RULES
from .annotation_app.views.editor import Summaries
from .annotation_app.views.imports import Staging
from .campaigns.routes import CAMPAIGN_RULES
from .campaigns.server import CampaignServer
from .campaigns.views.answers import CampaignCall
from .campaigns.worker import start_worker
from .errors import CoindexError, MissingExtraError
from .server import accounts
from .server.account_pages import ACCOUNT_RULES, Limits
from .server.calls import Call, Rule, page
from .server.database import now
from .server.endpoint import Endpoint
from .server.security import SecurityHeaders

STATIC: list[str | tuple[str, str]] = [
    (f"coindex.{name}", "static") for name in ("server", "annotation_app", "campaigns")
]
"""The folders with scripts and style sheets."""
PARTS: tuple[tuple[Sequence[Rule], type[Call]], ...] = (
    (ACCOUNT_RULES, Call),
    (PROJECT_RULES, ProjectCall),
    (CAMPAIGN_RULES, CampaignCall),
)
"""The routes of each part, with the type of call that its handlers take."""
RULES = tuple(rule for rules, _ in PARTS for rule in rules)


@dataclass
class State:
    """What all calls share."""

    campaigns: CampaignServer
    limits: Limits = field(default_factory=Limits)
    staging: Staging = field(default_factory=Staging)
    summaries: Summaries = field(default_factory=Summaries)
    hashing: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(accounts.HASHES_AT_ONCE))
    """Those who log in wait for each other, and nobody else for them."""
    clock: Callable[[], datetime] = now
    """What time it is, for deadlines and work that was left lying."""


def app(database: str | Path | AnnotationStore, *, clock: Callable[[], datetime] = now) -> Starlette:
    """The web app over a database: a path, postgresql://…, or a store that is open."""
    store = database if isinstance(database, AnnotationStore) else open_store(database)
    state = State(CampaignServer(store, clock=clock), clock=clock)
    routes = [
        Route(rule.path, Endpoint(rule, kind, store, state).__call__, methods=[rule.method])
        for rules, kind in PARTS
        for rule in rules
    ]
    made = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(packages=STATIC), name="static")],
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={404: _missing, 405: _missing},
    )
    made.state.store = store
    made.state.campaigns = state.campaigns
    return made


def _missing(request: Request, error: Exception) -> Response:
    response = page(None, request, "message.html", title="Not found", message="There is no such page.")
    response.status_code = getattr(error, "status_code", 404)
    return response


KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: an annotator thinks for longer than the server's usual five."""


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """A socket that is bound before anything else is done, and the address people open."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
    except OSError as error:
        raise CoindexError(
            f"{host}: no address to listen at: {error.strerror or error}; choose another --host",
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
            f"{host} port {port}: cannot listen: {error.strerror}; choose another", code="address-unavailable"
        ) from error
    shown = f"[{host}]" if ":" in host else host
    return listener, f"http://{shown}:{listener.getsockname()[1]}"


def setup_url(store: AnnotationStore, address: str) -> str | None:
    """The link that makes the first administrator; None where somebody has an account."""
    with store.write() as session:
        secret = accounts.setup_link(session)
    return None if secret is None else f"{address}/setup/{secret}"


def run(store: AnnotationStore, listener: socket.socket) -> None:
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
