"""The complete web app: the routes of all parts, static files, security headers, the socket and the worker."""

from __future__ import annotations

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
from .errors import MissingExtraError
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
    """The state that all calls share."""

    campaigns: CampaignServer
    limits: Limits = field(default_factory=Limits)
    staging: Staging = field(default_factory=Staging)
    summaries: Summaries = field(default_factory=Summaries)
    hashing: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(accounts.HASHES_AT_ONCE))
    """Limits password hashing, so that many logins do not slow down other requests."""
    clock: Callable[[], datetime] = now
    """The current time, for deadlines and abandoned work."""


def app(database: str | Path | AnnotationStore, *, clock: Callable[[], datetime] = now) -> Starlette:
    """Create the web app for a database: a path, a postgresql:// URL, or an open store."""
    store = database if isinstance(database, AnnotationStore) else open_store(database)
    state = State(CampaignServer(store, clock=clock), clock=clock)
    routes = [
        Route(rule.path, Endpoint(rule, kind, store, state).__call__, methods=[rule.method])
        for rules, kind in PARTS
        for rule in rules
    ]
    application = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(packages=STATIC), name="static")],
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={404: _show_not_found, 405: _show_not_found},
    )
    application.state.store = store
    application.state.campaigns = state.campaigns
    return application


def _show_not_found(request: Request, error: Exception) -> Response:
    response = page(None, request, "message.html", title="Not found", message="There is no such page.")
    response.status_code = getattr(error, "status_code", 404)
    return response


KEEP_ALIVE = 75
"""Seconds that an idle connection stays open; uvicorn's default of five is too short for annotators."""


def setup_url(store: AnnotationStore, address: str) -> str | None:
    """Return the link that creates the first administrator, or None if there is an account."""
    with store.write() as session:
        secret = accounts.setup_link(session)
    return None if secret is None else f"{address}/setup/{secret}"


def run(store: AnnotationStore, listener: socket.socket) -> None:
    """Serve until interrupted, with a worker that scores submissions.

    Requests are not logged, since paths may contain secrets.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("uvicorn", "web") from error
    application = app(store)
    config = uvicorn.Config(
        application, log_level="warning", access_log=False, server_header=False, timeout_keep_alive=KEEP_ALIVE
    )
    worker = start_worker(application.state.campaigns)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        worker.stop()
        application.state.campaigns.close()
