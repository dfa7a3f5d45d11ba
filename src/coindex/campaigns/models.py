"""The tables of campaigns. `migrations` makes them; a test compares the two."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import Float, Index, Integer, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..server.database import Json, PackedJson, UtcTime, now
from ..server.models import HASH, NAME, NO_ID_TWICE, Base, to_table

Registration = Literal["open", "invited", "closed"]
REGISTRATIONS: tuple[Registration, ...] = get_args(Registration)
"""Who may register a team: everybody, who was invited, nobody."""
Outcome = Literal["", "scored", "failed", "cancelled"]
"""What became of a submission; nothing yet where it is empty."""
UNCOUNTED: tuple[Outcome, ...] = ("failed", "cancelled")
"""Submissions that never count, neither for a rank nor against a limit."""
JobKind = Literal["score", "findings", "sample"]
JobState = Literal["waiting", "running", "done", "failed"]
FILE_NAME = 255
"""The most characters of a file's name."""


class CampaignRow(Base):
    """A shared task: the text of its definition, and what is said of it in the browser."""

    __tablename__ = "campaigns"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME), unique=True)
    definition: Mapped[str] = mapped_column(Text)
    version: Mapped[int] = mapped_column(Integer, default=1)
    """The number of the definition."""
    revision: Mapped[int] = mapped_column(Integer, default=1)
    """Goes up with everything that scores depend on: the definition, a key, a chain switched off or on."""
    registration: Mapped[str] = mapped_column(String(10), default="invited")
    is_published: Mapped[bool] = mapped_column(default=False)
    """Others than its organisers know of it."""
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class DefinitionRow(Base):
    """A definition as it was saved. Rows are added, never changed."""

    __tablename__ = "campaign_definitions"

    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(String(4000), default="")
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class Organiser(Base):
    """Who runs a campaign."""

    __tablename__ = "campaign_organisers"

    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(to_table("users.id"), primary_key=True, index=True)


class FileRow(Base):
    """Bytes: a key, an input, a submission. They are in the database, so that a backup has them."""

    __tablename__ = "campaign_files"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), index=True)
    name: Mapped[str] = mapped_column(String(FILE_NAME))
    size: Mapped[int] = mapped_column(Integer)
    hash: Mapped[str] = mapped_column(String(HASH))
    content: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)


