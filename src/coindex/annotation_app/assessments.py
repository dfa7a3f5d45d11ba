"""Tutorials and assessments: documents with a hidden key, and the attempts of annotators.

Only `key_of` reveals a key, and only for a submitted attempt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from ..document import Document
from ..document.edits import canonical
from ..errors import CoindexError
from ..server.database import now
from ..server.models import Membership, User
from .models import ASSESSMENT_KINDS, Assessment, AssessmentKind, Assignment, Attempt, DocumentRow, Layer
from .packing import pack, unpack
from .projects import lock_project, start_layer

# --- create and close


def make(session: Session, document: int, kind: str, key: Document) -> Assessment:
    """Turn a document into a tutorial or an assessment with this key."""
    known: AssessmentKind | None = next((name for name in ASSESSMENT_KINDS if name == kind), None)
    if known is None:
        raise CoindexError(
            f"{kind[:20]!r} is not a kind of assessment; choose one of {', '.join(ASSESSMENT_KINDS)}",
            code="invalid-input",
        )
    given = select(Assignment.id).where(Assignment.document_id == document, Assignment.state != "returned").limit(1)
    if session.scalar(given) is not None:
        raise CoindexError(
            "the document is assigned to an annotator; choose another document or withdraw the assignment first",
            code="wrong-state",
        )
    if not key.entities:
        raise CoindexError(
            "the key has no entities; import the document with annotation, or choose an annotated layer",
            code="no-entities",
        )
    end(session, document)
    row = Assessment(document_id=document, kind=known, key=pack(canonical(key)))
    session.add(row)
    session.flush()
    return row


def end(session: Session, document: int) -> None:
    """Close the assessment of a document; submitted attempts and their results stay."""
    for row in session.scalars(select(Assessment).where(Assessment.document_id == document, Assessment.is_open)):
        row.is_open = False


@dataclass(frozen=True, slots=True)
class AssessmentInfo:
    """An assessment in a list, without its key."""

    id: int
    document: int
    name: str
    words: int
    kind: str


def of_project(session: Session, project: int) -> list[AssessmentInfo]:
    """Return the open tutorials and assessments of a project, tutorials first."""
    query = (
        select(Assessment.id, DocumentRow.id, DocumentRow.name, DocumentRow.tokens, Assessment.kind)
        .join(DocumentRow, DocumentRow.id == Assessment.document_id)
        .where(DocumentRow.project_id == project, Assessment.is_open)
        .order_by(Assessment.kind.desc(), DocumentRow.name)
    )
    return [AssessmentInfo(*row) for row in session.execute(query)]


# --- attempts


def begin(session: Session, project: int, assessment: int, user: int, *, at: datetime | None = None) -> Attempt:
    """Return the unfinished attempt of the user, or start one. An assessment allows only one attempt."""
    lock_project(session, project)
    row = session.get(Assessment, assessment)
    if row is None or not row.is_open:
        raise CoindexError("this assessment is closed; choose another", code="wrong-state")
    earlier = session.scalars(
        select(Attempt)
        .join(Assessment, Assessment.id == Attempt.assessment_id)
        .where(Assessment.document_id == row.document_id, Attempt.user_id == user)
        .order_by(Attempt.id)
    ).all()
    unfinished = next(
        (attempt for attempt in earlier if attempt.handed_in is None and attempt.assessment_id == assessment), None
    )
    if unfinished is not None:
        return unfinished
    if row.kind == "assessment" and any(attempt.handed_in for attempt in earlier):
        raise CoindexError(
            "you have already submitted this assessment; choose another or ask a manager for another attempt",
            code="wrong-state",
        )
    return _start(session, row, user, at)


def allow_again(session: Session, project: int, attempt: Attempt, *, at: datetime | None = None) -> Attempt:
    """Allow a user another attempt, as a manager has decided."""
    lock_project(session, project)
    row = session.get_one(Assessment, attempt.assessment_id)
    waiting = select(Attempt).where(
        Attempt.assessment_id == row.id, Attempt.user_id == attempt.user_id, Attempt.handed_in.is_(None)
    )
    return session.scalar(waiting) or _start(session, row, attempt.user_id, at)


def _start(session: Session, row: Assessment, user: int, at: datetime | None) -> Attempt:
    count = select(func.count()).where(Attempt.assessment_id == row.id, Attempt.user_id == user)
    number = (session.scalar(count) or 0) + 1
    name = f"{session.get_one(User, user).name}, {row.kind} {number}"
    layer = start_layer(session, row.document_id, name=name, owner=user, kind="assessment")
    attempt = Attempt(assessment_id=row.id, user_id=user, layer_id=layer.id, number=number, created=at or now())
    session.add(attempt)
    session.flush()
    return attempt


def key_to_score(session: Session, attempt: Attempt) -> Document:
    """Return the key for scoring only; pages use `key_of`."""
    return unpack(session.get_one(Assessment, attempt.assessment_id).key)


def hand_in(
    session: Session,
    attempt: Attempt,
    *,
    revision: int,
    score: float,
    is_passed: bool,
    detail: Mapping[str, Any],
    at: datetime | None = None,
) -> bool:
    """Close the layer and store the score of the revision; return False if the layer has changed since."""
    layer = session.get(Layer, attempt.layer_id, with_for_update=True) if attempt.layer_id else None
    row = session.get_one(Attempt, attempt.id, with_for_update=True)
    if layer is None or row.handed_in is not None:
        raise CoindexError("this attempt has already been submitted", code="wrong-state")
    if layer.revision != revision:
        return False
    layer.is_closed = True
    row.handed_in, row.score, row.is_passed, row.detail = at or now(), score, is_passed, dict(detail)
    return True


def key_of(session: Session, attempt: Attempt) -> Document:
    """Return the key of a submitted attempt."""
    if attempt.handed_in is None:
        raise CoindexError("the key is hidden until the attempt is submitted; submit it first", code="wrong-state")
    return key_to_score(session, attempt)


@dataclass(frozen=True, slots=True)
class AttemptInfo:
    """An attempt with the names of its document and user."""

    attempt: Attempt
    assessment: Assessment
    document: str
    user: str


def attempts(session: Session, project: int, *, user: int | None = None) -> list[AttemptInfo]:
    """Return the attempts of a project, or of one user; the newest last."""
    query = (
        select(Attempt, Assessment, DocumentRow.name, User.name)
        .join(Assessment, Assessment.id == Attempt.assessment_id)
        .join(DocumentRow, DocumentRow.id == Assessment.document_id)
        .join(User, User.id == Attempt.user_id)
        .where(DocumentRow.project_id == project)
        .order_by(Attempt.id)
    )
    if user is not None:
        query = query.where(Attempt.user_id == user)
    return [AttemptInfo(*row) for row in session.execute(query)]


# --- who may annotate


def find_waiting(session: Session, project: int) -> set[int]:
    """Return the annotators who still must pass an assessment before they get documents."""
    has = exists().where(
        Assessment.document_id == DocumentRow.id,
        DocumentRow.project_id == project,
        Assessment.is_open,
        Assessment.kind == "assessment",
    )
    if not session.scalar(select(has)):
        return set()
    members = select(Membership.user_id).where(
        Membership.project_id == project, Membership.role == "annotator", Membership.is_exempt.is_(False)
    )
    passed = (
        select(Attempt.user_id)
        .join(Assessment, Assessment.id == Attempt.assessment_id)
        .join(DocumentRow, DocumentRow.id == Assessment.document_id)
        .where(DocumentRow.project_id == project, Assessment.kind == "assessment", Attempt.is_passed.is_(True))
    )
    return set(session.scalars(members)) - set(session.scalars(passed))


def exempt(session: Session, project: int) -> set[int]:
    """Return the users who are exempt from the assessment."""
    query = select(Membership.user_id).where(Membership.project_id == project, Membership.is_exempt)
    return set(session.scalars(query))


def set_exempt(session: Session, project: int, user: int, is_exempt: bool) -> None:
    """Exempt a user from the assessment, or remove the exemption."""
    member = session.get(Membership, (project, user))
    if member is None:
        raise CoindexError("this user is not a member of the project; invite them first", code="not-a-member")
    member.is_exempt = is_exempt


def check_may_get(session: Session, document: int, user: int) -> None:
    """Check that a document can be assigned to a user: not an assessment, and the user has passed."""
    is_open = exists().where(Assessment.document_id == document, Assessment.is_open)
    if session.scalar(select(is_open)):
        raise CoindexError("this document is an assessment or a tutorial; assign another document", code="wrong-state")
    project = session.scalar(select(DocumentRow.project_id).where(DocumentRow.id == document))
    if project is not None and user in find_waiting(session, project):
        name = session.get_one(User, user).name
        raise CoindexError(
            f"{name} has not passed the assessment yet; wait until they pass or exempt them", code="not-passed"
        )
