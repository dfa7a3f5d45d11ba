"""The queue of documents, abandoned assignments, automatic assignment and progress.

A document has as many slots as the project wants annotators for it. Assigning a slot locks the row of the project, so
that two simultaneous requests get different slots.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, exists, false, func, insert, literal, or_, select
from sqlalchemy.orm import Session, aliased

from ..errors import CoindexError
from ..server import models
from ..server.database import now
from ..server.models import Project
from . import assignments
from .assessments import find_waiting
from .layers import AnnotationStore
from .models import RETURNED_BY_USER, Assessment, Assignment, DocumentRow, Layer, OperationRow, ReturnReason
from .projects import WorkRules, lock_project, members, work_rules

UNFINISHED = ("open", "started")
HELD = (*UNFINISHED, "done")
"""States in which an assignment takes a slot."""
REASON_LABELS = {RETURNED_BY_USER: "returned by the annotator", "no activity": "no activity", "late": "deadline passed"}
"""How the reasons for a return are shown."""


class NotPassedError(CoindexError):
    """A user requests a document but has to pass an assessment first."""

    default_code = "not-passed"

    def __init__(self) -> None:
        super().__init__("no document assigned: pass the assessment first")


# --- current assignments


@dataclass(frozen=True, slots=True)
class InHand:
    """An assignment with its last activity."""

    id: int
    document: int
    user: int
    state: str
    reason: str | None
    deadline: datetime | None
    changed: datetime
    active: datetime
    """When it was last changed or edited."""

    def reason_to_return(self, idle: timedelta | None, at: datetime) -> ReturnReason | None:
        """Return why the assignment should be returned now, or None."""
        if self.state not in UNFINISHED:
            return None
        if self.deadline is not None and self.deadline < at:
            return "late"
        return "no activity" if idle is not None and self.active + idle < at else None


def in_hand(session: Session, project: int, *where: ColumnElement[bool]) -> list[InHand]:
    """Return assignments of the project."""
    last = (
        select(OperationRow.created)
        .where(OperationRow.layer_id == Layer.id, OperationRow.revision == Layer.revision)
        .scalar_subquery()
    )
    row = Assignment
    query = (
        select(row.id, row.document_id, row.user_id, row.state, row.reason, row.deadline, row.changed, last)
        .join(DocumentRow, DocumentRow.id == row.document_id)
        .outerjoin(Layer, Layer.id == row.layer_id)
        .where(DocumentRow.project_id == project, *where)
        .order_by(row.id)
    )
    rows = session.execute(query)
    return [
        InHand(id, document, user, state, reason, deadline, changed, max(changed, edited or changed))
        for id, document, user, state, reason, deadline, changed, edited in rows
    ]


def sweep(store: AnnotationStore, project: int, at: datetime) -> int:
    """Return abandoned and overdue assignments to the queue; return their number.

    Pages call this before they show assignments; there is no background job.
    """
    with store.read() as session:
        if not _find_abandoned(session, session.get_one(Project, project), at):
            return 0
    with store.write() as session:
        abandoned = _find_abandoned(session, lock_project(session, project), at)
        for id, reason in abandoned:
            assignments.give_back(session, session.get_one(Assignment, id), reason=reason, at=at)
            models.record(session, "returned", user=None, project=project, assignment=id, reason=reason)
    return len(abandoned)


def _find_abandoned(session: Session, project: Project, at: datetime) -> list[tuple[int, ReturnReason]]:
    days = work_rules(project).idle_days
    idle = None if days is None else timedelta(days=days)
    is_late = Assignment.deadline < at
    is_old = false() if idle is None else Assignment.changed < at - idle  # later edits are checked below
    overdue = in_hand(session, project.id, Assignment.state.in_(UNFINISHED), or_(is_late, is_old))
    return [(held.id, reason) for held in overdue if (reason := held.reason_to_return(idle, at))]


# --- the queue


def next_for(session: Session, project: int, user: int, *, at: datetime) -> Assignment | None:
    """Return an open assignment of the user, otherwise assign a document with a free slot; None if there is none."""
    rules = work_rules(lock_project(session, project))
    own = (
        select(Assignment)
        .join(DocumentRow, DocumentRow.id == Assignment.document_id)
        .where(DocumentRow.project_id == project, Assignment.user_id == user, Assignment.state.in_(UNFINISHED))
        .order_by(Assignment.state.desc(), Assignment.deadline.is_(None), Assignment.deadline, Assignment.id)
        .limit(1)
    )
    if (assignment := session.scalar(own)) is not None:
        return assignment
    if user in find_waiting(session, project):
        raise NotPassedError()
    document = _from_pool(session, project, user, rules)
    if document is None:
        return None
    days = rules.deadline_days
    deadline = None if days is None else at + timedelta(days=days)
    return assignments.assign(session, document, user, deadline=deadline, at=at)


def _from_pool(session: Session, project: int, user: int, rules: WorkRules) -> int | None:
    """Return a document with a free slot: documents that others have started come first, then the order of import.

    A document that the user has returned is not offered again; one that was returned for inactivity may be, and then
    keeps its annotation.
    """
    own = aliased(Assignment)
    had = exists().where(
        own.document_id == DocumentRow.id,
        own.user_id == user,
        or_(own.state.in_(HELD), own.reason.is_(None), own.reason == RETURNED_BY_USER),
    )
    free = _with_holders(DocumentRow.id.expression, project, rules).where(~had)
    document: int | None = session.scalar(free.order_by(func.count(Assignment.id).desc(), DocumentRow.id).limit(1))
    return document


def _is_assessment() -> ColumnElement[bool]:
    return exists().where(Assessment.document_id == DocumentRow.id, Assessment.is_open).correlate(DocumentRow)


def free_slots(session: Session, project: Project) -> int:
    """Return how many slots of documents are free."""
    rules = work_rules(project)
    lacking = _with_holders((_copies(rules) - func.count(Assignment.id)).label("lacking"), project.id, rules).subquery()
    return int(session.scalar(select(func.sum(lacking.c.lacking))) or 0)


def _copies(rules: WorkRules) -> ColumnElement[int]:
    """Return the number of annotators of a document, by its name."""
    starts = [
        (func.substr(DocumentRow.name, 1, len(start)) == start, literal(copies)) for start, copies in rules.exceptions
    ]
    return case(*starts, else_=literal(rules.copies)) if starts else literal(rules.copies)


def _with_holders(column: ColumnElement[Any], project: int, rules: WorkRules) -> Select[Any]:
    """Select a column of the documents with fewer annotators than wanted."""
    return (
        select(column)
        .select_from(DocumentRow)
        .outerjoin(Assignment, and_(Assignment.document_id == DocumentRow.id, Assignment.state.in_(HELD)))
        .where(DocumentRow.project_id == project, ~_is_assessment())
        .group_by(DocumentRow.id)
        .having(func.count(Assignment.id) < _copies(rules))
    )


# --- automatic assignment


@dataclass(slots=True)
class DocumentToDeal:
    """A document that is not an assessment: its number of annotators, and everybody who has or had it."""

    id: int
    name: str
    words: int
    copies: int = 0
    people: set[int] = field(default_factory=set)


def documents_to_deal(session: Session, project: int) -> list[DocumentToDeal]:
    """Return the documents of a project that are not assessments."""
    query = (
        select(DocumentRow.id, DocumentRow.name, DocumentRow.tokens)
        .where(DocumentRow.project_id == project, ~_is_assessment())
        .order_by(DocumentRow.id)
    )
    documents = {id: DocumentToDeal(id, name, words) for id, name, words in session.execute(query)}
    rows = (
        select(Assignment.document_id, Assignment.user_id, Assignment.state)
        .join(DocumentRow, DocumentRow.id == Assignment.document_id)
        .where(DocumentRow.project_id == project)
    )
    for document, user, state in session.execute(rows):
        if document in documents:
            documents[document].people.add(user)
            documents[document].copies += state in HELD
    return list(documents.values())


def words_in_hand(session: Session, project: int) -> dict[int, int]:
    """Return how many words each user still has to annotate."""
    query = (
        select(Assignment.user_id, func.sum(DocumentRow.tokens))
        .join(DocumentRow, DocumentRow.id == Assignment.document_id)
        .where(DocumentRow.project_id == project, Assignment.state.in_(UNFINISHED))
        .group_by(Assignment.user_id)
    )
    return {user: int(words) for user, words in session.execute(query)}


def give(
    session: Session,
    project: int,
    given: Iterable[tuple[int, int]],
    *,
    deadline: datetime | None = None,
    at: datetime | None = None,
) -> int:
    """Create assignments and return their number. The caller holds the lock of the project since before the plan."""
    pairs = list(given)
    may_work = {user.id for user, role in members(session, project) if role != "viewer"} - find_waiting(
        session, project
    )
    free = {document.id: document.people for document in documents_to_deal(session, project)}
    for document, user in pairs:
        if user not in may_work or document not in free or user in free[document]:
            raise CoindexError(
                f"document {document} can no longer be assigned to user {user}; preview the assignments again",
                code="concurrent-change",
            )
        free[document].add(user)
    moment = at or now()
    same = {"state": "open", "deadline": deadline, "created": moment, "changed": moment}
    if pairs:
        rows = [{"document_id": document, "user_id": user, **same} for document, user in pairs]
        session.execute(insert(Assignment), rows)
    return len(pairs)


@dataclass(frozen=True, slots=True)
class Share:
    """The assignment of a document to one annotator."""

    user: int
    name: str
    state: str
    reason: str | None
    deadline: datetime | None
    active: datetime
    is_late: bool


@dataclass(slots=True)
class DocumentProgress:
    """A document with its assignments."""

    id: int
    name: str
    words: int
    shares: list[Share] = field(default_factory=list)

    copies: int = 1
    """The wanted number of annotators, or the actual number if that is larger."""

    def count(self, *states: str) -> int:
        return sum(share.state in states for share in self.shares)


@dataclass(slots=True)
class PersonProgress:
    """The work of an annotator by state, in documents and words."""

    user: int
    name: str
    role: str
    documents: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    late: int = 0
    active: datetime | None = None

    def add(self, share: Share, words: int) -> None:
        self.documents[share.state] = self.documents.get(share.state, 0) + 1
        self.words[share.state] = self.words.get(share.state, 0) + words
        self.late += share.is_late
        self.active = max(self.active or share.active, share.active)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a project at one time."""

    copies: int
    documents: list[DocumentProgress]
    people: list[PersonProgress]
    done: list[tuple[datetime, int]]
    """When documents were finished, and their words, in order of time."""

    @property
    def words_wanted(self) -> int:
        return sum(document.words * document.copies for document in self.documents)

    @property
    def words_done(self) -> int:
        return sum(words for _, words in self.done)

    def share(self, *states: str) -> float:
        """Return the share of all wanted words that are in these states."""
        words = sum(document.words * document.count(*states) for document in self.documents)
        return words / self.words_wanted if self.words_wanted else 0.0


