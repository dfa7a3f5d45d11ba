"""Actions of organisers: create a campaign, change its definition, publish it, add organisers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from ..errors import CoindexError, UnknownNameError
from ..server import accounts
from ..server.models import User
from . import queries
from .definition import Campaign, Phase
from .key_review import queue_all
from .keys import update_inputs
from .models import REGISTRATIONS, CampaignRow, KeyRow, Registration
from .queries import submissions
from .server import CampaignServer, NotFoundError, Viewer, organiser, view
from .setups import key_phase, parse_definition
from .visibility import state

MOST_TEXT = 200_000
"""The maximum number of characters of a definition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseInfo:
    """A phase with its current state."""

    phase: Phase
    state: str
    """`before`, `open` or `over`."""
    has_key: bool

    @property
    def name(self) -> str:
        return self.phase.name


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignInfo:
    """A campaign as pages show it; only organisers see the text of its definition."""

    id: int
    name: str
    definition: Campaign
    text: str
    version: int
    registration: Registration
    is_published: bool
    phases: list[PhaseInfo]
    created: datetime

    @property
    def title(self) -> str:
        return self.definition.shown_title


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionVersion:
    """A saved version of a definition."""

    number: int
    text: str
    by: str
    at: datetime
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """An entry of the activity log."""

    at: datetime
    by: str
    action: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def list_campaigns(server: CampaignServer, user: User | None) -> list[tuple[CampaignInfo, Viewer]]:
    """Return the campaigns that a user may see, the newest first, each with the user as viewer."""
    campaigns = []
    with server.store.read() as session:
        for row in queries.campaigns(session):
            try:
                viewer = view(session, row, user)
            except NotFoundError:
                continue
            campaigns.append((_info(server, session, row, viewer), viewer))
    return campaigns


def get_campaign(server: CampaignServer, viewer: Viewer) -> CampaignInfo:
    """Return the campaign of the viewer."""
    with server.store.read() as session:
        return _info(server, session, queries.get_campaign(session, viewer.campaign), viewer)


def _info(server: CampaignServer, session: Session, row: CampaignRow, viewer: Viewer) -> CampaignInfo:
    definition, at = parse_definition(row.definition), server.clock()
    current: Mapping[str, KeyRow] = queries.current_keys(session, row.id)
    return CampaignInfo(
        id=row.id,
        name=row.name,
        definition=definition,
        text=row.definition if viewer.is_organiser else "",
        version=row.version,
        registration=registration(row),
        is_published=row.is_published,
        phases=[
            PhaseInfo(
                phase=phase,
                state=state(at, phase),
                has_key=key_phase(definition, phase.name, current) is not None,
            )
            for phase in definition.phases
        ],
        created=row.created,
    )


def registration(row: CampaignRow) -> Registration:
    """Return who can register a team."""
    return next(name for name in REGISTRATIONS if name == row.registration)


def create_campaign(server: CampaignServer, text: str, *, by: int) -> int:
    """Create a campaign as a draft and return its id; the user becomes its organiser."""
    definition = _parse(text)
    with server.store.write() as session:
        return queries.add_campaign(session, definition.name, text, by=by, at=server.clock()).id


def _parse(text: str) -> Campaign:
    if len(text) > MOST_TEXT:
        raise CoindexError(
            f"the definition has {len(text)} characters, the limit is {MOST_TEXT}; shorten it", code="limit-exceeded"
        )
    return parse_definition(text)


