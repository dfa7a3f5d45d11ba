"""History pages: the audit log of a project for its managers, and of the server for administrators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import Response

from ...server import accounts, models
from ...server.calls import show
from ...server.models import AuditRow, Project, User
from .. import projects
from ..calls import ProjectCall
from ..models import Assignment, DocumentRow, Layer

PAGE = 100
_PEOPLE, _LAYERS = ("of", "to"), ("layer", "first")
"""The details of an action that are ids of users, and of layers."""
MOST_NAMED = 10
"""How many items of a list in the details are shown."""
ACTION_LABELS = {
    "another try": "attempt allowed",
    "dealt": "assigned automatically",
    "finish": "submitted",
    "handed in": "attempt submitted",
    "layer made": "layer created",
    "opened": "unlocked",
    "project made": "project created",
    "reopen": "reopened",
    "return": "returned",
    "set up": "administrator created",
    "token made": "token created",
}
"""How stored actions are shown, where the stored name would be unclear."""


def project_history(call: ProjectCall) -> Response:
    with call.store.read() as session:
        people = [(user.id, user.name) for user, _ in projects.members(session, call.project_id)]
    return _history(call, people, project=call.project_id)


def whole_history(call: ProjectCall) -> Response:
    with call.store.read() as session:
        people = [(user.id, user.name) for user in accounts.users(session)]
    return _history(call, people, project=None)


def _history(call: ProjectCall, people: list[tuple[int, str]], *, project: int | None) -> Response:
    person, before = (_id(call.query(name)) for name in ("person", "before"))
    with call.store.read() as session:
        rows = models.entries(session, project=project, person=person, before=before, most=PAGE + 1)
        shown = describe_entries(session, rows[:PAGE])
    return show(
        call,
        "history.html",
        title="History",
        project=call.project,
        entries=shown,
        people=people,
        person=person,
        earlier=shown[-1].id if len(rows) > PAGE else None,
    )


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the audit log with names instead of ids."""

    id: int
    at: datetime
    who: str | None
    """None for actions of the program itself."""
    project: str | None
    action: str
    details: tuple[tuple[str, str], ...]


def describe_entries(session: Session, rows: Iterable[AuditRow]) -> list[Entry]:
    """Return the entries with names instead of ids; deleted objects keep their number."""
    entries = list(rows)
    names = _Names(session, entries)
    return [
        Entry(
            row.id,
            row.at,
            names.people.get(row.user_id) if row.user_id is not None else None,
            names.projects.get(row.project_id) if row.project_id is not None else None,
            ACTION_LABELS.get(row.action, row.action),
            tuple(names.details(row.detail)),
        )
        for row in entries
    ]


class _Names:
    """The names of everything that some entries refer to, with one query for each kind."""

    def __init__(self, session: Session, rows: list[AuditRow]) -> None:
        details = [row.detail for row in rows]
        given = _ids(details, "assignment")
        held = select(Assignment.id, Assignment.document_id, Assignment.user_id).where(Assignment.id.in_(given))
        self._held = {id: (document, user) for id, document, user in session.execute(held)}
        layers = select(Layer.id, Layer.name, Layer.document_id).where(Layer.id.in_(_ids(details, *_LAYERS)))
        self._layers = {id: (name, document) for id, name, document in session.execute(layers)}
        people = {row.user_id for row in rows} | _ids(details, *_PEOPLE) | {user for _, user in self._held.values()}
        self.people = _load_names(session, User, people)
        self.projects = _load_names(session, Project, {row.project_id for row in rows})
        lists = ({"document": detail["documents"]} for detail in details if isinstance(detail.get("documents"), list))
        documents = _ids([*details, *lists], "document") | {document for document, _ in self._held.values()}
        self._documents = _load_names(
            session, DocumentRow, documents | {document for _, document in self._layers.values()}
        )

    def details(self, detail: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, value in detail.items():
            if value not in (None, [], {}, ""):
                yield name.replace("_", " "), self._text(name, value)

    def _text(self, name: str, value: Any) -> str:
        if isinstance(value, list):
            kind = "document" if name == "documents" else name  # a single number is a count
            shown = ", ".join(self._text(kind, item) for item in value[:MOST_NAMED])
            return shown + (f" … ({len(value)})" if len(value) > MOST_NAMED else "")
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int):
            return self._of_id(name, value)
        return str(value)

    def _of_id(self, name: str, id: int) -> str:
        if name in _PEOPLE:
            return self.people.get(id, f"number {id}")
        if name == "document":
            return self._documents.get(id, str(id))
        if name in _LAYERS and id in self._layers:
            layer, document = self._layers[id]
            return f"{layer} of {self._documents.get(document, document)}"
        if name == "assignment" and id in self._held:
            document, user = self._held[id]
            return f"{self._documents.get(document, document)} of {self.people.get(user, user)}"
        return str(id)


def _ids(details: Iterable[Mapping[str, Any]], *names: str) -> set[int]:
    """Return the integers under these names, alone or in lists."""
    users: set[int] = set()
    for detail in details:
        for name in names:
            value = detail.get(name)
            users.update(item for item in (value if isinstance(value, list) else [value]) if type(item) is int)
    return users


def _load_names(
    session: Session, kind: type[User] | type[Project] | type[DocumentRow], ids: Iterable[int | None]
) -> dict[int, str]:
    query = select(kind.id, kind.name).where(kind.id.in_(set(ids) - {None}))
    return {row.id: row.name for row in session.execute(query)}
