"""Campaigns and their definitions, who runs them, and the log of what was done."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from ...errors import CoindexError
from ..models import User
from ..names import clean_name, clean_text
from .models import CampaignRow, DefinitionRow, LogRow, Organiser


class NoCampaignError(CoindexError):
    """A campaign that is not there."""

    def __init__(self, campaign: int) -> None:
        super().__init__(f"there is no campaign {campaign}; it may have been deleted")


def add_campaign(session: Session, name: str, text: str, *, by: int, at: datetime) -> CampaignRow:
    """A new campaign, run by whoever makes it."""
    shown = clean_name(name, "campaign's name")
    if session.scalar(select(CampaignRow.id).where(CampaignRow.name == shown)) is not None:
        raise CoindexError(f"there is a campaign {shown!r} already; choose another name")
    row = CampaignRow(name=shown, definition=text, created=at)
    session.add(row)
    session.flush()
    session.add(DefinitionRow(campaign_id=row.id, number=1, text=text, user_id=by, at=at))
    add_organiser(session, row.id, by)
    record(session, row.id, "campaign made", by=by, at=at)
    return row


def get_campaign(session: Session, campaign: int) -> CampaignRow:
    row = session.get(CampaignRow, campaign)
    if row is None:
        raise NoCampaignError(campaign)
    return row


def campaigns(session: Session) -> list[CampaignRow]:
    """All campaigns, the newest first."""
    return list(session.scalars(select(CampaignRow).order_by(CampaignRow.id.desc())))


def lock_campaign(session: Session, campaign: int, *, share: bool = False) -> CampaignRow:
    """The campaign as it is now, unchanged by others until the transaction ends; `share`: others may hold it too."""
    query = select(CampaignRow).where(CampaignRow.id == campaign).with_for_update(read=share)
    row = session.scalar(query, execution_options={"populate_existing": True})
    if row is None:
        raise NoCampaignError(campaign)
    return row


def save_text(session: Session, row: CampaignRow, text: str, *, by: int, at: datetime, reason: str = "") -> None:
    """Another definition; the old ones are kept. The campaign's row is held."""
    row.definition, row.version, row.revision = text, row.version + 1, row.revision + 1
    why = clean_text(reason, "reason")
    session.add(
        DefinitionRow(campaign_id=row.id, number=row.version, text=text, reason=why, user_id=by, at=at),
    )
    record(session, row.id, "definition saved", by=by, at=at, version=row.version, why=why)


def versions(session: Session, campaign: int) -> list[tuple[DefinitionRow, str | None]]:
    """All definitions, the newest first, each with who saved it."""
    query = (
        select(DefinitionRow, User.name)
        .outerjoin(User, User.id == DefinitionRow.user_id)
        .where(DefinitionRow.campaign_id == campaign)
        .order_by(DefinitionRow.number.desc())
    )
    return [(row, name) for row, name in session.execute(query)]


# --- organisers


def is_organiser(session: Session, campaign: int, user: int) -> bool:
    return session.get(Organiser, (campaign, user)) is not None


def organisers(session: Session, campaign: int) -> list[User]:
    query = select(User).join(Organiser, Organiser.user_id == User.id).where(Organiser.campaign_id == campaign)
    return list(session.scalars(query.order_by(User.key)))


def add_organiser(session: Session, campaign: int, user: int) -> None:
    if not is_organiser(session, campaign, user):
        session.add(Organiser(campaign_id=campaign, user_id=user))
        session.flush()


def remove_organiser(session: Session, campaign: int, user: int) -> None:
    """Somebody runs it no longer; the last one stays."""
    others = select(exists().where(Organiser.campaign_id == campaign, Organiser.user_id != user))
    if not session.scalar(others):
        raise CoindexError("this is the last organiser; name another one first")
    session.execute(delete(Organiser).where(Organiser.campaign_id == campaign, Organiser.user_id == user))


# --- the log


def record(session: Session, campaign: int, action: str, *, by: int | None, at: datetime, **detail: Any) -> None:
    """Note an action in the same transaction that does it. Teams are told by their numbers, never by their names."""
    session.add(LogRow(campaign_id=campaign, action=action, user_id=by, at=at, detail=detail))


def log_entries(session: Session, campaign: int, *, most: int = 200) -> list[tuple[LogRow, str | None]]:
    """The last actions, the newest first, each with who did it."""
    query = (
        select(LogRow, User.name)
        .outerjoin(User, User.id == LogRow.user_id)
        .where(LogRow.campaign_id == campaign)
        .order_by(LogRow.id.desc())
        .limit(most)
    )
    return [(row, name) for row, name in session.execute(query)]
