"""Register, join, leave and list teams."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.orm import Session

from ..errors import CoindexError
from ..server import accounts
from ..server.models import User
from . import queries
from .models import Team
from .server import CampaignServer, ClosedError, ForbiddenError, Viewer, aliases_for, definition_of, member, organiser
from .setups import parse_definition
from .visibility import Answer, draw_alias, natural


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamInfo:
    """A team as the viewer sees it; only its members and organisers see its alias and members."""

    id: int | None
    name: str
    is_own: bool
    alias: str | None = None
    members: list[str] = field(default_factory=list)
    created: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationInfo:
    """The campaign and team of an invitation link."""

    campaign: int
    title: str
    team: str | None
    """The team to join; None if the link is for registering a team."""


def register_team(server: CampaignServer, viewer: Viewer, name: str) -> int:
    """Register a team for the viewer and return its id."""
    if viewer.user is None:
        raise ForbiddenError("log in first, then register a team")
    with server.store.write() as session:
        _check_open(session, viewer.campaign)
        return _register(server, session, viewer.campaign, viewer.user, name)


def _check_open(session: Session, campaign: int) -> None:
    who = queries.lock_campaign(session, campaign).registration
    if who != "open":
        how = "by invitation only" if who == "invited" else "closed"
        raise ClosedError(Answer(False, f"registration is {how}"))


def _register(server: CampaignServer, session: Session, campaign: int, user: int, name: str) -> int:
    """Add a team with its first member. The campaign row must be locked."""
    at = server.clock()
    row = queries.lock_campaign(session, campaign)
    known = queries.all_teams(session, campaign)
    taken = [name, *(text for team in known for text in (team.name, team.alias))]
    alias = draw_alias(taken, prefix=parse_definition(row.definition).alias)
    team = queries.add_team(session, campaign, name, alias, at=at)
    queries.add_member(session, campaign, team.id, user)
    queries.record(session, campaign, "team registered", by=user, at=at, team=team.id)
    return team.id


# --- links


def invite_member(server: CampaignServer, viewer: Viewer) -> str:
    """Return the secret of a link to join the viewer's team; it works once."""
    team, user = member(viewer)
    return _invite(server, viewer.campaign, team, user)


def invite_team(server: CampaignServer, viewer: Viewer) -> str:
    """Return the secret of a link to register a team; it works once."""
    return _invite(server, viewer.campaign, None, organiser(viewer))


def _invite(server: CampaignServer, campaign: int, team: int | None, by: int) -> str:
    at = server.clock()
    with server.store.write() as session:
        secret = queries.make_invitation(session, campaign, team, by=by, at=at)
        queries.record(session, campaign, "invitation made", by=by, at=at, team=team)
    return secret


def find_invitation(server: CampaignServer, secret: str) -> InvitationInfo:
    """Return the invitation of a link; raise `WrongLinkError` if it is not valid."""
    with server.store.read() as session:
        invitation = queries.find_invitation(session, secret, at=server.clock())
        row = queries.get_campaign(session, invitation.campaign_id)
        team = None if invitation.team_id is None else session.get_one(Team, invitation.team_id).name
        title = parse_definition(row.definition).shown_title
        return InvitationInfo(campaign=row.id, title=title, team=team)


def join(server: CampaignServer, secret: str, user: int, *, team_name: str = "") -> int:
    """Join the team of a link, or register one with it; return the team id."""
    with server.store.write() as session:
        return _join(server, session, secret, user, team_name)


def _join(server: CampaignServer, session: Session, secret: str, user: int, team_name: str) -> int:
    at = server.clock()
    invitation = queries.find_invitation(session, secret, at=at, lock=True)
    if invitation.team_id is None:
        team = _register(server, session, invitation.campaign_id, user, team_name)
    else:
        team = invitation.team_id
        queries.add_member(session, invitation.campaign_id, team, user)
        queries.record(session, invitation.campaign_id, "joined", by=user, at=at, team=team)
    invitation.used = at
    return team


# --- new accounts


def sign_up(server: CampaignServer, campaign: int, *, user_name: str, password: str, team_name: str) -> User:
    """Create an account and a team, if registration is open."""
    with server.store.write() as session:
        if not queries.get_campaign(session, campaign).is_published:
            raise ClosedError(Answer(False, "the campaign is not published"))
        _check_open(session, campaign)
        user = accounts.add_user(session, user_name, password)
        _register(server, session, campaign, user.id, team_name)
        return user


def sign_up_invited(server: CampaignServer, secret: str, *, user_name: str, password: str, team_name: str = "") -> User:
    """Create an account with an invitation link and join its team."""
    with server.store.write() as session:
        queries.find_invitation(session, secret, at=server.clock())
        user = accounts.add_user(session, user_name, password)
        _join(server, session, secret, user.id, team_name)
        return user


# --- changes


def leave(server: CampaignServer, viewer: Viewer) -> None:
    """Leave the viewer's team; its submissions are kept."""
    team, user = member(viewer)
    _remove(server, viewer.campaign, team, user, by=user)


def remove_member(server: CampaignServer, viewer: Viewer, user_name: str) -> None:
    """Remove a member of the viewer's team, or of any team for organisers."""
    with server.store.read() as session:
        user = accounts.find_user(session, user_name)
        team = None if user is None else queries.team_of(session, viewer.campaign, user.id)
    if user is None or team is None or not (viewer.is_organiser or team == viewer.team):
        raise CoindexError(f"{user_name!r} is not a member of the team", code="not-found")
    _remove(server, viewer.campaign, team, user.id, by=viewer.user)


def _remove(server: CampaignServer, campaign: int, team: int, user: int, *, by: int | None) -> None:
    with server.store.write() as session:
        queries.remove_member(session, campaign, user)
        queries.record(session, campaign, "left", by=by, at=server.clock(), team=team, user=user)


def rename_team(server: CampaignServer, viewer: Viewer, name: str, *, team: int | None = None) -> None:
    """Rename the viewer's team, or any team for organisers; the alias does not change."""
    chosen = team if team is not None and viewer.is_organiser else member(viewer)[0]
    with server.store.write() as session:
        queries.lock_campaign(session, viewer.campaign)
        row = queries.lock_team(session, chosen)
        if row.campaign_id != viewer.campaign:
            raise CoindexError(f"there is no team {chosen} in this campaign", code="not-found")
        row.name, row.key = queries.clean_team_name(session, viewer.campaign, name, but=row.id)
        queries.record(session, viewer.campaign, "team renamed", by=viewer.user, at=server.clock(), team=row.id)


def list_teams(server: CampaignServer, viewer: Viewer) -> list[TeamInfo]:
    """Return the teams, sorted by the name that the viewer sees."""
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        registered = queries.all_teams(session, viewer.campaign)
        people = queries.team_members(session, viewer.campaign)
    aliases = aliases_for(viewer, definition, None, registered, at=server.clock())
    infos = []
    for team in registered:
        knows = viewer.is_organiser or team.id == viewer.team
        infos.append(
            TeamInfo(
                id=team.id if knows else None,
                name=aliases.of(team.name),
                is_own=team.id == viewer.team,
                alias=team.alias if knows else None,
                members=[user.name for user in people.get(team.id, [])] if knows else [],
                created=team.created if knows else None,
            )
        )
    return sorted(infos, key=lambda team: natural(team.name))