class KeyRow(Base):
    """A key of a phase with the blind input that was made of it. The last of a phase is the one in use."""

    __tablename__ = "campaign_keys"
    __table_args__ = (Index("ix_campaign_keys_campaign_id_phase", "campaign_id", "phase"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"))
    phase: Mapped[str] = mapped_column(String(NAME))
    digest: Mapped[str] = mapped_column(String(HASH))
    """What is in its files, in few letters: scores are known by it."""
    file_id: Mapped[int] = mapped_column(to_table("campaign_files.id"))
    input_id: Mapped[int] = mapped_column(to_table("campaign_files.id"))
    reason: Mapped[str] = mapped_column(String(4000), default="")
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class Team(Base):
    """Who takes part. Its alias is drawn when it registers, and stays."""

    __tablename__ = "campaign_teams"
    __table_args__ = (UniqueConstraint("campaign_id", "key"), UniqueConstraint("campaign_id", "alias"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"))
    name: Mapped[str] = mapped_column(String(NAME))
    key: Mapped[str] = mapped_column(String(NAME))
    """The name as it is compared: case folded."""
    alias: Mapped[str] = mapped_column(String(NAME))
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class TeamMember(Base):
    """Somebody in a team; in a campaign a person is in one team at most."""

    __tablename__ = "campaign_members"

    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(to_table("users.id"), primary_key=True, index=True)
    team_id: Mapped[int] = mapped_column(to_table("campaign_teams.id"), index=True)


class Invitation(Base):
    """A link that works once: to join a team, or to register one. Kept as a hash only."""

    __tablename__ = "campaign_invitations"

    hash: Mapped[str] = mapped_column(String(HASH), primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), index=True)
    team_id: Mapped[int | None] = mapped_column(to_table("campaign_teams.id"), index=True)
    """The team to join; a new one is registered where there is none."""
    created_by: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    expires: Mapped[datetime] = mapped_column(UtcTime)
    used: Mapped[datetime | None] = mapped_column(UtcTime)


class FirstDownload(Base):
    """When a team first had the input of a phase."""

    __tablename__ = "campaign_downloads"

    team_id: Mapped[int] = mapped_column(to_table("campaign_teams.id"), primary_key=True)
    phase: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)


class SubmissionRow(Base):
    """What a team sent, after it passed the check."""

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
    """What the team calls it; its number if it says nothing."""
    tracks: Mapped[list[str]] = mapped_column(Json)
    """The tracks that it has an answer to."""
    file_id: Mapped[int] = mapped_column(to_table("campaign_files.id"))
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime)
    outcome: Mapped[str] = mapped_column(String(10), default="")
    failure: Mapped[str] = mapped_column(Text, default="")


class Choice(Base):
    """The submission that counts, where a team chose one."""

    __tablename__ = "campaign_choices"

    team_id: Mapped[int] = mapped_column(to_table("campaign_teams.id"), primary_key=True)
    phase: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    track: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    submission_id: Mapped[int] = mapped_column(to_table("campaign_submissions.id"), index=True)


class ScoreRow(Base):
    """What a submission is worth in a track, by what it was computed by and from. Rows are added, never changed."""

    __tablename__ = "campaign_scores"
    __table_args__ = (UniqueConstraint("submission_id", "track", "source"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(to_table("campaign_submissions.id"))
    track: Mapped[str] = mapped_column(String(NAME))
    source: Mapped[str] = mapped_column(String(HASH))
    """Another for another signature, key, list of chains switched off, or track."""
    signature: Mapped[str] = mapped_column(Text)
    key: Mapped[str] = mapped_column(String(HASH))
    switched_off: Mapped[str] = mapped_column(String(HASH), default="")
    score: Mapped[float | None] = mapped_column(Float)
    """The primary metric, where there is a mean."""
    failure: Mapped[str] = mapped_column(Text, default="")
    missing: Mapped[list[str]] = mapped_column(Json, default=list)
    records: Mapped[dict[str, Any]] = mapped_column(PackedJson, deferred=True)
    """The record of each dataset, with the counts of every document."""
    job_id: Mapped[int | None] = mapped_column(to_table("campaign_jobs.id", keep=True), index=True)
    at: Mapped[datetime] = mapped_column(UtcTime)


class Switch(Base):
    """A chain of a key switched off, or on again. Rows are added, never changed: the last one of a chain holds."""

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
    """Work for a worker. Whoever has the lease does it; a lease that ended can be taken by another."""

    __tablename__ = "campaign_jobs"
    __table_args__ = (Index("ix_campaign_jobs_state_not_before", "state", "not_before"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"), index=True)
    kind: Mapped[str] = mapped_column(String(20))
    submission_id: Mapped[int | None] = mapped_column(to_table("campaign_submissions.id"), index=True)
    detail: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    """What findings and samples are to be made of."""
    state: Mapped[str] = mapped_column(String(10), default="waiting")
    not_before: Mapped[datetime] = mapped_column(UtcTime)
    owner: Mapped[str | None] = mapped_column(String(HASH))
    """The lease: another secret each time that the job is taken."""
    lease_until: Mapped[datetime | None] = mapped_column(UtcTime)
    heartbeat: Mapped[datetime | None] = mapped_column(UtcTime)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    done: Mapped[int] = mapped_column(Integer, default=0)
    total: Mapped[int] = mapped_column(Integer, default=0)
    step: Mapped[str] = mapped_column(String(NAME), default="")
    """What is being done: so many of so many, and which."""
    error: Mapped[str] = mapped_column(Text, default="")
    result: Mapped[Any] = mapped_column(PackedJson, nullable=True, deferred=True)
    created: Mapped[datetime] = mapped_column(UtcTime)
    finished: Mapped[datetime | None] = mapped_column(UtcTime)


class VerdictRow(Base):
    """What somebody said of an item of a sample."""

    __tablename__ = "campaign_verdicts"

    job_id: Mapped[int] = mapped_column(to_table("campaign_jobs.id"), primary_key=True)
    item: Mapped[str] = mapped_column(String(HASH), primary_key=True)
    """The item's id, hashed: ids of documents have any length."""
    verdict: Mapped[str] = mapped_column(String(20))
    comment: Mapped[str] = mapped_column(String(4000), default="")
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    at: Mapped[datetime] = mapped_column(UtcTime)


class LogRow(Base):
    """Who did what in a campaign; teams stand in it by their numbers."""

    __tablename__ = "campaign_log"
    __table_args__ = (Index("ix_campaign_log_campaign_id_id", "campaign_id", "id"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(to_table("campaigns.id"))
    at: Mapped[datetime] = mapped_column(UtcTime)
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    action: Mapped[str] = mapped_column(String(40))
    detail: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
