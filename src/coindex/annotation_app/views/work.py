"""Work pages: the queue of an annotator, progress with charts, automatic assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from markupsafe import Markup
from sqlalchemy.orm import Session
from starlette.responses import Response

from ...analysis.figures import Growth, StackedBars, inline
from ...annotation.assessment import Plan, Text, deal
from ...document.naming import count
from ...errors import CoindexError
from ...server import models
from ...server.calls import PAGE, go, part, show
from ...server.models import Project, User
from .. import assessments, assignments, projects, work
from ..calls import ProjectCall
from ..models import Assignment, DocumentRow
from ..projects import lock_project, work_rules
from ..work import PersonProgress, Progress, by_day, progress

STATES = ("done", "started", "open")


def work_page(call: ProjectCall) -> Response:
    """Show the assignments of the user and the button for the next document."""
    at = call.state.clock()
    work.sweep(call.store, call.project_id, at)
    with call.store.read() as session:
        project = session.get_one(Project, call.project_id)
        held = work.in_hand(session, call.project_id, Assignment.user_id == call.user_id)
        mine = [(held_document, session.get_one(DocumentRow, held_document.document)) for held_document in held]
        is_waiting = call.user_id in assessments.find_waiting(session, call.project_id)
        free = work.free_slots(session, project)
        rules = work_rules(project)
    return show(
        call,
        "work.html",
        title="Your work",
        project=project,
        mine=sorted(mine, key=lambda pair: (pair[0].state == "done", pair[0].id)),
        is_waiting=is_waiting,
        free=free,
        rules=rules,
        reasons=work.REASON_LABELS,
        now=at,
    )


def next_document(call: ProjectCall) -> Response:
    """Open the next document in the editor."""
    at = call.state.clock()
    work.sweep(call.store, call.project_id, at)
    base = f"/projects/{call.project_id}"
    try:
        with call.store.write() as session:
            row = work.next_for(session, call.project_id, call.user_id, at=at)
            if row is None:
                return go(f"{base}/work")
            layer = assignments.begin(session, row, at=at)
            name = session.get_one(DocumentRow, row.document_id).name
            models.record(session, "next document", user=call.user_id, project=call.project_id, document=name)
    except work.NotPassedError:
        return go(f"{base}/assessment")
    return go(f"{base}/documents/{row.document_id}/layers/{layer.id}/edit")


def progress_page(call: ProjectCall) -> Response:
    at = call.state.clock()
    work.sweep(call.store, call.project_id, at)
    with call.store.read() as session:
        current = progress(session, session.get_one(Project, call.project_id), at)
        is_waiting = assessments.find_waiting(session, call.project_id)
    page, pages = part(call, len(current.documents))
    return show(
        call,
        "progress.html",
        title="Progress",
        project=call.project,
        progress=current,
        documents=current.documents[(page - 1) * PAGE : page * PAGE],
        page=page,
        pages=pages,
        waiting=is_waiting,
        over_time=_over_time(current),
        by_person=_by_person(current.people),
        reasons=work.REASON_LABELS,
        now=at,
    )


def _over_time(current: Progress) -> Markup:
    """Draw the words done per day and the target."""
    points = [(f"{day:%Y-%m-%d}", words) for day, words in by_day(current.done)]
    title = f"{count(current.words_done, 'word')} done of {current.words_wanted:,}"
    chart = Growth(name="over-time", title=title, y="words", points=points, goal=current.words_wanted)
    return Markup(inline(chart)) if points else Markup()


def _by_person(people: Sequence[PersonProgress]) -> Markup:
    series = {state: [person.words.get(state, 0) for person in people] for state in STATES}
    title = "Words per annotator: done, started and open"
    chart = StackedBars(name="by-person", title=title, labels=[person.name for person in people], series=series)
    return Markup(inline(chart)) if people else Markup()


PERSON = "person-"


def dealing_page(call: ProjectCall) -> Response:
    """Show the form; with its fields in the URL, also preview the assignments."""
    fields = call.request.query_params
    with call.store.read() as session:
        project = session.get_one(Project, call.project_id)
        people, is_waiting = _people(session, project.id)
        chosen = _parse_people(fields) if fields else {user.id for user, role in people if role == "annotator"}
        names = {document.id: document for document in work.documents_to_deal(session, project.id)}
        plan = _plan(session, project.id, fields, chosen) if fields else None
    return show(
        call,
        "dealing.html",
        title="Assign automatically",
        project=project,
        people=people,
        waiting=is_waiting,
        chosen=chosen - is_waiting,
        fields=fields,
        copies=fields.get("copies") or str(work_rules(project).copies),
        plan=plan,
        takers=_takers(plan) if plan else {},
        exceptions=work_rules(project).exceptions,
        names=names,
        users={user.id: user.name for user, _ in people},
    )


def deal_out(call: ProjectCall) -> Response:
    """Create the assignments that the submitted fields give now."""
    deadline = deadline_of(call.text("deadline"), call.state.clock())
    with call.store.write() as session:
        lock_project(session, call.project_id)
        plan = _plan(session, call.project_id, call.fields, _parse_people(call.fields))
        given = work.give(session, call.project_id, plan.given, deadline=deadline, at=call.state.clock())
        models.record(
            session,
            "dealt",
            user=call.user_id,
            project=call.project_id,
            copies=_number(call.fields, "copies"),
            seed=_number(call.fields, "seed"),
            given=given,
        )
    return go(f"/projects/{call.project_id}/progress")


def _people(session: Session, project: int) -> tuple[list[tuple[User, str]], set[int]]:
    people = [(user, role) for user, role in projects.members(session, project) if role != "viewer" and user.is_active]
    return people, assessments.find_waiting(session, project)


def _parse_people(fields: Mapping[str, str]) -> set[int]:
    ids = (name.removeprefix(PERSON) for name in fields if name.startswith(PERSON))
    return {int(id) for id in ids if id.isascii() and id.isdigit() and len(id) < 10}


def _plan(session: Session, project: int, fields: Mapping[str, str], chosen: set[int]) -> Plan:
    people, is_waiting = _people(session, project)
    loads = work.words_in_hand(session, project)
    takers = {user.id: loads.get(user.id, 0) for user, _ in people if user.id in chosen - is_waiting}
    if not takers:
        raise CoindexError("no annotators chosen; choose at least one who may annotate", code="nothing-given")
    copies = _number(fields, "copies")
    rules = replace(work_rules(session.get_one(Project, project)), copies=copies)
    texts = [
        Text(
            document.id,
            document.words,
            document.copies,
            frozenset(document.people),
            wanted=rules.copies_of(document.name),
        )
        for document in work.documents_to_deal(session, project)
    ]
    return deal(texts, takers, copies=copies, seed=_number(fields, "seed"))


def _takers(plan: Plan) -> dict[int, list[int]]:
    """Return the users who get each document of a plan."""
    chosen: dict[int, list[int]] = {}
    for document, user in plan.given:
        chosen.setdefault(document, []).append(user)
    return chosen


def _number(fields: Mapping[str, str], name: str) -> int:
    value = fields.get(name, "")
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise CoindexError(f"{name}: {value[:20]!r} is not a whole number", code="invalid-input")
    return int(value)


def deadline_of(text: str, now: datetime) -> datetime | None:
    """Return the end of the given day in UTC; it must not be over."""
    if not text:
        return None
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(hour=23, minute=59, second=59, tzinfo=UTC)
    except ValueError as error:
        raise CoindexError(
            f"the deadline {text[:20]!r} is not a date; write it as 2030-01-31", code="invalid-input"
        ) from error
    if day < now:
        raise CoindexError(f"the deadline {text} is in the past; choose a later day", code="invalid-input")
    return day