def save_definition(server: CampaignServer, viewer: Viewer, text: str, *, version: int, why: str = "") -> int:
    """Replace version `version` of the definition and return the new version number.

    Submissions are rescored if the scoring changes, and inputs are generated again if the tracks specify different
    input. Phases and tracks with submissions cannot be removed.
    """
    by, at = organiser(viewer), server.clock()
    new = _parse(text)
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        if row.version != version:
            raise CoindexError(
                f"version {row.version} of the definition was saved meanwhile; review it, then repeat your change",
                code="concurrent-change",
            )
        old = parse_definition(row.definition)
        if new.name != row.name:
            raise CoindexError(
                f"the campaign name {row.name!r} cannot be changed to {new.name!r}; change its title instead",
                code="invalid-campaign",
            )
        _check_kept(session, row, new)
        queries.save_text(session, row, text, by=by, at=at, reason=why)
        update_inputs(session, row, old, new, by=by, at=at)
        queue_all(session, row, at=at)
        return row.version


def _check_kept(session: Session, row: CampaignRow, new: Campaign) -> None:
    """Raise an error if the definition lacks a phase or track that is in use."""
    sent = submissions(session, row.id)
    used = {submission.phase for submission in sent} | queries.current_keys(session, row.id).keys()
    for what, names, there in (
        ("phase", used, {phase.name for phase in new.phases}),
        ("track", {name for submission in sent for name in submission.tracks}, {track.name for track in new.tracks}),
    ):
        gone = sorted(names - there)
        if gone:
            raise CoindexError(f"the {what} {gone[0]!r} is in use and cannot be removed", code="invalid-campaign")


def definition_history(server: CampaignServer, viewer: Viewer) -> list[DefinitionVersion]:
    """Return all saved versions of the definition, the newest first."""
    organiser(viewer)
    with server.store.read() as session:
        return [
            DefinitionVersion(number=row.number, text=row.text, by=name or "", at=row.at, why=row.reason)
            for row, name in queries.versions(session, viewer.campaign)
        ]


def set_published(server: CampaignServer, viewer: Viewer, is_published: bool) -> None:
    """Publish the campaign, or turn it back into a draft."""
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        row.is_published = is_published
        queries.record(session, row.id, "published" if is_published else "hidden", by=by, at=at)


def set_registration(server: CampaignServer, viewer: Viewer, who: str) -> None:
    """Set who can register a team: everyone (`open`), those with an invitation (`invited`) or no one (`closed`)."""
    by, at = organiser(viewer), server.clock()
    if who not in REGISTRATIONS:
        raise UnknownNameError("registration", who, REGISTRATIONS)
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        row.registration = who
        queries.record(session, row.id, "registration", by=by, at=at, who=who)


def organisers(server: CampaignServer, viewer: Viewer) -> list[str]:
    """Return the names of the organisers."""
    organiser(viewer)
    with server.store.read() as session:
        return [user.name for user in queries.organisers(session, viewer.campaign)]


def add_organiser(server: CampaignServer, viewer: Viewer, user_name: str) -> None:
    """Add a user to the organisers."""
    _change_organiser(server, viewer, user_name, add=True)


def remove_organiser(server: CampaignServer, viewer: Viewer, user_name: str) -> None:
    """Remove an organiser; the last one cannot be removed."""
    _change_organiser(server, viewer, user_name, add=False)


def _change_organiser(server: CampaignServer, viewer: Viewer, user_name: str, *, add: bool) -> None:
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        queries.lock_campaign(session, viewer.campaign)
        user = accounts.find_user(session, user_name)
        if user is None:
            raise CoindexError(
                f"there is no user {user_name!r}; the person needs an account first",
                code="not-a-member",
            )
        change = queries.add_organiser if add else queries.remove_organiser
        change(session, viewer.campaign, user.id)
        action = "organiser added" if add else "organiser removed"
        queries.record(session, viewer.campaign, action, by=by, at=at, user=user.id)


def log_of(server: CampaignServer, viewer: Viewer, *, most: int = 200) -> list[LogEntry]:
    """Return the activity log, the newest entry first."""
    organiser(viewer)
    with server.store.read() as session:
        return [
            LogEntry(at=row.at, by=name or "", action=row.action, detail=row.detail)
            for row, name in queries.log_entries(session, viewer.campaign, most=most)
        ]
