"""Calls of the annotation app: a request with the project, document, layer, assignment or attempt of its path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from sqlalchemy import Integer, and_, bindparam, select
from sqlalchemy.orm import Session

from ..server.calls import (
    IS_LIVE_SESSION,
    LOG_IN,
    MANAGERS,
    NOT_THERE,
    REVIEWERS,
    WORKERS,
    Call,
    Refused,
    Rule,
    Who,
    caller_values,
)
from ..server.models import PROJECT_ROLES, LoginSession, Membership, Project, User
from ..server.security import SESSION, get_cookie
from .layers import AnnotationStore
from .models import Assessment, Assignment, Attempt, DocumentRow, Layer


class Caller(NamedTuple):
    """A logged-in user and the objects of the path; None for objects that do not exist."""

    user: User
    form_token: str
    project: Project | None
    role: str | None
    """The role in the project, for members."""
    document: DocumentRow | None
    """Of the project."""
    layer: Layer | None
    """Of the document."""


_PROJECT, _DOCUMENT, _LAYER = (bindparam(name, type_=Integer) for name in ("project", "document", "layer"))
_CALLER = (
    select(User, LoginSession.form_token, Project, Membership.role, DocumentRow, Layer)
    .join(LoginSession, LoginSession.user_id == User.id)
    .outerjoin(Project, Project.id == _PROJECT)
    .outerjoin(Membership, and_(Membership.project_id == Project.id, Membership.user_id == User.id))
    .outerjoin(DocumentRow, and_(DocumentRow.id == _DOCUMENT, DocumentRow.project_id == Project.id))
    .outerjoin(Layer, and_(Layer.id == _LAYER, Layer.document_id == DocumentRow.id))
    .where(*IS_LIVE_SESSION)
)


@dataclass(frozen=True, slots=True)
class ProjectRule(Rule):
    """A route of the annotation app, with the required permissions for the objects of its path."""

    layer: Callable[[Who, int, Layer], bool] | None = None
    assignment: Callable[[Who, int, Assignment], bool] | None = None
    attempt: Callable[[Who, int, Attempt], bool] | None = None


@dataclass
class ProjectCall(Call):
    """The argument of a handler of the annotation app."""

    store: AnnotationStore
    rule: ProjectRule
    project: Project | None = None
    document: DocumentRow | None = None
    layer: Layer | None = None
    assignment: Assignment | None = None
    attempt: Attempt | None = None

    @property
    def project_id(self) -> int:
        assert self.project is not None
        return self.project.id

    def identify(self) -> None:
        """Find the user and the objects of the path in one statement."""
        parts = self.request.path_params
        secret = get_cookie(self.request, SESSION)
        with self.store.read() as session:
            wanted = {name: parts.get(name) for name in ("project", "document", "layer")}
            caller = find_caller(session, secret, **wanted) if secret else None
            self.set_caller(*((None, "") if caller is None else (caller.user, caller.form_token)))
            if "project" in parts:
                self._find_project(caller)
                self.check_role()
            if caller is not None and self.project is not None:
                self._find_parts(caller, session)

    def refuse(self) -> NoReturn:
        """Refuse the call; non-members do not learn which projects exist."""
        if self.who == "stranger" and self.project is not None:
            raise Refused(404, NOT_THERE)
        super().refuse()

    def _find_project(self, caller: Caller | None) -> None:
        if caller is None:
            raise Refused(401, LOG_IN)
        if caller.project is None:
            raise Refused(404, NOT_THERE)
        self.project = caller.project
        if not caller.user.is_administrator:
            self.who = next((role for role in PROJECT_ROLES if role == caller.role), "stranger")

    def _find_parts(self, caller: Caller, session: Session) -> None:
        """Find the document, layer, assignment and attempt of the path, and check that the user may access them."""
        parts = self.request.path_params
        if "document" in parts:
            self.document = caller.document
            if self.document is None:
                raise Refused(404, NOT_THERE)
        if "layer" in parts:
            self.layer = caller.layer
            assert self.rule.layer is not None, "a route with a layer must define its permission"
            if self.layer is None or not self.rule.layer(self.who, self.user_id, self.layer):
                raise Refused(404, NOT_THERE)
        if "assignment" in parts:
            self.assignment = session.get(Assignment, parts["assignment"])
            assert self.rule.assignment is not None, "a route with an assignment must define its permission"
            document = None if self.assignment is None else session.get(DocumentRow, self.assignment.document_id)
            if self.assignment is None or document is None or document.project_id != self.project_id:
                raise Refused(404, NOT_THERE)
            if not self.rule.assignment(self.who, self.user_id, self.assignment):
                raise Refused(404, NOT_THERE)
        if "attempt" in parts:
            self.attempt = session.get(Attempt, parts["attempt"])
            assert self.rule.attempt is not None, "a route with an attempt must define its permission"
            assessment = None if self.attempt is None else session.get(Assessment, self.attempt.assessment_id)
            document = None if assessment is None else session.get(DocumentRow, assessment.document_id)
            if self.attempt is None or document is None or document.project_id != self.project_id:
                raise Refused(404, NOT_THERE)
            if not self.rule.attempt(self.who, self.user_id, self.attempt):
                raise Refused(404, NOT_THERE)
            self.document = document


def find_caller(
    session: Session, secret: str, *, project: int | None = None, document: int | None = None, layer: int | None = None
) -> Caller | None:
    """Return whom the cookie's secret belongs to, if the session lives and the account is open."""
    values = {**caller_values(secret), "project": project, "document": document, "layer": layer}
    row = session.execute(_CALLER, values).first()
    return None if row is None else Caller(*row)


def may_see_layer(who: Who, user: int, layer: Layer) -> bool:
    """Return whether a user may see a layer: reviewers all, annotators their own, viewers published ones."""
    if who in REVIEWERS:
        return True
    if who == "annotator":
        return layer.owner_id == user
    return who == "viewer" and layer.is_published


def may_edit_layer(who: Who, user: int, layer: Layer) -> bool:
    """Return whether a user may edit a layer: only its owner, while they work in the project."""
    return (who in WORKERS or who == "administrator") and layer.owner_id == user


def may_work_on(who: Who, user: int, assignment: Assignment) -> bool:
    """Return whether a user may work on an assignment: only its annotator."""
    return (who in WORKERS or who == "administrator") and assignment.user_id == user


def may_change_assignment(who: Who, user: int, assignment: Assignment) -> bool:
    """Return whether a user may change an assignment: managers and its annotator."""
    return who in MANAGERS or may_work_on(who, user, assignment)


def may_see_attempt(who: Who, user: int, attempt: Attempt) -> bool:
    """Return whether a user may see an attempt: reviewers and its author."""
    return who in REVIEWERS or may_submit_attempt(who, user, attempt)


def may_submit_attempt(who: Who, user: int, attempt: Attempt) -> bool:
    """Return whether a user may submit an attempt: only its author."""
    return who in WORKERS and attempt.user_id == user
