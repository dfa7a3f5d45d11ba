"""The database tables of campaigns; a test compares them with the migrations."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import Float, Index, Integer, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..server.database import Json, PackedJson, UtcTime, now
from ..server.models import HASH, NAME, NO_ID_TWICE, Base, to_table

Registration = Literal["open", "invited", "closed"]
REGISTRATIONS: tuple[Registration, ...] = get_args(Registration)
"""Who can register a team: everyone, those with an invitation, or no one."""
Outcome = Literal["", "scored", "failed", "cancelled"]
"""The outcome of a submission; empty if it is not scored yet."""
UNCOUNTED: tuple[Outcome, ...] = ("failed", "cancelled")
"""Outcomes that count neither for a rank nor towards a limit."""
JobKind = Literal["score", "findings", "sample"]
JobState = Literal["waiting", "running", "done", "failed"]
FILE_NAME = 255
"""The maximum length of a file name."""


class CampaignRow(Base):
    """A shared task: the text of its definition, and its settings."""

    __tablename__ = "campaigns"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME), unique=True)
    definition: Mapped[str] = mapped_column(Text)
    version: Mapped[int] = mapped_column(Integer, default=1)
    """The version of the definition."""
    revision: Mapped[int] = mapped_column(Integer, default=1)
    """Incremented when anything changes that scores depend on: the definition, a key, the excluded chains."""
    registration: Mapped[str] = mapped_column(String(10), default="invited")
    is_published: Mapped[bool] = mapped_column(default=False)
    """Whether others than its organisers see it."""
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class DefinitionRow(Base):
    """A saved version of a definition. Rows are added, never changed."""

    __tablename__ = "campaign_definitions"

    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(String(4000), default="")
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class Organiser(Base):
    """An organiser of a campaign."""

    __tablename__ = "campaign_organisers"

    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(to_table("users.id"), primary_key=True, index=True)


class FileRow(Base):
    """A key, an input or a submission; stored in the database so that backups contain it."""

    __tablename__ = "campaign_files"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), index=True)
    name: Mapped[str] = mapped_column(String(FILE_NAME))
    size: Mapped[int] = mapped_column(Integer)
    hash: Mapped[str] = mapped_column(String(HASH))
    content: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)


class KeyRow(Base):
    """A key of a phase with its blind input. The last one of a phase is in use."""

    __tablename__ = "campaign_keys"
    __table_args__ = (Index("ix_campaign_keys_campaign_id_phase", "campaign_id", "phase"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"))
    phase: Mapped[str] = mapped_column(String(NAME))
    digest: Mapped[str] = mapped_column(String(HASH))
    """A checksum of the files; scores refer to it."""
    file_id: Mapped[int] = mapped_column(to_table("campaign_files.id"))
    input_id: Mapped[int] = mapped_column(to_table("campaign_files.id"))
    reason: Mapped[str] = mapped_column(String(4000), default="")
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class Team(Base):
    """A team. Its alias is drawn at registration and never changes."""

    __tablename__ = "campaign_teams"
    __table_args__ = (UniqueConstraint("campaign_id", "key"), UniqueConstraint("campaign_id", "alias"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"))
    name: Mapped[str] = mapped_column(String(NAME))
    key: Mapped[str] = mapped_column(String(NAME))
    """The normalized name for comparisons."""
    alias: Mapped[str] = mapped_column(String(NAME))
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class TeamMember(Base):
    """A member of a team; a user can be in only one team of a campaign."""

    __tablename__ = "campaign_members"

    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(to_table("users.id"), primary_key=True, index=True)
    team_id: Mapped[int] = mapped_column(to_table("campaign_teams.id"), index=True)


class Invitation(Base):
    """A one-time link to join or register a team; only its hash is stored."""

    __tablename__ = "campaign_invitations"

    hash: Mapped[str] = mapped_column(String(HASH), primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), index=True)
    team_id: Mapped[int | None] = mapped_column(to_table("campaign_teams.id"), index=True)
    """The team to join; None for registering a new team."""
    created_by: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    expires: Mapped[datetime] = mapped_column(UtcTime)
    used: Mapped[datetime | None] = mapped_column(UtcTime)


class FirstDownload(Base):
    """The first download of the input of a phase by a team."""

    __tablename__ = "campaign_downloads"

    team_id: Mapped[int] = mapped_column(to_table("campaign_teams.id"), primary_key=True)
    phase: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)


class SubmissionRow(Base):
    """A submission that passed the check."""

    __tablename__ = "campaign_submissions"
    __table_args__ = (
        UniqueConstraint("team_id", "number"),
        UniqueConstraint("team_id", "run"),
        Index("ix_campaign_submissions_campaign_id_phase", "campaign_id", "phase"),
        NO_ID_TWICE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"))
    team_id: Mapped[int] = mapped_column(to_table("campaign_teams.id"))
    phase: Mapped[str] = mapped_column(String(NAME))
    number: Mapped[int] = mapped_column(Integer)
    """Runs of a team are numbered from 1."""
    run: Mapped[str] = mapped_column(String(NAME))
    """The run name; by default its number."""
    tracks: Mapped[list[str]] = mapped_column(Json)
    """The tracks with a response."""
    file_id: Mapped[int] = mapped_column(to_table("campaign_files.id"))
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime)
    outcome: Mapped[str] = mapped_column(String(10), default="")
    failure: Mapped[str] = mapped_column(Text, default="")


class Choice(Base):
    """The submission that a team selected for the leaderboard."""

    __tablename__ = "campaign_choices"

    team_id: Mapped[int] = mapped_column(to_table("campaign_teams.id"), primary_key=True)
    phase: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    track: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    submission_id: Mapped[int] = mapped_column(to_table("campaign_submissions.id"), index=True)


class ScoreRow(Base):
    """A score of a submission in a track for one source. Rows are added, never changed."""

    __tablename__ = "campaign_scores"
    __table_args__ = (UniqueConstraint("submission_id", "track", "source"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(to_table("campaign_submissions.id"))
    track: Mapped[str] = mapped_column(String(NAME))
    source: Mapped[str] = mapped_column(String(HASH))
    """Identifies the signature, key, excluded chains and track settings."""
    signature: Mapped[str] = mapped_column(Text)
    key: Mapped[str] = mapped_column(String(HASH))
    switched_off: Mapped[str] = mapped_column(String(HASH), default="")
    score: Mapped[float | None] = mapped_column(Float)
    """The primary metric; None if there is no mean."""
    failure: Mapped[str] = mapped_column(Text, default="")
    missing: Mapped[list[str]] = mapped_column(Json, default=list)
    records: Mapped[dict[str, Any]] = mapped_column(PackedJson, deferred=True)
    """The record of each dataset, with the counts of every document."""
    job_id: Mapped[int | None] = mapped_column(to_table("campaign_jobs.id", keep=True), index=True)
    at: Mapped[datetime] = mapped_column(UtcTime)


class Switch(Base):
    """An exclusion or inclusion of a key chain. Rows are added, never changed; the last one of a chain applies."""

    __tablename__ = "campaign_switches"
    __table_args__ = (Index("ix_campaign_switches_campaign_id_phase", "campaign_id", "phase"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"))
    phase: Mapped[str] = mapped_column(String(NAME))
    dataset: Mapped[str] = mapped_column(String(NAME), default="")
    document: Mapped[str] = mapped_column(Text)
    entity: Mapped[str] = mapped_column(Text)
    is_off: Mapped[bool] = mapped_column(default=True)
    reason: Mapped[str] = mapped_column(String(4000))
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime)


class Job(Base):
    """A job for a worker. The holder of the lease runs it; after the lease expires another worker can take it."""

    __tablename__ = "campaign_jobs"
    __table_args__ = (Index("ix_campaign_jobs_state_not_before", "state", "not_before"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), index=True)
    kind: Mapped[str] = mapped_column(String(20))
    submission_id: Mapped[int | None] = mapped_column(to_table("campaign_submissions.id"), index=True)
    detail: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    """The parameters of result tables and samples."""
    state: Mapped[str] = mapped_column(String(10), default="waiting")
    not_before: Mapped[datetime] = mapped_column(UtcTime)
    owner: Mapped[str | None] = mapped_column(String(HASH))
    """The lease: a new secret each time the job is taken."""
    lease_until: Mapped[datetime | None] = mapped_column(UtcTime)
    heartbeat: Mapped[datetime | None] = mapped_column(UtcTime)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    done: Mapped[int] = mapped_column(Integer, default=0)
    total: Mapped[int] = mapped_column(Integer, default=0)
    step: Mapped[str] = mapped_column(String(NAME), default="")
    """The current dataset; `done` and `total` count them."""
    error: Mapped[str] = mapped_column(Text, default="")
    result: Mapped[Any] = mapped_column(PackedJson, nullable=True, deferred=True)
    created: Mapped[datetime] = mapped_column(UtcTime)
    finished: Mapped[datetime | None] = mapped_column(UtcTime)


class VerdictRow(Base):
    """A verdict on an item of a sample."""

    __tablename__ = "campaign_verdicts"

    job_id: Mapped[int] = mapped_column(to_table("campaign_jobs.id"), primary_key=True)
    item: Mapped[str] = mapped_column(String(HASH), primary_key=True)
    """The hashed id of the item, as document ids have any length."""
    verdict: Mapped[str] = mapped_column(String(20))
    comment: Mapped[str] = mapped_column(String(4000), default="")
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime)


class LogRow(Base):
    """An entry of the activity log; it contains team ids instead of names."""

    __tablename__ = "campaign_log"
    __table_args__ = (Index("ix_campaign_log_campaign_id_id", "campaign_id", "id"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"))
    at: Mapped[datetime] = mapped_column(UtcTime)
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    action: Mapped[str] = mapped_column(String(40))
    detail: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
