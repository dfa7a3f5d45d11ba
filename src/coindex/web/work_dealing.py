"""Documents given out by a rule: the plan first, then the same plan done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy.orm import Session
from starlette.responses import Response

from ..annotation.assigning import Plan, Text, deal
from ..errors import CoindexError
from ..store import assessments, audit, projects, work
from ..store.models import Project, User
from ..store.work_settings import lock_project, work_rules
from .calls import Call
from .pages import go, show

PERSON = "person-"


def dealing_page(call: Call) -> Response:
    """The form; with its fields in the address, also what would be done."""
    fields = call.request.query_params
    with call.store.read() as session:
        project = session.get_one(Project, call.project_id)
        people, is_waiting = _people(session, project.id)
        chosen = _chosen(fields) if fields else {user.id for user, role in people if role == "annotator"}
        names = {document.id: document for document in work.documents_to_deal(session, project.id)}
        plan = _plan(session, project.id, fields, chosen) if fields else None
    return show(
        call,
        "dealing.html",
        title="Assign by rule",
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


def deal_out(call: Call) -> Response:
    """Do the plan that the same fields give now."""
    deadline = deadline_of(call.text("deadline"), call.state.clock())
    with call.store.write() as session:
        lock_project(session, call.project_id)
        plan = _plan(session, call.project_id, call.fields, _chosen(call.fields))
        given = work.give(session, call.project_id, plan.given, deadline=deadline, at=call.state.clock())
        audit.record(
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
    found = [(user, role) for user, role in projects.members(session, project) if role != "viewer" and user.is_active]
    return found, assessments.waiting(session, project)


def _chosen(fields: Mapping[str, str]) -> set[int]:
    ids = (name.removeprefix(PERSON) for name in fields if name.startswith(PERSON))
    return {int(id) for id in ids if id.isascii() and id.isdigit() and len(id) < 10}


def _plan(session: Session, project: int, fields: Mapping[str, str], chosen: set[int]) -> Plan:
    people, is_waiting = _people(session, project)
    loads = work.words_in_hand(session, project)
    takers = {user.id: loads.get(user.id, 0) for user, _ in people if user.id in chosen - is_waiting}
    if not takers:
        raise CoindexError("nobody to give documents to; choose at least one person who may work")
    copies = _number(fields, "copies")
    rules = replace(work_rules(session.get_one(Project, project)), copies=copies)
    texts = [
        Text(one.id, one.words, one.copies, frozenset(one.people), wanted=rules.copies_of(one.name))
        for one in work.documents_to_deal(session, project)
    ]
    return deal(texts, takers, copies=copies, seed=_number(fields, "seed"))


def _takers(plan: Plan) -> dict[int, list[int]]:
    """Who gets each document of a plan."""
    found: dict[int, list[int]] = {}
    for document, user in plan.given:
        found.setdefault(document, []).append(user)
    return found


def _number(fields: Mapping[str, str], name: str) -> int:
    value = fields.get(name, "")
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise CoindexError(f"{name}: {value[:20]!r}; expected a whole number")
    return int(value)


def deadline_of(text: str, now: datetime) -> datetime | None:
    """A day that is not over, up to its end in UTC."""
    if not text:
        return None
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(hour=23, minute=59, second=59, tzinfo=UTC)
    except ValueError as error:
        raise CoindexError(f"the deadline {text[:20]!r}; expected a day such as 2030-01-31") from error
    if day < now:
        raise CoindexError(f"the deadline {text} is over; choose a day to come")
    return day
