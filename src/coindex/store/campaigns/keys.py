"""Keys and the inputs made of them, as files in the database; and the chains of keys that are switched off."""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ...errors import CoindexError
from ..models import User
from ..names import clean_text
from .models import FileRow, KeyRow, Switch


def add_file(session: Session, campaign: int, name: str, content: bytes) -> int:
    """Keep bytes; their number."""
    digest = hashlib.sha256(content).hexdigest()
    row = FileRow(campaign_id=campaign, name=name, size=len(content), hash=digest, content=content)
    session.add(row)
    session.flush()
    session.expunge(row)  # else the session would keep all bytes until it ends
    return row.id


def file_content(session: Session, file: int) -> bytes:
    content: bytes | None = session.scalar(select(FileRow.content).where(FileRow.id == file))
    if content is None:
        raise CoindexError(f"there is no file {file}; it may have been deleted")
    return content


def add_key(
    session: Session,
    campaign: int,
    phase: str,
    *,
    digest: str,
    key: int,
    given: int,
    by: int,
    at: datetime,
    reason: str = "",
) -> KeyRow:
    """A key of a phase in place of the one before, which is kept; `key` and `given` are files."""
    row = KeyRow(
        campaign_id=campaign,
        phase=phase,
        digest=digest,
        file_id=key,
        input_id=given,
        reason=clean_text(reason, "reason"),
        user_id=by,
        at=at,
    )
    session.add(row)
    session.flush()
    return row


def current_keys(session: Session, campaign: int) -> dict[str, KeyRow]:
    """The key in use of each phase that has one."""
    last = select(func.max(KeyRow.id)).where(KeyRow.campaign_id == campaign).group_by(KeyRow.phase)
    return {row.phase: row for row in session.scalars(select(KeyRow).where(KeyRow.id.in_(last)))}


def all_keys(session: Session, campaign: int) -> list[tuple[KeyRow, int, str | None]]:
    """Every key that was ever used, the newest first, with its size and who gave it."""
    query = (
        select(KeyRow, FileRow.size, User.name)
        .join(FileRow, FileRow.id == KeyRow.file_id)
        .outerjoin(User, User.id == KeyRow.user_id)
        .where(KeyRow.campaign_id == campaign)
        .order_by(KeyRow.id.desc())
    )
    return [(row, size, name) for row, size, name in session.execute(query)]


# --- chains switched off


def add_switch(
    session: Session,
    campaign: int,
    phase: str,
    *,
    dataset: str,
    document: str,
    entity: str,
    is_off: bool,
    reason: str,
    by: int,
    at: datetime,
) -> None:
    """Note that a chain is switched off, or on again."""
    session.add(
        Switch(
            campaign_id=campaign,
            phase=phase,
            dataset=dataset,
            document=document,
            entity=entity,
            is_off=is_off,
            reason=clean_text(reason, "reason"),
            user_id=by,
            at=at,
        )
    )
    session.flush()


def switches(session: Session, campaign: int) -> list[tuple[Switch, str | None]]:
    """Everything that was ever switched, the oldest first, with who did it."""
    query = (
        select(Switch, User.name)
        .outerjoin(User, User.id == Switch.user_id)
        .where(Switch.campaign_id == campaign)
        .order_by(Switch.id)
    )
    return [(row, name) for row, name in session.execute(query)]


def switched_off(session: Session, campaign: int, phase: str) -> list[Switch]:
    """The chains of a phase's key that are off now."""
    query = select(Switch).where(Switch.campaign_id == campaign, Switch.phase == phase).order_by(Switch.id)
    last = {(row.dataset, row.document, row.entity): row for row in session.scalars(query)}
    return [row for row in last.values() if row.is_off]
