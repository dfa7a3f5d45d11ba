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
from . import models
from .database import UtcTime, now
from .models import HASH, NAME, Base, LoginSession, Membership, OneTimeLink, ProjectRole, TokenPurpose, User, to_table


def clean_name(text: str, what: str = "name", *, most: int = NAME) -> str:
    """Return the name in Unicode normal form C without surrounding whitespace; refuse invalid names."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise CoindexError(f"empty {what}; enter at least one character", code="invalid-name")
    if len(name) > most:
        raise CoindexError(
            f"the {what} {quote(name, 30)} is too long: {len(name)} characters; use at most {most}", code="invalid-name"
        )
    if not all(char.isprintable() for char in name):
        raise CoindexError(
            f"the {what} {quote(name, 30)} contains invisible characters; remove them", code="invalid-name"
        )
    return name


def clean_text(text: str, what: str = "text", *, most: int = 4000) -> str:
    """Return a longer text in normal form; it may be empty and have several lines."""
    cleaned = unicodedata.normalize("NFC", text).replace("\r\n", "\n").strip()
    if len(cleaned) > most:
        raise CoindexError(
            f"the {what} is too long: {len(cleaned)} characters; use at most {most}", code="invalid-name"
        )
    if not all(char.isprintable() or char in "\n\t" for char in cleaned):
        raise CoindexError(f"the {what} contains invisible characters; remove them", code="invalid-name")
    return cleaned


def name_key(name: str) -> str:
    """Return the key that names are compared by; case and width do not count, so that nobody can imitate a name."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


SESSION_DAYS = 14
LINK_DAYS = 7
LEAST_PASSWORD = 10
MOST_PASSWORD = 1000
"""A limit, because hashing a very long password would keep the server busy."""

