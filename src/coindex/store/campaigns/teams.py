"""Teams, their members, links to join them, and when they first had an input."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from ...errors import CoindexError
from ..accounts import LINK_DAYS, WrongLinkError, hashed
from ..models import User
from ..names import clean_name, name_key
from .models import FirstDownload, Invitation, Team, TeamMember

MOST_NAME = 60
RESERVED = "coindex-team-"
"""What a team is called where neither its name nor its alias may stand, such as the name of a file: with its number."""


def file_team(team: int) -> str:
    """The name of a team for files."""
    return f"{RESERVED}{team}"


def clean_team_name(session: Session, campaign: int, name: str, *, but: int | None = None) -> tuple[str, str]:
    """The name and what it is compared by; refused where another team has it, or an alias is alike."""
    shown = clean_name(name, "team's name", most=MOST_NAME)
    key = name_key(shown)
    if key.startswith(RESERVED):
        raise CoindexError(f"names that begin with {RESERVED!r} are not for teams; choose another")
    for team in all_teams(session, campaign):
        if team.id != but and key in (team.key, name_key(team.alias)):
            raise CoindexError(f"the team name {shown!r} is taken; choose another")
    return shown, key


def add_team(session: Session, campaign: int, name: str, alias: str, *, at: datetime) -> Team:
    """A new team without members. The campaign's row is held."""
    shown, key = clean_team_name(session, campaign, name)
    team = Team(campaign_id=campaign, name=shown, key=key, alias=alias, created=at)
    session.add(team)
    session.flush()
    return team


def all_teams(session: Session, campaign: int) -> list[Team]:
    return list(session.scalars(select(Team).where(Team.campaign_id == campaign).order_by(Team.id)))


def lock_team(session: Session, team: int) -> Team:
    """The team, for one writer at a time until the transaction ends."""
    row = session.scalar(select(Team).where(Team.id == team).with_for_update())
    if row is None:
        raise CoindexError(f"there is no team {team}; it may have been deleted")
    return row


def team_of(session: Session, campaign: int, user: int) -> int | None:
    """The team of somebody."""
    found = session.get(TeamMember, (campaign, user))
    return None if found is None else found.team_id


def team_members(session: Session, campaign: int) -> dict[int, list[User]]:
    """Who is in which team."""
    query = select(TeamMember.team_id, User).join(User, User.id == TeamMember.user_id)
    found: dict[int, list[User]] = {}
    for team, user in session.execute(query.where(TeamMember.campaign_id == campaign).order_by(User.key)):
        found.setdefault(team, []).append(user)
    return found


def add_member(session: Session, campaign: int, team: int, user: int) -> None:
    """Somebody joins a team; a person is in one team at most."""
    if team_of(session, campaign, user) is not None:
        raise CoindexError("you are in a team of this campaign already; leave it first")
    session.add(TeamMember(campaign_id=campaign, user_id=user, team_id=team))
    session.flush()


def remove_member(session: Session, campaign: int, user: int) -> None:
    session.execute(delete(TeamMember).where(TeamMember.campaign_id == campaign, TeamMember.user_id == user))


# --- links


def make_invitation(session: Session, campaign: int, team: int | None, *, by: int, at: datetime) -> str:
    """The secret of a link that works once; it is not kept, only its hash."""
    secret = secrets.token_urlsafe(32)
    expires = at + timedelta(days=LINK_DAYS)
    session.add(
        Invitation(hash=hashed(secret), campaign_id=campaign, team_id=team, created_by=by, expires=expires),
    )
    return secret


def find_invitation(session: Session, secret: str, *, at: datetime, lock: bool = False) -> Invitation:
    """The link of that secret, if it can still be used."""
    query = select(Invitation).where(Invitation.hash == hashed(secret))
    row = session.scalar(query.with_for_update() if lock else query)
    if row is None or row.used is not None or row.expires <= at:
        raise WrongLinkError()
    return row


# --- downloads


def first_download(session: Session, team: int, phase: str) -> datetime | None:
    row = session.get(FirstDownload, (team, phase))
    return None if row is None else row.at


def note_download(session: Session, team: int, phase: str, *, at: datetime) -> datetime:
    """When the team first had the input of the phase: now, if never before. The team's row is held."""
    found = first_download(session, team, phase)
    if found is None:
        session.add(FirstDownload(team_id=team, phase=phase, at=at))
        session.flush()
    return found or at
