"""Who annotates which document until when."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import CoindexError
from ..server.database import now
from ..server.models import Membership, User
from .assessments import check_may_get
from .models import Assignment, AssignmentState, DocumentRow, Layer, ReturnReason
from .projects import start_layer


def assign(
    session: Session, document: int, user: int, *, deadline: datetime | None = None, at: datetime | None = None
) -> Assignment:
    """Give a document to a member of its project; given again, the deadline changes and work goes on."""
    project = session.scalar(select(DocumentRow.project_id).where(DocumentRow.id == document))
    role = session.scalar(select(Membership.role).where(Membership.project_id == project, Membership.user_id == user))
    if role is None or role == "viewer":
        raise CoindexError(
            "only members of the project who annotate can be given documents; invite them first", code="not-a-member"
        )
    check_may_get(session, document, user)
    found = session.scalar(select(Assignment).where(Assignment.document_id == document, Assignment.user_id == user))
    if found is None:
        found = Assignment(document_id=document, user_id=user)
        session.add(found)
    found.deadline = deadline
    if found.state == "returned" or found.state is None:
        _change(session, found, "started" if found.layer_id else "open", at)
    session.flush()
    return found


def begin(
    session: Session, assignment: Assignment, *, with_entities: bool = False, at: datetime | None = None
) -> Layer:
    """The layer of an assignment, made at its first call."""
    if assignment.state == "returned":
        raise CoindexError("this document was returned; ask for it again", code="wrong-state")
    if assignment.layer_id is not None:
        return session.get_one(Layer, assignment.layer_id)
    owner = session.get_one(User, assignment.user_id)
    layer = start_layer(session, assignment.document_id, name=owner.name, owner=owner.id, with_entities=with_entities)
    assignment.layer_id = layer.id
    _change(session, assignment, "started", at)
    return layer


def finish(session: Session, assignment: Assignment, *, at: datetime | None = None) -> None:
    """The annotator is done: the layer is closed."""
    if assignment.state == "returned":
        raise CoindexError("this document was returned; ask for it again", code="wrong-state")
    if assignment.layer_id is None:
        raise CoindexError("nothing was annotated yet; open the document first", code="wrong-state")
    _change(session, assignment, "done", at)


def reopen(session: Session, assignment: Assignment, *, at: datetime | None = None) -> None:
    """A finished document is worked on again."""
    _change(session, assignment, "started" if assignment.layer_id else "open", at)


def give_back(
    session: Session, assignment: Assignment, *, reason: ReturnReason = "handed back", at: datetime | None = None
) -> None:
    """The document is no longer this annotator's; the layer is kept, closed."""
    _change(session, assignment, "returned", at)
    assignment.reason = reason


def overdue(session: Session, project: int, *, at: datetime | None = None) -> list[Assignment]:
    """Assignments whose deadline is over and which are not done."""
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
    """The assignments of a project with the names of document and annotator; of these documents, of somebody."""
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
