"""Who did what and when, beside annotating: in a project for those who manage it, everywhere for administrators."""

from __future__ import annotations

from starlette.responses import Response

from ..store import accounts, audit, projects
from .calls import Call
from .pages import show

PAGE = 100


def project_history(call: Call) -> Response:
    with call.store.read() as session:
        people = [(user.id, user.name) for user, _ in projects.members(session, call.project_id)]
    return _history(call, people, project=call.project_id)


def whole_history(call: Call) -> Response:
    with call.store.read() as session:
        people = [(user.id, user.name) for user in accounts.users(session)]
    return _history(call, people, project=None)


def _history(call: Call, people: list[tuple[int, str]], *, project: int | None) -> Response:
    person, before = (_id(call.query(name)) for name in ("person", "before"))
    with call.store.read() as session:
        rows = audit.entries(session, project=project, person=person, before=before, most=PAGE + 1)
        told = audit.tell(session, rows[:PAGE])
    return show(
        call,
        "history.html",
        title="History",
        project=call.project,
        entries=told,
        people=people,
        person=person,
        earlier=told[-1].id if len(rows) > PAGE else None,
    )


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
