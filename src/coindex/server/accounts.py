"""Users, passwords, sessions, one-time links and API tokens."""

from __future__ import annotations

import hashlib
import os
import secrets
import unicodedata
from datetime import datetime, timedelta

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from sqlalchemy import String, delete, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ..errors import CoindexError, quote
from . import audit
from .database import UtcTime, now
from .models import HASH, NAME, Base, LoginSession, Membership, ProjectRole, Token, TokenPurpose, User, to_table


def clean_name(text: str, what: str = "name", *, most: int = NAME) -> str:
    """The name in one Unicode form, without blanks at its ends; what cannot be seen or kept is refused."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise CoindexError(f"an empty {what}; give at least one character", code="invalid-name")
    if len(name) > most:
        raise CoindexError(
            f"the {what} {quote(name, 30)} has {len(name)} characters; at most {most} are kept", code="invalid-name"
        )
    if not all(char.isprintable() for char in name):
        raise CoindexError(
            f"the {what} {quote(name, 30)} has characters that cannot be seen; leave them out", code="invalid-name"
        )
    return name


def clean_text(text: str, what: str = "text", *, most: int = 4000) -> str:
    """A longer text, which may be empty and have lines."""
    cleaned = unicodedata.normalize("NFC", text).replace("\r\n", "\n").strip()
    if len(cleaned) > most:
        raise CoindexError(f"the {what} has {len(cleaned)} characters; at most {most} are kept", code="invalid-name")
    if not all(char.isprintable() or char in "\n\t" for char in cleaned):
        raise CoindexError(f"the {what} has characters that cannot be seen; leave them out", code="invalid-name")
    return cleaned


def name_key(name: str) -> str:
    """What two names are compared by, so that nobody can pass for somebody else by a capital or a wide letter."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


SESSION_DAYS = 14
LINK_DAYS = 7
LEAST_PASSWORD = 10
MOST_PASSWORD = 1000
"""Hashing a novel would keep the server busy."""

