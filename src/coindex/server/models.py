"""The tables of accounts, projects and the audit log. `migrations` creates them; a test compares the two."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import (
    ForeignKey,
    Index,
    MetaData,
    String,
    select,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from .database import Json, UtcTime, now

ProjectRole = Literal["viewer", "annotator", "adjudicator", "manager"]
PROJECT_ROLES: tuple[ProjectRole, ...] = get_args(ProjectRole)
"""The roles of members; administrators are marked in `User` and have access to all projects."""

TokenPurpose = Literal["setup", "invitation", "password"]

NAME = 200
"""The maximum length of a name."""
HASH = 64
"""SHA-256 in hexadecimal."""

# Constraints have names, since SQLite and PostgreSQL give them different ones and migrations need them.
_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

NO_ID_TWICE = {"sqlite_autoincrement": True}
"""Otherwise SQLite would reuse the ids of deleted rows, and caches and links would confuse old and new ones."""


class Base(DeclarativeBase):
    """The base class of all tables."""

    metadata = MetaData(naming_convention=_NAMES)
    __table_args__: Any = NO_ID_TWICE


def to_table(target: str, *, keep: bool = False) -> ForeignKey:
    """Return a foreign key: rows are deleted with their target, or with `keep` stay without it."""
    return ForeignKey(target, ondelete="SET NULL" if keep else "CASCADE")


class User(Base):
    """A user account."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME))
    key: Mapped[str] = mapped_column(String(NAME), unique=True)
    """The name as it is compared: case folded."""
    password: Mapped[str] = mapped_column(String(200))
    is_administrator: Mapped[bool] = mapped_column(default=False)
    is_active: Mapped[bool] = mapped_column(default=True)
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class LoginSession(Base):
    """A logged-in browser; only the hash of the cookie is stored."""

    __tablename__ = "sessions"

    hash: Mapped[str] = mapped_column(String(HASH), primary_key=True)
    user_id: Mapped[int] = mapped_column(to_table("users.id"), index=True)
    form_token: Mapped[str] = mapped_column(String(HASH))
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)
    expires: Mapped[datetime] = mapped_column(UtcTime)


class OneTimeLink(Base):
    """A one-time link: to create the administrator, to join, or to set a password. Only its hash is stored."""

    __tablename__ = "tokens"

    hash: Mapped[str] = mapped_column(String(HASH), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(20))
    project_id: Mapped[int | None] = mapped_column(to_table("projects.id"), index=True)
    role: Mapped[str | None] = mapped_column(String(20))
    user_id: Mapped[int | None] = mapped_column(to_table("users.id"), index=True)
    """Whose password it sets."""
    created_by: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)
    expires: Mapped[datetime] = mapped_column(UtcTime)
    used: Mapped[datetime | None] = mapped_column(UtcTime)


class Project(Base):
    """Documents that a team annotates by one schema."""

    __tablename__ = "projects"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME), unique=True)
    description: Mapped[str] = mapped_column(String(4000), default="")
    settings: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    """Settings by name: schema, work rules and others."""
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class Membership(Base):
    """The role of a user in a project."""

    __tablename__ = "memberships"

    project_id: Mapped[int] = mapped_column(to_table("projects.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(to_table("users.id"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(20))
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)
    is_exempt: Mapped[bool] = mapped_column(default=False)
    """May annotate without passing an assessment, as a manager has decided."""


class AuditRow(Base):
    """An entry of the audit log: an action other than annotation."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_project_id_id", "project_id", "id"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    project_id: Mapped[int | None] = mapped_column(to_table("projects.id", keep=True))
    action: Mapped[str] = mapped_column(String(40))
    detail: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)


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