def progress(session: Session, project: Project, at: datetime) -> Progress:
    """Return the progress of a project, without assessments."""
    documents = {
        document.id: DocumentProgress(document.id, document.name, document.words)
        for document in documents_to_deal(session, project.id)
    }
    people = {user.id: PersonProgress(user.id, user.name, role) for user, role in members(session, project.id)}
    done: list[tuple[datetime, int]] = []
    for held in in_hand(session, project.id):
        document = documents.get(held.document)
        if document is None:
            continue
        person = people.get(held.user)
        share = _share(held, person.name if person else "former member", at)
        document.shares.append(share)
        if person is not None:
            person.add(share, document.words)
        if share.state == "done":
            done.append((held.changed, document.words))
    rules = work_rules(project)
    ordered = sorted(documents.values(), key=lambda document: document.name)
    for document in ordered:
        document.copies = max(rules.copies_of(document.name), document.count(*HELD))
        document.shares.sort(key=lambda share: (share.state not in HELD, share.name))
    wanted = [person for person in people.values() if person.role == "annotator" or person.documents]
    return Progress(rules.copies, ordered, wanted, sorted(done))


def _share(held: InHand, name: str, at: datetime) -> Share:
    is_late = held.state in UNFINISHED and held.deadline is not None and held.deadline < at
    return Share(held.user, name, held.state, held.reason, held.deadline, held.active, is_late)


def by_day(done: Iterable[tuple[datetime, int]]) -> list[tuple[date, int]]:
    """Return every day from the first to the last with the total of words done until its end."""
    days: dict[date, int] = {}
    for moment, words in done:
        days[moment.date()] = days.get(moment.date(), 0) + words
    if not days:
        return []
    first, last = min(days), max(days)
    every = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return list(zip(every, accumulate(days.get(day, 0) for day in every), strict=True))
