"""Tokens by which programs act for a user: named, kept as hashes, revocable, with the time they were last used."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ..errors import CoindexError
from .accounts import hashed
from .columns import UtcTime
from .models import HASH, NAME, Base, User, to_table
from .names import clean_name

PREFIX = "cxt_"
"""What tokens begin with, so that people and scanners of leaked secrets know one."""
MOST_TOKENS = 50
"""Of one user."""
_MINUTE = timedelta(minutes=1)


class ApiToken(Base):
    """A token of a user. The secret itself is told once and not kept."""

    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(to_table("users.id"), index=True)
    name: Mapped[str] = mapped_column(String(NAME))
    hash: Mapped[str] = mapped_column(String(HASH), unique=True)
    created: Mapped[datetime] = mapped_column(UtcTime)
    expires: Mapped[datetime | None] = mapped_column(UtcTime)
    last_used: Mapped[datetime | None] = mapped_column(UtcTime)


def make_token(session: Session, user: int, name: str, *, at: datetime, expires: datetime | None = None) -> str:
    """The secret of a new token."""
    shown = clean_name(name, "token's name")
    names = [token.name for token in tokens(session, user)]
    if shown in names:
        raise CoindexError(f"you have a token {shown!r} already; choose another name, or revoke the old one")
    if len(names) >= MOST_TOKENS:
        raise CoindexError(f"you have {len(names)} tokens; at most {MOST_TOKENS} are kept; revoke one first")
    if expires is not None and expires <= at:
        raise CoindexError(f"the token would end {expires:%Y-%m-%d %H:%M} UTC, which is past; choose a later time")
    secret = PREFIX + secrets.token_urlsafe(32)
    session.add(ApiToken(user_id=user, name=shown, hash=hashed(secret), created=at, expires=expires))
    session.flush()
    return secret


def find_token(session: Session, secret: str, *, at: datetime) -> tuple[User, ApiToken] | None:
    """Whose token it is, if it can be used and the account is open."""
    found = session.execute(
        select(User, ApiToken)
        .join(ApiToken, ApiToken.user_id == User.id)
        .where(ApiToken.hash == hashed(secret), User.is_active)
    ).first()
    if found is None or (found[1].expires is not None and found[1].expires <= at):
        return None
    return found[0], found[1]


def is_use_noted(token: ApiToken, at: datetime) -> bool:
    """Whether its last use is known to the minute; a program that asks every second need not write every second."""
    return token.last_used is not None and at - token.last_used < _MINUTE


def note_use(session: Session, token: int, *, at: datetime) -> None:
    """Keep when it was last used."""
    row = session.get(ApiToken, token)
    if row is not None:
        row.last_used = at


def tokens(session: Session, user: int) -> list[ApiToken]:
    """The tokens of a user, the oldest first."""
    return list(session.scalars(select(ApiToken).where(ApiToken.user_id == user).order_by(ApiToken.id)))


def revoke_token(session: Session, user: int, token: int) -> None:
    """From now on it opens nothing."""
    row = session.get(ApiToken, token)
    if row is None or row.user_id != user:
        raise CoindexError(f"you have no token {token}; it may have been revoked already")
    session.delete(row)
