"""Assignments of documents to annotators."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import CoindexError
from ..server.database import now
from ..server.models import Membership, User
from .assessments import check_may_get
from .models import RETURNED_BY_USER, Assignment, AssignmentState, DocumentRow, Layer, ReturnReason
from .projects import start_layer


def assign(
    session: Session, document: int, user: int, *, deadline: datetime | None = None, at: datetime | None = None
) -> Assignment:
    """Assign a document to a member of its project; an existing assignment gets the new deadline and is reopened."""
    project = session.scalar(select(DocumentRow.project_id).where(DocumentRow.id == document))
    role = session.scalar(select(Membership.role).where(Membership.project_id == project, Membership.user_id == user))
    if role is None or role == "viewer":
        raise CoindexError(
            "this user is not an annotator of the project; invite them or change their role first", code="not-a-member"
        )
    check_may_get(session, document, user)
    assignment = session.scalar(
        select(Assignment).where(Assignment.document_id == document, Assignment.user_id == user)
    )
    if assignment is None:
        assignment = Assignment(document_id=document, user_id=user)
        session.add(assignment)
    assignment.deadline = deadline
    if assignment.state == "returned" or assignment.state is None:
        _change(session, assignment, "started" if assignment.layer_id else "open", at)
    session.flush()
    return assignment


def begin(
    session: Session, assignment: Assignment, *, with_entities: bool = False, at: datetime | None = None
) -> Layer:
    """Return the layer of an assignment; create it on the first call."""
    if assignment.state == "returned":
        raise CoindexError("this document was returned; request it again", code="wrong-state")
    if assignment.layer_id is not None:
        return session.get_one(Layer, assignment.layer_id)
    owner = session.get_one(User, assignment.user_id)
    layer = start_layer(session, assignment.document_id, name=owner.name, owner=owner.id, with_entities=with_entities)
    assignment.layer_id = layer.id
    _change(session, assignment, "started", at)
    return layer


def finish(session: Session, assignment: Assignment, *, at: datetime | None = None) -> None:
    """Submit an assignment: close its layer."""
    if assignment.state == "returned":
        raise CoindexError("this document was returned; request it again", code="wrong-state")
    if assignment.layer_id is None:
        raise CoindexError("nothing has been annotated yet; open the document first", code="wrong-state")
    _change(session, assignment, "done", at)


def reopen(session: Session, assignment: Assignment, *, at: datetime | None = None) -> None:
    """Reopen a finished or returned assignment."""
    _change(session, assignment, "started" if assignment.layer_id else "open", at)


def give_back(
    session: Session, assignment: Assignment, *, reason: ReturnReason = RETURNED_BY_USER, at: datetime | None = None
) -> None:
    """Return an assignment to the queue; keep its layer, closed."""
    _change(session, assignment, "returned", at)
    assignment.reason = reason


def overdue(session: Session, project: int, *, at: datetime | None = None) -> list[Assignment]:
    """Return the unfinished assignments whose deadline has passed."""
    query = (
        select(Assignment)
        .join(DocumentRow, DocumentRow.id == Assignment.document_id)
        .where(DocumentRow.project_id == project, Assignment.state.in_(("open", "started")))
        .where(Assignment.deadline < (at or now()))
        .order_by(Assignment.deadline)
    )
    return list(session.scalars(query))


def of_project(
    session: Session, project: int, *, documents: Collection[int] | None = None, user: int | None = None
) -> list[tuple[Assignment, str, str]]:
    """Return the assignments of a project, of some documents or of one user, with the names of document and user."""
    query = (
        select(Assignment, DocumentRow.name, User.name)
        .join(DocumentRow, DocumentRow.id == Assignment.document_id)
        .join(User, User.id == Assignment.user_id)
        .where(DocumentRow.project_id == project)
        .order_by(DocumentRow.name, User.key)
    )
    if documents is not None:
        query = query.where(Assignment.document_id.in_(documents))
    if user is not None:
        query = query.where(Assignment.user_id == user)
    return [(assignment, document, user) for assignment, document, user in session.execute(query)]


def _change(session: Session, assignment: Assignment, state: AssignmentState, at: datetime | None) -> None:
    assignment.state = state
    assignment.reason = None
    assignment.changed = at or now()
    if assignment.layer_id is not None:
        session.get_one(Layer, assignment.layer_id).is_closed = state in ("done", "returned")
