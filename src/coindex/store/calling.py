"""Who calls and what for: everything that a request has to know before it is answered, in one statement."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Integer, and_, bindparam, select
from sqlalchemy.orm import Session

from .accounts import hashed
from .columns import UtcTime, now
from .models import DocumentRow, Layer, LoginSession, Membership, Project, User


class Caller(NamedTuple):
    """Somebody who is logged in, and what the path names: None where there is no such thing."""

    user: User
    form_token: str
    project: Project | None
    role: str | None
    """What they are in the project, where they are a member."""
    document: DocumentRow | None
    """Of the project."""
    layer: Layer | None
    """Of the document."""


_PROJECT, _DOCUMENT, _LAYER = (bindparam(name, type_=Integer) for name in ("project", "document", "layer"))
_CALLER = (
    select(User, LoginSession.form_token, Project, Membership.role, DocumentRow, Layer)
    .join(LoginSession, LoginSession.user_id == User.id)
    .outerjoin(Project, Project.id == _PROJECT)
    .outerjoin(Membership, and_(Membership.project_id == Project.id, Membership.user_id == User.id))
    .outerjoin(DocumentRow, and_(DocumentRow.id == _DOCUMENT, DocumentRow.project_id == Project.id))
    .outerjoin(Layer, and_(Layer.id == _LAYER, Layer.document_id == DocumentRow.id))
    .where(
        LoginSession.hash == bindparam("hash"),
        LoginSession.expires > bindparam("now", type_=UtcTime),
        User.is_active,
    )
)


def find_caller(
    session: Session,
    secret: str,
    *,
    project: int | None = None,
    document: int | None = None,
    layer: int | None = None,
) -> Caller | None:
    """Whom the cookie's secret belongs to, if the session lives and the account is open."""
    values = {"hash": hashed(secret), "now": now(), "project": project, "document": document, "layer": layer}
    found = session.execute(_CALLER, values).first()
    return None if found is None else Caller(*found)