_hasher = PasswordHasher()  # argon2id with the parameters that RFC 9106 recommends
HASHES_AT_ONCE = max(1, (os.cpu_count() or 1) // _hasher.parallelism)
"""One hash keeps several cores busy and needs 64 MB: more at once would not be done sooner."""
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$" + "A" * 22 + "$" + "A" * 43
"""Checked where there is no such user, so that the time of an answer does not tell who has an account."""


class WrongLinkError(CoindexError):
    """A link that was used, has expired or never was."""

    default_code = "invalid-link"

    def __init__(self) -> None:
        super().__init__("this link was used already, has expired or is not whole; ask for a new one")


def hashed(secret: str) -> str:
    """How a session's or link's secret is kept: it is random and long, so a fast hash is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def add_user(session: Session, name: str, password: str, *, is_administrator: bool = False) -> User:
    """A new user; names differ in more than capitals."""
    shown = clean_name(name, most=60)
    key = name_key(shown)
    if session.scalar(select(User.id).where(User.key == key)) is not None:
        raise CoindexError(f"the name {shown!r} is taken; choose another", code="name-taken")
    user = User(name=shown, key=key, password=_kept(password), is_administrator=is_administrator)
    session.add(user)
    session.flush()
    return user


def set_password(session: Session, user: User, password: str) -> None:
    """A new password; whoever is logged in with the old one is logged out."""
    user.password = _kept(password)
    session.execute(delete(LoginSession).where(LoginSession.user_id == user.id))


def set_active(session: Session, user: User, active: bool) -> None:
    """Lock an account or open it again; the last administrator stays."""
    if not active and user.is_administrator:
        others = select(func.count()).where(User.is_administrator, User.is_active, User.id != user.id)
        if not session.scalar(others):
            raise CoindexError(f"{user.name!r} is the last administrator; make another one first", code="last-owner")
    user.is_active = active
    if not active:
        session.execute(delete(LoginSession).where(LoginSession.user_id == user.id))


class PasswordHash(str):
    """A password as it is kept. Whoever has one need not hash, which takes long, while others wait to write."""

    __slots__ = ()


def hash_password(password: str) -> PasswordHash:
    """To be done before a transaction begins."""
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise CoindexError(
            f"a password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters; choose another", code="invalid-password"
        )
    return PasswordHash(_hasher.hash(password.encode("utf-8", "surrogatepass")))


def _kept(password: str) -> PasswordHash:
    return password if isinstance(password, PasswordHash) else hash_password(password)


def find_user(session: Session, name: str) -> User | None:
    return session.scalar(select(User).where(User.key == name_key(name.strip())))


def check_password(user: User | None, password: str) -> bool:
    """Whether it is the user's password; takes as long for a user that does not exist. Needs no transaction."""
    try:
        given = password[:MOST_PASSWORD].encode("utf-8", "surrogatepass")
        right = _hasher.verify(user.password if user else _NOBODY, given)
    except (Argon2Error, InvalidHashError):
        return False
    return right and user is not None and user.is_active


def users(session: Session) -> list[User]:
    return list(session.scalars(select(User).order_by(User.key)))


# --- sessions


def start_session(session: Session, user: User) -> str:
    """The secret for the cookie of a new session; those that have expired are swept out."""
    session.execute(delete(LoginSession).where(LoginSession.expires < now()))
    secret = secrets.token_urlsafe(32)
    expires = now() + timedelta(days=SESSION_DAYS)
    row = LoginSession(hash=hashed(secret), user_id=user.id, form_token=secrets.token_urlsafe(32), expires=expires)
    session.add(row)
    return secret


def end_session(session: Session, secret: str) -> None:
    session.execute(delete(LoginSession).where(LoginSession.hash == hashed(secret)))


# --- links that work once


def make_link(
    session: Session,
    purpose: TokenPurpose,
    *,
    by: int | None = None,
    project: int | None = None,
    role: ProjectRole | None = None,
    user: int | None = None,
) -> str:
    """The secret of a new link; it is not kept, only its hash."""
    secret = secrets.token_urlsafe(32)
    expires = now() + timedelta(days=LINK_DAYS)
    session.add(
        Token(
            hash=hashed(secret),
            purpose=purpose,
            project_id=project,
            role=role,
            user_id=user,
            created_by=by,
            expires=expires,
        )
    )
    return secret


def find_link(session: Session, secret: str, purpose: TokenPurpose, *, lock: bool = False) -> Token:
    """The link of that secret, if it can still be used."""
    query = select(Token).where(Token.hash == hashed(secret), Token.purpose == purpose)
    token = session.scalar(query.with_for_update() if lock else query)
    if token is None or token.used is not None or token.expires < now():
        raise WrongLinkError()
    return token


def setup_link(session: Session) -> str | None:
    """The secret of a new set-up link where nobody has an account yet; earlier ones no longer work."""
    if session.scalar(select(func.count()).select_from(User)):
        return None
    session.execute(delete(Token).where(Token.purpose == "setup"))
    return make_link(session, "setup")


def set_up(session: Session, secret: str, name: str, password: str) -> User:
    """The first administrator, by the set-up link."""
    token = find_link(session, secret, "setup", lock=True)
    user = add_user(session, name, password, is_administrator=True)
    token.used = now()
    audit.record(session, "set up", user=user.id)
    return user


def accept_invitation(
    session: Session, secret: str, *, user: User | None = None, name: str = "", password: str = ""
) -> User:
    """Join by a link: as somebody who is logged in, or with a new account."""
    token = find_link(session, secret, "invitation", lock=True)
    joined = user or add_user(session, name, password)
    token.used = now()
    if token.project_id is not None and token.role is not None:
        found = session.get(Membership, (token.project_id, joined.id))
        if found is None:
            session.add(Membership(project_id=token.project_id, user_id=joined.id, role=token.role))
    audit.record(session, "joined", user=joined.id, project=token.project_id, role=token.role)
    return joined


def reset_password(session: Session, secret: str, password: str) -> User:
    """A new password by a link that an administrator made."""
    token = find_link(session, secret, "password", lock=True)
    user = session.get_one(User, token.user_id)
    set_password(session, user, password)
    token.used = now()
    audit.record(session, "password set", user=user.id)
    return user


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
        raise CoindexError(
            f"you have a token {shown!r} already; choose another name, or revoke the old one", code="name-taken"
        )
    if len(names) >= MOST_TOKENS:
        raise CoindexError(
            f"you have {len(names)} tokens; at most {MOST_TOKENS} are kept; revoke one first", code="limit-exceeded"
        )
    if expires is not None and expires <= at:
        raise CoindexError(
            f"the token would end {expires:%Y-%m-%d %H:%M} UTC, which is past; choose a later time",
            code="invalid-input",
        )
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
        raise CoindexError(f"you have no token {token}; it may have been revoked already", code="not-found")
    session.delete(row)
