"""Calls: requests after all checks, as handlers get them; roles, and the rules of routes.

Each route names the roles that may call it; the apps check permissions for layers and campaigns.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from sqlalchemy import bindparam, select
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from ..errors import CODES_ONLY, CoindexError
from . import accounts
from .accounts import hash_secret
from .database import Store, UtcTime, now
from .models import LoginSession, User
from .security import FORM, SESSION, get_cookie

Who = Literal[
    "nobody",
    "stranger",
    "viewer",
    "annotator",
    "adjudicator",
    "manager",
    "participant",
    "organiser",
    "administrator",
]
"""The role of a caller: not logged in, not a member of the project or campaign, or the role in it."""

NOBODY: frozenset[Who] = frozenset({"nobody"})
ADMINISTRATOR: frozenset[Who] = frozenset({"administrator"})
MANAGERS: frozenset[Who] = frozenset({"manager", "administrator"})
REVIEWERS: frozenset[Who] = MANAGERS | {"adjudicator"}
WORKERS: frozenset[Who] = frozenset({"annotator", "adjudicator", "manager"})
MEMBERS: frozenset[Who] = WORKERS | ADMINISTRATOR | {"viewer"}
USERS: frozenset[Who] = MEMBERS | {"stranger"}
EVERYBODY: frozenset[Who] = USERS | NOBODY
ORGANISERS: frozenset[Who] = frozenset({"organiser", "administrator"})
PARTICIPANTS: frozenset[Who] = frozenset({"participant"})
INVOLVED: frozenset[Who] = ORGANISERS | PARTICIPANTS
WORLD: frozenset[Who] = INVOLVED | {"stranger", "nobody"}
"""Who may see a campaign; its phases decide what it shows."""


BodyKind = Literal["form", "json", "upload"]
KILOBYTE = 1 << 10
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """A route: its path, who may call it, and its handler."""

    method: Literal["GET", "POST"]
    path: str
    handler: Callable[..., Any]
    who: frozenset[Who]
    body: BodyKind = "form"
    most: int = 64 * KILOBYTE
    """The maximum size of the body in bytes."""
    is_data: bool = False
    """Responses, including errors, are JSON."""
    hashes: bool = False
    """Hashes a password, which is slow on purpose; few such calls run at the same time."""
    is_api: bool = False
    """It accepts API tokens, and its body may be JSON or a form."""


STATUS_CODES = {
    400: "invalid-request",
    401: "not-logged-in",
    403: "forbidden",
    404: "not-found",
    409: "concurrent-change",
    413: "upload-too-large",
    422: "error",
    429: "too-many-requests",
    500: "server-error",
}
"""Default error codes by HTTP status."""


class Refused(Exception):  # noqa: N818 - an answer, not a failure
    """A refused request: the HTTP status and the message."""

    def __init__(self, status: int, message: str, *, code: str = "", wait: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.code = code or STATUS_CODES[status]
        self.message = self.code if CODES_ONLY else message
        self.wait = wait


NOT_THERE = "Not found, or you do not have access."
LOG_IN = "Log in first."
MOST_ID = 2**31 - 1
"""The largest id that all databases accept."""


@dataclass
class Call:
    """The argument of a handler."""

    request: Request
    store: Store
    rule: Rule
    state: Any
    """Shared state of the app: limits, templates."""
    who: Who = "nobody"
    user: User | None = None
    form_token: str = ""
    new_form_token: bool = False
    by_token: bool = False
    """Authenticated by an API token. Browsers do not send it by themselves, so no form token is needed."""
    fields: Mapping[str, str] = field(default_factory=dict)
    files: list[UploadFile] = field(default_factory=list)
    data: Any = None

    @property
    def user_id(self) -> int:
        assert self.user is not None
        return self.user.id

    @property
    def address(self) -> str:
        return self.request.client.host if self.request.client else ""

    def path(self, name: str) -> str:
        return str(self.request.path_params[name])

    def text(self, name: str) -> str:
        """Return a field of the form, empty if missing."""
        return self.fields.get(name, "")

    def number(self, name: str) -> int:
        """Return a numeric field of the form."""
        value = self.text(name)
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise CoindexError(f"{name}: missing or not a number; choose a value", code="invalid-input")
        return int(value)

    def flag(self, name: str) -> bool:
        """Return a yes/no field of the form."""
        value = self.text(name)
        if value not in ("yes", "no"):
            raise CoindexError(f"{name}: expected yes or no", code="invalid-input")
        return value == "yes"

    def query(self, name: str, default: str = "") -> str:
        return self.request.query_params.get(name, default)

    def identify(self) -> None:
        """Find the user by the session cookie."""
        secret = get_cookie(self.request, SESSION)
        with self.store.read() as session:
            caller = None if secret is None else session.execute(_CALLER, caller_values(secret)).first()
        self.set_caller(*(caller or (None, "")))

    def set_caller(self, user: User | None, form_token: str) -> None:
        """Set the user; without a session, the form token for the login form comes from a cookie."""
        if user is not None:
            self.user, self.form_token = user, form_token
            self.who = "administrator" if user.is_administrator else "stranger"
            return
        token = get_cookie(self.request, FORM)
        self.form_token = token or secrets.token_urlsafe(32)
        self.new_form_token = not token

    def find_subject(self) -> None:
        """Find the objects of the path and the role of the caller."""

    def check_role(self) -> None:
        """Refuse the call if the role does not allow it."""
        if self.who not in self.rule.who:
            self.refuse()

    def refuse(self) -> NoReturn:
        """Refuse the call."""
        if self.user is None:
            raise Refused(401, LOG_IN)
        raise Refused(403, "Your role does not allow this.")


IS_LIVE_SESSION = (
    LoginSession.hash == bindparam("hash"),
    LoginSession.expires > bindparam("now", type_=UtcTime),
    User.is_active,
)
"""Conditions for a valid session of an active account."""
_CALLER = (
    select(User, LoginSession.form_token).join(LoginSession, LoginSession.user_id == User.id).where(*IS_LIVE_SESSION)
)


def caller_values(secret: str) -> dict[str, Any]:
    """Return the parameters of `IS_LIVE_SESSION`."""
    return {"hash": hash_secret(secret), "now": now()}


def open_call(call: Call) -> Call:
    """Identify the caller and the objects of the path; refuse what is not allowed."""
    if any(isinstance(part, int) and part > MOST_ID for part in call.request.path_params.values()):
        raise Refused(404, NOT_THERE)
    if not _use_api_token(call):
        call.identify()
    call.find_subject()
    call.check_role()
    return call


def _use_api_token(call: Call) -> bool:
    """Authenticate by an API token, if one was sent; refuse invalid tokens."""
    kind, _, secret = call.request.headers.get("authorization", "").partition(" ")
    if not call.rule.is_api or kind.casefold() != "bearer":
        return False
    at = call.state.clock()
    with call.store.read() as session:
        owner = accounts.find_token(session, secret.strip(), at=at)
    if owner is None:
        call.state.limits.check(call.address)
        raise Refused(401, "This token is unknown, expired or revoked; create a new one on your account page.")
    call.user, token = owner
    if not accounts.is_use_noted(token, at):
        with call.store.write() as session:
            accounts.note_use(session, token.id, at=at)
    call.who = "administrator" if call.user.is_administrator else "stranger"
    call.by_token = True
    return True


def parse_json(body: bytes) -> Any:
    """Parse a JSON body; refuse anything else."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "The request body is not valid JSON.") from error


_environment = Environment(
    loader=ChoiceLoader(
        [
            PackageLoader("coindex.server"),
            PackageLoader("coindex.annotation_app"),
            PrefixLoader({"campaigns": PackageLoader("coindex.campaigns")}),
        ]
    ),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(call: Call | None, request: Request, template: str, *, title: str, **values: Any) -> HTMLResponse:
    """Render a page for the caller, or for anybody if there is no call."""
    text = _environment.get_template(template).render(
        title=title,
        user=call.user if call else None,
        who=call.who if call else "nobody",
        form_token=call.form_token if call else "",
        path=request.url.path,
        **values,
    )
    return HTMLResponse(text)


def show(call: Call, template: str, *, title: str, **values: Any) -> HTMLResponse:
    return page(call, call.request, template, title=title, **values)


def go(path: str) -> RedirectResponse:
    """Redirect to another page after a change."""
    return RedirectResponse(path, 303)


PAGE = 100
"""How many documents a page lists."""


def part(call: Call, number: int) -> tuple[int, int]:
    """Return the requested page of a list of `number` items, from 1, and the number of pages."""
    pages = max(1, -(-number // PAGE))
    text = call.query("page")
    page = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1
    return min(max(1, page), pages), pages
