"""A call: a request with all that is known about it, after every check and before its handler."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request

from ..errors import CoindexError
from ..store import Store, accounts, projects
from ..store.models import Assessment, Assignment, Attempt, DocumentRow, Layer, Project, User
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
    secret = get_cookie(request, SESSION)
    with store.read() as session:
        found = accounts.find_session(session, secret) if secret else None
        if found is not None:
            call.user, call.form_token = found[0], found[1].form_token
        else:
            _use_form_cookie(call)
        call.who = "nobody" if call.user is None else "administrator" if call.user.is_administrator else "stranger"
        if "project" in request.path_params:
            if call.user is None:
                raise Refused(401, "Log in first.")
            _find_project(call, session)
        if call.who not in rule.who:
            _refuse(call)
        if call.project is not None:
            _find_parts(call, session)
    return call


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


def _find_project(call: Call, session: Any) -> None:
    assert call.user is not None
    call.project = session.get(Project, call.request.path_params["project"])
    if call.project is None:
        raise Refused(404, NOT_THERE)
    if not call.user.is_administrator:
        call.who = projects.role_of(session, call.project.id, call.user) or "stranger"


def _find_parts(call: Call, session: Any) -> None:
    """The document, layer and assignment of the path: each of what stands before it, and theirs to see."""
    parts = call.request.path_params
    if "document" in parts:
        call.document = session.get(DocumentRow, parts["document"])
        if call.document is None or call.document.project_id != call.project_id:
            raise Refused(404, NOT_THERE)
    if "layer" in parts:
        call.layer = session.get(Layer, parts["layer"])
        assert call.document is not None
        assert call.rule.layer is not None, "a route with a layer says what right it needs"
        if call.layer is None or call.layer.document_id != call.document.id:
            raise Refused(404, NOT_THERE)
        if not call.rule.layer(call.who, call.user_id, call.layer):
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
