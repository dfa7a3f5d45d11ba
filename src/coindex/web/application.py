"""The app: the routes of the table, static files and the guards around them."""

from __future__ import annotations

from collections.abc import Callable
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

from ..api.campaign_server.server import CampaignServer
from ..store import Store, accounts, open_store
from ..store.columns import now
from .accounts import Limits
from .endpoint import Endpoint
from .importing import Staging
from .pages import page
from .routes import RULES
from .security import SecurityHeaders
from .shared import Summaries

STATIC = Path(__file__).parent / "static"


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


def app(database: str | Path | Store, *, clock: Callable[[], datetime] = now) -> Starlette:
    """The web app over a database: a path, postgresql://…, or a store that is open."""
    store = database if isinstance(database, Store) else open_store(database)
    state = State(CampaignServer(store, clock=clock), clock=clock)
    routes = [Route(rule.path, Endpoint(rule, store, state).__call__, methods=[rule.method]) for rule in RULES]
    made = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=STATIC), name="static")],
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
