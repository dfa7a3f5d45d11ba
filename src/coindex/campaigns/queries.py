"""Database queries of campaigns: definitions, keys, teams, submissions, scores."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from ..errors import CoindexError
from ..server.accounts import LINK_DAYS, WrongLinkError, clean_name, clean_text, hash_secret, name_key
from ..server.models import User
from .models import (
    CampaignRow,
    Choice,
    DefinitionRow,
    FileRow,
    FirstDownload,
    Invitation,
    KeyRow,
    LogRow,
    Organiser,
    ScoreRow,
    SubmissionRow,
    Switch,
    Team,
    TeamMember,
)


class NoCampaignError(CoindexError):
    """Raised if a campaign does not exist."""

    default_code = "not-found"

    def __init__(self, campaign: int) -> None:
        super().__init__(f"there is no campaign {campaign}")


def add_campaign(session: Session, name: str, text: str, *, by: int, at: datetime) -> CampaignRow:
    """Add a campaign; the user becomes its organiser."""
    shown = clean_name(name, "campaign's name")
    if session.scalar(select(CampaignRow.id).where(CampaignRow.name == shown)) is not None:
        raise CoindexError(f"a campaign named {shown!r} already exists; choose another name", code="name-taken")
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
    """Return all campaigns, the newest first."""
    return list(session.scalars(select(CampaignRow).order_by(CampaignRow.id.desc())))


def lock_campaign(session: Session, campaign: int, *, share: bool = False) -> CampaignRow:
    """Lock the row of a campaign until the transaction ends and return it; `share`: with a shared lock."""
    query = select(CampaignRow).where(CampaignRow.id == campaign).with_for_update(read=share)
    row = session.scalar(query, execution_options={"populate_existing": True})
    if row is None:
        raise NoCampaignError(campaign)
    return row


def save_text(session: Session, row: CampaignRow, text: str, *, by: int, at: datetime, reason: str = "") -> None:
    """Save a new version of the definition. The campaign row must be locked."""
    row.definition, row.version, row.revision = text, row.version + 1, row.revision + 1
    why = clean_text(reason, "reason")
    session.add(
        DefinitionRow(campaign_id=row.id, number=row.version, text=text, reason=why, user_id=by, at=at),
    )
    record(session, row.id, "definition saved", by=by, at=at, version=row.version, why=why)


def versions(session: Session, campaign: int) -> list[tuple[DefinitionRow, str | None]]:
    """Return all versions of the definition with the user who saved them, the newest first."""
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
    """Remove an organiser; the last one cannot be removed."""
    others = select(exists().where(Organiser.campaign_id == campaign, Organiser.user_id != user))
    if not session.scalar(others):
        raise CoindexError("a campaign needs at least one organiser; add another one first", code="last-owner")
    session.execute(delete(Organiser).where(Organiser.campaign_id == campaign, Organiser.user_id == user))


# --- the log


def record(session: Session, campaign: int, action: str, *, by: int | None, at: datetime, **detail: Any) -> None:
    """Log an action in its own transaction. Entries contain team ids, never team names."""
    session.add(LogRow(campaign_id=campaign, action=action, user_id=by, at=at, detail=detail))


def log_entries(session: Session, campaign: int, *, most: int = 200) -> list[tuple[LogRow, str | None]]:
    """Return the last log entries with the user, the newest first."""
    query = (
        select(LogRow, User.name)
        .outerjoin(User, User.id == LogRow.user_id)
        .where(LogRow.campaign_id == campaign)
        .order_by(LogRow.id.desc())
        .limit(most)
    )
    return [(row, name) for row, name in session.execute(query)]


def add_file(session: Session, campaign: int, name: str, content: bytes) -> int:
    """Store a file and return its id."""
    digest = hashlib.sha256(content).hexdigest()
    row = FileRow(campaign_id=campaign, name=name, size=len(content), hash=digest, content=content)
    session.add(row)
    session.flush()
    session.expunge(row)  # otherwise the session would keep the content in memory until it ends
    return row.id


def file_content(session: Session, file: int) -> bytes:
    content: bytes | None = session.scalar(select(FileRow.content).where(FileRow.id == file))
    if content is None:
        raise CoindexError(f"there is no file {file}", code="not-found")
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
    """Add a key to a phase; `key` and `given` are the file ids of the key and the blind input."""
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
    """Return the current key of each phase that has one."""
    last = select(func.max(KeyRow.id)).where(KeyRow.campaign_id == campaign).group_by(KeyRow.phase)
    return {row.phase: row for row in session.scalars(select(KeyRow).where(KeyRow.id.in_(last)))}


def all_keys(session: Session, campaign: int) -> list[tuple[KeyRow, int, str | None]]:
    """Return all keys with size and uploader, the newest first."""
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
    """Record that a chain is excluded or included."""
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
    """Return all exclusions and inclusions of chains with the user, the oldest first."""
    query = (
        select(Switch, User.name)
        .outerjoin(User, User.id == Switch.user_id)
        .where(Switch.campaign_id == campaign)
        .order_by(Switch.id)
    )
    return [(row, name) for row, name in session.execute(query)]


def find_active_switches(session: Session, campaign: int, phase: str) -> list[Switch]:
    """Return the excluded chains of a phase."""
    query = select(Switch).where(Switch.campaign_id == campaign, Switch.phase == phase).order_by(Switch.id)
    last = {(row.dataset, row.document, row.entity): row for row in session.scalars(query)}
    return [row for row in last.values() if row.is_off]


MOST_NAME = 60
RESERVED = "coindex-team-"
"""The prefix of file names for a team, which contain its id instead of its name or alias."""


def file_team(team: int) -> str:
    """Return the name of a team for files."""
    return f"{RESERVED}{team}"


def clean_team_name(session: Session, campaign: int, name: str, *, but: int | None = None) -> tuple[str, str]:
    """Return a team name and its normalized form; raise an error if another team has it as name or alias."""
    shown = clean_name(name, "team's name", most=MOST_NAME)
    key = name_key(shown)
    if key.startswith(RESERVED):
        raise CoindexError(f"team names cannot start with {RESERVED!r}; choose another name", code="invalid-name")
    for team in all_teams(session, campaign):
        if team.id != but and key in (team.key, name_key(team.alias)):
            raise CoindexError(f"the team name {shown!r} is already taken; choose another name", code="name-taken")
    return shown, key


def add_team(session: Session, campaign: int, name: str, alias: str, *, at: datetime) -> Team:
    """Add a team without members. The campaign row must be locked."""
    shown, key = clean_team_name(session, campaign, name)
    team = Team(campaign_id=campaign, name=shown, key=key, alias=alias, created=at)
    session.add(team)
    session.flush()
    return team


def all_teams(session: Session, campaign: int) -> list[Team]:
    return list(session.scalars(select(Team).where(Team.campaign_id == campaign).order_by(Team.id)))


def lock_team(session: Session, team: int) -> Team:
    """Lock the row of a team until the transaction ends and return it."""
    row = session.scalar(select(Team).where(Team.id == team).with_for_update())
    if row is None:
        raise CoindexError(f"there is no team {team}", code="not-found")
    return row


def team_of(session: Session, campaign: int, user: int) -> int | None:
    """Return the team id of a user, or None."""
    member = session.get(TeamMember, (campaign, user))
    return None if member is None else member.team_id


def team_members(session: Session, campaign: int) -> dict[int, list[User]]:
    """Return the members of each team."""
    query = select(TeamMember.team_id, User).join(User, User.id == TeamMember.user_id)
    members: dict[int, list[User]] = {}
    for team, user in session.execute(query.where(TeamMember.campaign_id == campaign).order_by(User.key)):
        members.setdefault(team, []).append(user)
    return members


def add_member(session: Session, campaign: int, team: int, user: int) -> None:
    """Add a user to a team; a user can be in only one team of a campaign."""
    if team_of(session, campaign, user) is not None:
        raise CoindexError("you are already in a team of this campaign; leave it first", code="wrong-state")
    session.add(TeamMember(campaign_id=campaign, user_id=user, team_id=team))
    session.flush()


def remove_member(session: Session, campaign: int, user: int) -> None:
    session.execute(delete(TeamMember).where(TeamMember.campaign_id == campaign, TeamMember.user_id == user))


# --- links


def make_invitation(session: Session, campaign: int, team: int | None, *, by: int, at: datetime) -> str:
    """Return the secret of a new one-time link; only its hash is stored."""
    secret = secrets.token_urlsafe(32)
    expires = at + timedelta(days=LINK_DAYS)
    session.add(
        Invitation(hash=hash_secret(secret), campaign_id=campaign, team_id=team, created_by=by, expires=expires),
    )
    return secret


def find_invitation(session: Session, secret: str, *, at: datetime, lock: bool = False) -> Invitation:
    """Return the invitation of a secret; raise an error if it is not valid."""
    query = select(Invitation).where(Invitation.hash == hash_secret(secret))
    row = session.scalar(query.with_for_update() if lock else query)
    if row is None or row.used is not None or row.expires <= at:
        raise WrongLinkError()
    return row


# --- downloads


def first_download(session: Session, team: int, phase: str) -> datetime | None:
    row = session.get(FirstDownload, (team, phase))
    return None if row is None else row.at


def note_download(session: Session, team: int, phase: str, *, at: datetime) -> datetime:
    """Record the first download of a team in a phase and return its time. The team row must be locked."""
    download = first_download(session, team, phase)
    if download is None:
        session.add(FirstDownload(team_id=team, phase=phase, at=at))
        session.flush()
    return download or at


MOST_RUN = 60


def add_submission(
    session: Session,
    campaign: int,
    team: int,
    phase: str,
    *,
    run: str,
    tracks: list[str],
    name: str,
    content: bytes,
    by: int,
    at: datetime,
) -> SubmissionRow:
    """Add a submission with the next number of the team. The team row must be locked."""
    number = (session.scalar(select(func.max(SubmissionRow.number)).where(SubmissionRow.team_id == team)) or 0) + 1
    shown = clean_name(run, "run's name", most=MOST_RUN) if run.strip() else _free_name(session, team, number)
    if shown in run_names(session, team):
        raise CoindexError(f"your team already has a run named {shown!r}; choose another name", code="name-taken")
    row = SubmissionRow(
        campaign_id=campaign,
        team_id=team,
        phase=phase,
        number=number,
        run=shown,
        tracks=tracks,
        file_id=add_file(session, campaign, name, content),
        user_id=by,
        at=at,
    )
    session.add(row)
    session.flush()
    return row


def _free_name(session: Session, team: int, number: int) -> str:
    """Return the number as run name, or a variant if the team already used that name."""
    taken = run_names(session, team)
    return next(name for name in (str(number), *(f"{number}.{more}" for more in range(2, 1000))) if name not in taken)


def run_names(session: Session, team: int) -> set[str]:
    return set(session.scalars(select(SubmissionRow.run).where(SubmissionRow.team_id == team)))


def get_submission(session: Session, submission: int) -> SubmissionRow | None:
    return session.get(SubmissionRow, submission)


def submissions(
    session: Session, campaign: int, *, phase: str | None = None, team: int | None = None
) -> list[SubmissionRow]:
    """Return the submissions of a campaign, the oldest first."""
    query = select(SubmissionRow).where(SubmissionRow.campaign_id == campaign)
    if phase is not None:
        query = query.where(SubmissionRow.phase == phase)
    if team is not None:
        query = query.where(SubmissionRow.team_id == team)
    return list(session.scalars(query.order_by(SubmissionRow.id)))


# --- choices


def choose(session: Session, row: SubmissionRow, track: str) -> None:
    """Select a submission for the leaderboard. The team row must be locked."""
    where = (row.team_id, row.phase, track)
    choice = session.get(Choice, where)
    if choice is None:
        session.add(Choice(team_id=row.team_id, phase=row.phase, track=track, submission_id=row.id))
    else:
        choice.submission_id = row.id
    session.flush()


def drop_choices(session: Session, submission: int) -> None:
    """Remove a submission from all selections."""
    session.execute(delete(Choice).where(Choice.submission_id == submission))


def choices(session: Session, campaign: int) -> list[Choice]:
    query = select(Choice).join(SubmissionRow, SubmissionRow.id == Choice.submission_id)
    return list(session.scalars(query.where(SubmissionRow.campaign_id == campaign)))


# --- scores


@dataclass(frozen=True, slots=True, kw_only=True)
class NewScore:
    """The score of a submission in a track."""

    track: str
    source: str
    signature: str
    key: str
    switched_off: str = ""
    score: float | None = None
    failure: str = ""
    missing: tuple[str, ...] = ()
    records: dict[str, Any]


def add_scores(session: Session, submission: int, scores: Iterable[NewScore], *, job: int, at: datetime) -> int:
    """Store new scores without changing existing ones; return how many were added."""
    query = select(ScoreRow.track, ScoreRow.source).where(ScoreRow.submission_id == submission)
    known = {(track, source) for track, source in session.execute(query)}
    added = 0
    for score in scores:
        if (score.track, score.source) in known:
            continue
        session.add(
            ScoreRow(
                submission_id=submission,
                track=score.track,
                source=score.source,
                signature=score.signature,
                key=score.key,
                switched_off=score.switched_off,
                score=score.score,
                failure=score.failure,
                missing=list(score.missing),
                records=score.records,
                job_id=job,
                at=at,
            )
        )
        added += 1
    session.flush()
    return added


def scores_of(session: Session, submission: int) -> list[ScoreRow]:
    """Return all scores of a submission, the oldest first."""
    return list(session.scalars(select(ScoreRow).where(ScoreRow.submission_id == submission).order_by(ScoreRow.id)))


def scores_in(session: Session, campaign: int, *, phase: str | None = None) -> list[ScoreRow]:
    """Return all scores of a campaign, without the records."""
    query = select(ScoreRow).join(SubmissionRow, SubmissionRow.id == ScoreRow.submission_id)
    query = query.where(SubmissionRow.campaign_id == campaign)
    if phase is not None:
        query = query.where(SubmissionRow.phase == phase)
    return list(session.scalars(query.order_by(ScoreRow.id)))


def records_of(session: Session, scores: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return the records of scores by score id."""
    rows = session.execute(select(ScoreRow.id, ScoreRow.records).where(ScoreRow.id.in_(list(scores))))
    return {row.id: row.records for row in rows}
