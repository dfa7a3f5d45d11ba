"""The audit log: actions other than annotation, which the logs of the layers record."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from .models import AuditRow


def record(session: Session, action: str, *, user: int | None, project: int | None = None, **detail: Any) -> None:
    """Record an action in the transaction that performs it."""
    session.add(AuditRow(action=action, user_id=user, project_id=project, detail=detail))


def entries(
    session: Session,
    *,
    project: int | None = None,
    person: int | None = None,
    before: int | None = None,
    most: int = 200,
) -> list[AuditRow]:
    """Return actions, newest first, optionally of one project or user, or before an entry."""
    query = select(AuditRow).order_by(AuditRow.id.desc()).limit(most)
    if project is not None:
        query = query.where(AuditRow.project_id == project)
    if person is not None:
        query = query.where(AuditRow.user_id == person)
    if before is not None:
        query = query.where(AuditRow.id < before)
    return list(session.scalars(query))
