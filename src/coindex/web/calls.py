"""A call: a request with all that is known about it, after every check and before its handler."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session
from starlette.datastructures import UploadFile
from starlette.requests import Request

from ..api.campaign_server.viewing import Viewer, viewer_of
from ..errors import CoindexError
from ..store import Store, api_tokens
from ..store.calling import Caller, find_caller
from ..store.models import PROJECT_ROLES, Assessment, Assignment, Attempt, DocumentRow, Layer, Project, User
from .access import Rule, Who
from .security import FORM, SESSION, get_cookie


class Refused(Exception):  # noqa: N818 - an answer, not a failure
    """A request that is not answered as it was meant: the status and what to say."""

    def __init__(self, status: int, message: str, *, wait: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.wait = wait


NOT_THERE = "There is nothing here, or nothing that you may see."
MOST_ID = 2**31 - 1
"""No database takes a larger one."""


@dataclass
class Call:
    """What a handler gets."""

    request: Request
    store: Store
    rule: Rule
    state: Any
    """What the whole app shares: limits, templates."""
    who: Who = "nobody"
    user: User | None = None
    form_token: str = ""
    new_form_token: bool = False
    by_token: bool = False
    """By an API token: no page can mislead a browser into sending one, so no form token is needed."""
    viewer: Viewer | None = None
    """Who the caller is to the campaign of the path."""
    project: Project | None = None
    document: DocumentRow | None = None
    layer: Layer | None = None
    assignment: Assignment | None = None
    attempt: Attempt | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    files: list[UploadFile] = field(default_factory=list)
    data: Any = None

    @property
    def user_id(self) -> int:
        assert self.user is not None
        return self.user.id

    @property
    def project_id(self) -> int:
        assert self.project is not None
        return self.project.id

    @property
    def seen_by(self) -> Viewer:
        assert self.viewer is not None
        return self.viewer

    @property
    def address(self) -> str:
        return self.request.client.host if self.request.client else ""

    def path(self, name: str) -> str:
        return str(self.request.path_params[name])

    def text(self, name: str) -> str:
        """A field of the form; missing is empty."""
        return self.fields.get(name, "")

    def number(self, name: str) -> int:
        """A field of the form that is an id."""
        value = self.text(name)
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise CoindexError(f"{name}: choose one")
        return int(value)

    def flag(self, name: str) -> bool:
        """A field of the form that is yes or no."""
        value = self.text(name)
        if value not in ("yes", "no"):
            raise CoindexError(f"{name}: say yes or no")
        return value == "yes"

    def query(self, name: str, default: str = "") -> str:
        return self.request.query_params.get(name, default)


def open_call(request: Request, store: Store, rule: Rule, state: Any) -> Call:
    """Find out who calls and what for, in one look at the database; refuse what they may not do."""
    call = Call(request, store, rule, state)
    parts = request.path_params
    if any(isinstance(part, int) and part > MOST_ID for part in parts.values()):
        raise Refused(404, NOT_THERE)
    if _use_api_token(call):
        return _checked(call)
    secret = get_cookie(request, SESSION)
    with store.read() as session:
        wanted = {name: parts.get(name) for name in ("project", "document", "layer")}
        caller = find_caller(session, secret, **wanted) if secret else None
        if caller is None:
            _use_form_cookie(call)
        else:
            call.user, call.form_token = caller.user, caller.form_token
            call.who = "administrator" if caller.user.is_administrator else "stranger"
        if "project" in parts:
            _find_project(call, caller)
            _check_role(call)
        if caller is not None and call.project is not None:
            _find_parts(call, caller, session)
    return _checked(call)


def _checked(call: Call) -> Call:
    """The call with the campaign of its path, if the caller may make it."""
    if "campaign" in call.request.path_params:
        _find_campaign(call)
    _check_role(call)
    return call


def _check_role(call: Call) -> None:
    if call.who not in call.rule.who:
        _refuse(call)


def _use_api_token(call: Call) -> bool:
    """Whoever sends an API token acts as its owner; one that does not hold is refused everywhere."""
    kind, _, secret = call.request.headers.get("authorization", "").partition(" ")
    if not call.rule.is_api or kind.casefold() != "bearer":
        return False
    at = call.state.clock()
    with call.store.read() as session:
        found = api_tokens.find_token(session, secret.strip(), at=at)
    if found is None:
        call.state.limits.check(call.address)
        raise Refused(401, "This token is unknown, has ended or was revoked; make another on your account's page.")
    call.user, token = found
    if not api_tokens.is_use_noted(token, at):
        with call.store.write() as session:
            api_tokens.note_use(session, token.id, at=at)
    call.who = "administrator" if call.user.is_administrator else "stranger"
    call.by_token = True
    return True


def _find_campaign(call: Call) -> None:
    """What the caller is in the campaign of the path."""
    call.viewer = viewer_of(call.state.campaigns, call.request.path_params["campaign"], call.user)
    if call.who == "stranger":
        roles: dict[str, Who] = {"organiser": "organiser", "team": "participant"}
        call.who = roles.get(call.viewer.role, "stranger")


def _use_form_cookie(call: Call) -> None:
    """Somebody without a session has a form token of their own in a cookie, for the login form."""
    token = get_cookie(call.request, FORM)
    call.form_token = token or secrets.token_urlsafe(32)
    call.new_form_token = not token


def _refuse(call: Call) -> None:
    if call.user is None:
        raise Refused(401, "Log in first.")
    if call.who == "stranger" and call.project is not None:
        raise Refused(404, NOT_THERE)
    raise Refused(403, "Your role does not allow this.")


def _find_project(call: Call, caller: Caller | None) -> None:
    if caller is None:
        raise Refused(401, "Log in first.")
    if caller.project is None:
        raise Refused(404, NOT_THERE)
    call.project = caller.project
    if not caller.user.is_administrator:
        call.who = next((role for role in PROJECT_ROLES if role == caller.role), "stranger")


def _find_parts(call: Call, caller: Caller, session: Session) -> None:
    """The document, layer and assignment of the path: each of what stands before it, and theirs to see."""
    parts = call.request.path_params
    if "document" in parts:
        call.document = caller.document
        if call.document is None:
            raise Refused(404, NOT_THERE)
    if "layer" in parts:
        call.layer = caller.layer
        assert call.rule.layer is not None, "a route with a layer says what right it needs"
        if call.layer is None or not call.rule.layer(call.who, call.user_id, call.layer):
            raise Refused(404, NOT_THERE)
    if "assignment" in parts:
        call.assignment = session.get(Assignment, parts["assignment"])
        assert call.rule.assignment is not None, "a route with an assignment says what right it needs"
        document = None if call.assignment is None else session.get(DocumentRow, call.assignment.document_id)
        if call.assignment is None or document is None or document.project_id != call.project_id:
            raise Refused(404, NOT_THERE)
        if not call.rule.assignment(call.who, call.user_id, call.assignment):
            raise Refused(404, NOT_THERE)
    if "attempt" in parts:
        call.attempt = session.get(Attempt, parts["attempt"])
        assert call.rule.attempt is not None, "a route with an attempt says what right it needs"
        assessment = None if call.attempt is None else session.get(Assessment, call.attempt.assessment_id)
        document = None if assessment is None else session.get(DocumentRow, assessment.document_id)
        if call.attempt is None or document is None or document.project_id != call.project_id:
            raise Refused(404, NOT_THERE)
        if not call.rule.attempt(call.who, call.user_id, call.attempt):
            raise Refused(404, NOT_THERE)
        call.document = document


def parse_json(body: bytes) -> Any:
    """The JSON of a body; anything else is refused."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "The body is not JSON.") from error