_hasher = PasswordHasher()  # argon2id with the parameters that RFC 9106 recommends
HASHES_AT_ONCE = max(1, (os.cpu_count() or 1) // _hasher.parallelism)
"""One hash uses several cores and 64 MB, so more at the same time would not be faster."""
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$" + "A" * 22 + "$" + "A" * 43
"""Checked for unknown users, so that the response time does not reveal who has an account."""


class WrongLinkError(CoindexError):
    """A link that was used, has expired or never existed."""

    default_code = "invalid-link"

    def __init__(self) -> None:
        super().__init__("this link has been used, has expired or is incomplete; ask for a new one")


def hash_secret(secret: str) -> str:
    """Return the stored hash of a secret; secrets are long and random, so a fast hash is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def add_user(session: Session, name: str, password: str, *, is_administrator: bool = False) -> User:
    """Create a user; names must differ in more than case."""
    shown = clean_name(name, most=60)
    key = name_key(shown)
    if session.scalar(select(User.id).where(User.key == key)) is not None:
        raise CoindexError(f"the name {shown!r} is already taken; choose another", code="name-taken")
    user = User(name=shown, key=key, password=_ensure_hash(password), is_administrator=is_administrator)
    session.add(user)
    session.flush()
    return user


def set_password(session: Session, user: User, password: str) -> None:
    """Set a new password and end all sessions of the user."""
    user.password = _ensure_hash(password)
    session.execute(delete(LoginSession).where(LoginSession.user_id == user.id))


def set_active(session: Session, user: User, active: bool) -> None:
    """Lock or unlock an account; the last administrator cannot be locked."""
    if not active and user.is_administrator:
        others = select(func.count()).where(User.is_administrator, User.is_active, User.id != user.id)
        if not session.scalar(others):
            raise CoindexError(f"{user.name!r} is the last administrator; create another one first", code="last-owner")
    user.is_active = active
    if not active:
        session.execute(delete(LoginSession).where(LoginSession.user_id == user.id))


class PasswordHash(str):
    """The hash of a password. Hash before a write transaction, because hashing is slow and others wait."""

    __slots__ = ()


def hash_password(password: str) -> PasswordHash:
    """Check and hash a password; call this before a transaction starts."""
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise CoindexError(
            f"passwords must have {LEAST_PASSWORD} to {MOST_PASSWORD} characters; choose another",
            code="invalid-password",
        )
    return PasswordHash(_hasher.hash(password.encode("utf-8", "surrogatepass")))


def _ensure_hash(password: str) -> PasswordHash:
    return password if isinstance(password, PasswordHash) else hash_password(password)


def find_user(session: Session, name: str) -> User | None:
    return session.scalar(select(User).where(User.key == name_key(name.strip())))


def check_password(user: User | None, password: str) -> bool:
    """Return whether the password is correct; takes equally long for unknown users. Needs no transaction."""
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
    """Start a session and return the secret for its cookie; delete expired sessions."""
    session.execute(delete(LoginSession).where(LoginSession.expires < now()))
    secret = secrets.token_urlsafe(32)
    expires = now() + timedelta(days=SESSION_DAYS)
    row = LoginSession(hash=hash_secret(secret), user_id=user.id, form_token=secrets.token_urlsafe(32), expires=expires)
    session.add(row)
    return secret


def end_session(session: Session, secret: str) -> None:
    session.execute(delete(LoginSession).where(LoginSession.hash == hash_secret(secret)))


# --- one-time links


def make_link(
    session: Session,
    purpose: TokenPurpose,
    *,
    by: int | None = None,
    project: int | None = None,
    role: ProjectRole | None = None,
    user: int | None = None,
) -> str:
    """Create a one-time link and return its secret; only its hash is stored."""
    secret = secrets.token_urlsafe(32)
    expires = now() + timedelta(days=LINK_DAYS)
    session.add(
        OneTimeLink(
            hash=hash_secret(secret),
            purpose=purpose,
            project_id=project,
            role=role,
            user_id=user,
            created_by=by,
            expires=expires,
        )
    )
    return secret


def find_link(session: Session, secret: str, purpose: TokenPurpose, *, lock: bool = False) -> OneTimeLink:
    """Return the link with this secret; raise WrongLinkError if it is not valid."""
    query = select(OneTimeLink).where(OneTimeLink.hash == hash_secret(secret), OneTimeLink.purpose == purpose)
    token = session.scalar(query.with_for_update() if lock else query)
    if token is None or token.used is not None or token.expires < now():
        raise WrongLinkError()
    return token


def setup_link(session: Session) -> str | None:
    """Create a set-up link if there are no accounts yet, and invalidate earlier ones."""
    if session.scalar(select(func.count()).select_from(User)):
        return None
    session.execute(delete(OneTimeLink).where(OneTimeLink.purpose == "setup"))
    return make_link(session, "setup")


def set_up(session: Session, secret: str, name: str, password: str) -> User:
    """Create the first administrator by the set-up link."""
    token = find_link(session, secret, "setup", lock=True)
    user = add_user(session, name, password, is_administrator=True)
    token.used = now()
    models.record(session, "set up", user=user.id)
    return user


def accept_invitation(
    session: Session, secret: str, *, user: User | None = None, name: str = "", password: str = ""
) -> User:
    """Accept an invitation as a logged-in user or with a new account."""
    token = find_link(session, secret, "invitation", lock=True)
    joined = user or add_user(session, name, password)
    token.used = now()
    if token.project_id is not None and token.role is not None:
        membership = session.get(Membership, (token.project_id, joined.id))
        if membership is None:
            session.add(Membership(project_id=token.project_id, user_id=joined.id, role=token.role))
    models.record(session, "joined", user=joined.id, project=token.project_id, role=token.role)
    return joined


def reset_password(session: Session, secret: str, password: str) -> User:
    """Set a new password by a link from an administrator."""
    token = find_link(session, secret, "password", lock=True)
    user = session.get_one(User, token.user_id)
    set_password(session, user, password)
    token.used = now()
    models.record(session, "password set", user=user.id)
    return user


PREFIX = "cxt_"
"""The prefix of tokens, so that people and secret scanners recognise them."""
MOST_TOKENS = 50
"""The maximum per user."""
_MINUTE = timedelta(minutes=1)


class ApiToken(Base):
    """An API token of a user. The secret is shown once; only its hash is stored."""

    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(to_table("users.id"), index=True)
    name: Mapped[str] = mapped_column(String(NAME))
    hash: Mapped[str] = mapped_column(String(HASH), unique=True)
    created: Mapped[datetime] = mapped_column(UtcTime)
    expires: Mapped[datetime | None] = mapped_column(UtcTime)
    last_used: Mapped[datetime | None] = mapped_column(UtcTime)


def make_token(session: Session, user: int, name: str, *, at: datetime, expires: datetime | None = None) -> str:
    """Create an API token and return its secret."""
    shown = clean_name(name, "token name")
    names = [token.name for token in tokens(session, user)]
    if shown in names:
        raise CoindexError(
            f"you already have a token {shown!r}; choose another name or revoke the old one", code="name-taken"
        )
    if len(names) >= MOST_TOKENS:
        raise CoindexError(
            f"you have {len(names)} tokens, and at most {MOST_TOKENS} are allowed; revoke one first",
            code="limit-exceeded",
        )
    if expires is not None and expires <= at:
        raise CoindexError(
            f"the expiry {expires:%Y-%m-%d %H:%M} UTC is in the past; choose a later time",
            code="invalid-input",
        )
    secret = PREFIX + secrets.token_urlsafe(32)
    session.add(ApiToken(user_id=user, name=shown, hash=hash_secret(secret), created=at, expires=expires))
    session.flush()
    return secret


def find_token(session: Session, secret: str, *, at: datetime) -> tuple[User, ApiToken] | None:
    """Return the user and the token of a secret, if the token is valid and the account active."""
    row = session.execute(
        select(User, ApiToken)
        .join(ApiToken, ApiToken.user_id == User.id)
        .where(ApiToken.hash == hash_secret(secret), User.is_active)
    ).first()
    if row is None or (row[1].expires is not None and row[1].expires <= at):
        return None
    return row[0], row[1]


def is_use_noted(token: ApiToken, at: datetime) -> bool:
    """Return whether a use within the last minute is recorded, so that frequent calls do not write every time."""
    return token.last_used is not None and at - token.last_used < _MINUTE


def note_use(session: Session, token: int, *, at: datetime) -> None:
    """Record the time of the last use."""
    row = session.get(ApiToken, token)
    if row is not None:
        row.last_used = at


def tokens(session: Session, user: int) -> list[ApiToken]:
    """Return the tokens of a user, oldest first."""
    return list(session.scalars(select(ApiToken).where(ApiToken.user_id == user).order_by(ApiToken.id)))


def revoke_token(session: Session, user: int, token: int) -> None:
    """Revoke a token."""
    row = session.get(ApiToken, token)
    if row is None or row.user_id != user:
        raise CoindexError(f"you have no token {token}; it may have been revoked", code="not-found")
    session.delete(row)
