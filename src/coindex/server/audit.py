"""The record of who did what beside annotating, which the layers' logs tell."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from .models import AuditRow


def record(session: Session, action: str, *, user: int | None, project: int | None = None, **detail: Any) -> None:
    """Note an action in the same transaction that does it."""
    session.add(AuditRow(action=action, user_id=user, project_id=project, detail=detail))


def entries(
    session: Session,
    *,
    project: int | None = None,
    person: int | None = None,
    before: int | None = None,
    most: int = 200,
) -> list[AuditRow]:
    """The last actions, the newest first; of one project or of all, of one person or of all, before an entry."""
    query = select(AuditRow).order_by(AuditRow.id.desc()).limit(most)
    if project is not None:
        query = query.where(AuditRow.project_id == project)
    if person is not None:
        query = query.where(AuditRow.user_id == person)
    if before is not None:
        query = query.where(AuditRow.id < before)
    return list(session.scalars(query))
