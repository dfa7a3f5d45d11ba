"""The state that all campaigns of a server share, and the viewer of a campaign with the team names they see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from queue import LifoQueue

from sqlalchemy.orm import Session

from ..analysis.tables import Table
from ..errors import CoindexError, UnknownNameError
from ..server.caching import RecentCache
from ..server.database import Store, now
from ..server.models import User
from . import queries
from .definition import Campaign, Phase, Shown
from .models import CampaignRow, Team
from .queries import NoCampaignError
from .sandbox import Sandbox
from .setups import parse_definition
from .visibility import Aliases, Answer, Role, state, visible

MEGABYTE = 1 << 20


class NotFoundError(CoindexError):
    """Raised if something does not exist or is not visible to the caller."""

    default_code = "not-found"

    http_status = 404


class ForbiddenError(CoindexError):
    """Raised if the caller lacks the permission for an action."""

    default_code = "forbidden"

    http_status = 403


class ClosedError(CoindexError):
    """Raised if an action is not possible now: a phase is closed, or a limit is reached."""

    default_code = "closed"

    http_status = 409

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.reason)
        self.answer = answer

    def json_fields(self) -> dict[str, object]:
        return {} if self.answer.until is None else {"until": self.answer.until.isoformat()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of uploads, tasks and workers."""

    upload_bytes: int = 100 * MEGABYTE
    key_bytes: int = 500 * MEGABYTE
    check_seconds: int = 300
    score_seconds: int = 1800
    report_seconds: int = 7200
    """The time limit of result tables and samples, which use all submissions."""
    memory: int = 4096 * MEGABYTE
    lease_seconds: float = 60
    attempts: int = 4
    """How often a job is attempted before it fails."""
    checkers: int = 2
    """How many uploads are checked in parallel; others wait."""


class CampaignServer:
    """The state that the functions of this package share; one per process."""

    def __init__(self, store: Store, *, clock: Callable[[], datetime] = now, limits: Limits | None = None) -> None:
        self.store = store
        self.clock = clock
        self.limits = limits or Limits()
        self._sandboxes: LifoQueue[Sandbox] = LifoQueue()
        for _ in range(self.limits.checkers):
            self._sandboxes.put(Sandbox())
        self.boards: RecentCache[object, Table] = RecentCache(200)

    def close(self) -> None:
        """Stop the processes that check uploads."""
        for _ in range(self.limits.checkers):
            self._sandboxes.get().close()
        for _ in range(self.limits.checkers):
            self._sandboxes.put(Sandbox())

    @contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """Yield a sandbox for checking an upload."""
        taken = self._sandboxes.get()
        try:
            yield taken
        finally:
            self._sandboxes.put(taken)


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
