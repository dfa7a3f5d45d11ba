"""The viewer of a campaign, and the team names that they see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from ..errors import UnknownNameError
from ..server.models import User
from . import queries
from .definition import Campaign, Phase, Shown
from .models import CampaignRow, Team
from .queries import NoCampaignError
from .server import CampaignServer, ForbiddenError, NotFoundError
from .setups import parse_definition
from .visibility import Aliases, Role, state, visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who looks at a campaign: an organiser, a member of a team, or anyone."""

    campaign: int
    user: int | None = None
    role: Role = "public"
    team: int | None = None

    @property
    def is_organiser(self) -> bool:
        return self.role == "organiser"


def viewer_of(server: CampaignServer, campaign: int, user: User | None) -> Viewer:
    """Return the viewer of a campaign for a user; drafts exist only for their organisers."""
    with server.store.read() as session:
        try:
            row = queries.get_campaign(session, campaign)
        except NoCampaignError as error:
            raise NotFoundError(str(error), code=error.code) from error
        return view(session, row, user)


def view(session: Session, row: CampaignRow, user: User | None) -> Viewer:
    """Return the viewer of a campaign for a user, within a transaction."""
    team = None if user is None else queries.team_of(session, row.id, user.id)
    runs_it = user is not None and (user.is_administrator or queries.is_organiser(session, row.id, user.id))
    if not row.is_published and not runs_it:
        raise NotFoundError(str(NoCampaignError(row.id)))
    role: Role = "organiser" if runs_it else "public" if team is None else "team"
    return Viewer(campaign=row.id, user=None if user is None else user.id, role=role, team=team)


def organiser(viewer: Viewer) -> int:
    """Return the user id of an organiser; raise an error for others."""
    if not viewer.is_organiser or viewer.user is None:
        raise ForbiddenError("only organisers of the campaign can do this")
    return viewer.user


def member(viewer: Viewer) -> tuple[int, int]:
    """Return the team and user id of a team member; raise an error for others."""
    if viewer.team is None or viewer.user is None:
        raise ForbiddenError("only teams can do this; register a team, or join one with an invitation link")
    return viewer.team, viewer.user


def find_phase(definition: Campaign, name: str) -> Phase:
    try:
        return definition.phase(name)
    except UnknownNameError as error:
        raise NotFoundError(str(error), code=error.code) from error


def sees(viewer: Viewer, what: Shown, definition: Campaign, phase: Phase, *, at: datetime, own: bool = False) -> bool:
    """Return whether the viewer sees a kind of data of a phase."""
    return visible(at, viewer.role, what, definition, phase, own=own and viewer.team is not None)


def aliases_for(
    viewer: Viewer, definition: Campaign, phase: Phase | None, registered: Iterable[Team], *, at: datetime
) -> Aliases:
    """Return the aliases under which the viewer sees the teams of a phase; a team sees its own name.

    Without a phase, names are shown only if every phase that has opened shows them.
    """
    begun = [each for each in definition.phases if state(at, each) != "before"]
    phases = begun if phase is None else [phase]
    known = list(registered)
    if viewer.is_organiser or (phases and all(sees(viewer, "team_names", definition, each, at=at) for each in phases)):
        return Aliases()
    own = next((team.name for team in known if team.id == viewer.team), None)
    return Aliases({team.name: team.alias for team in known}).but(own)


def definition_of(session: Session, viewer: Viewer) -> tuple[CampaignRow, Campaign]:
    row = queries.get_campaign(session, viewer.campaign)
    return row, parse_definition(row.definition)
