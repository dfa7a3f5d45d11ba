"""Campaigns: definitions, keys, teams, submissions, jobs and scores; tokens for programs."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

NAME = 200
HASH = 64
LONG = 4000


def upgrade() -> None:
    _tokens()
    _definitions()
    _teams()
    _submissions()
    _scores()


def _tokens() -> None:
    _table(
        "api_tokens",
        _id(),
        _to("users", "user_id"),
        _text("name", NAME),
        _text("hash", HASH),
        _time("created"),
        _time("expires", optional=True),
        _time("last_used", optional=True),
        unique=[("hash",)],
        index=[("user_id",)],
    )


def _definitions() -> None:
    _table(
        "campaigns",
        _id(),
        _text("name", NAME),
        _long("definition"),
        _number("version"),
        _number("revision"),
        _text("registration", 10),
        _yes_or_no("is_published"),
        _time("created"),
        unique=[("name",)],
    )
    _table(
        "campaign_definitions",
        _to("campaigns", "campaign_id"),
        _number("number"),
        _long("text"),
        _text("reason", LONG),
        _to("users", "user_id", keep=True),
        _time("at"),
        key=("campaign_id", "number"),
    )
    _table(
        "campaign_organisers",
        _to("campaigns", "campaign_id"),
        _to("users", "user_id"),
        key=("campaign_id", "user_id"),
        index=[("user_id",)],
    )
    _table(
        "campaign_files",
        _id(),
        _to("campaigns", "campaign_id"),
        _text("name", 255),
        _number("size"),
        _text("hash", HASH),
        sa.Column("content", sa.LargeBinary, nullable=False),
        index=[("campaign_id",)],
    )
    _table(
        "campaign_keys",
        _id(),
        _to("campaigns", "campaign_id"),
        _text("phase", NAME),
        _text("digest", HASH),
        _to("campaign_files", "file_id"),
        _to("campaign_files", "input_id"),
        _text("reason", LONG),
        _to("users", "user_id", keep=True),
        _time("at"),
        index=[("campaign_id", "phase")],
    )
    _table(
        "campaign_log",
        _id(),
        _to("campaigns", "campaign_id"),
        _time("at"),
        _to("users", "user_id", keep=True),
        _text("action", 40),
        _long("detail"),
        index=[("campaign_id", "id")],
    )


def _teams() -> None:
    _table(
        "campaign_teams",
        _id(),
        _to("campaigns", "campaign_id"),
        _text("name", NAME),
        _text("key", NAME),
        _text("alias", NAME),
        _time("created"),
        unique=[("campaign_id", "key"), ("campaign_id", "alias")],
    )
    _table(
        "campaign_members",
        _to("campaigns", "campaign_id"),
        _to("users", "user_id"),
        _to("campaign_teams", "team_id"),
        key=("campaign_id", "user_id"),
        index=[("user_id",), ("team_id",)],
    )
    _table(
        "campaign_invitations",
        _text("hash", HASH),
        _to("campaigns", "campaign_id"),
        _to("campaign_teams", "team_id", optional=True),
        _to("users", "created_by", keep=True),
        _time("expires"),
        _time("used", optional=True),
        key=("hash",),
        index=[("campaign_id",), ("team_id",)],
    )
    _table(
        "campaign_downloads",
        _to("campaign_teams", "team_id"),
        _text("phase", NAME),
        _time("at"),
        key=("team_id", "phase"),
    )


def _submissions() -> None:
    _table(
        "campaign_submissions",
        _id(),
        _to("campaigns", "campaign_id"),
        _to("campaign_teams", "team_id"),
        _text("phase", NAME),
        _number("number"),
        _text("run", NAME),
        _long("tracks"),
        _to("campaign_files", "file_id"),
        _to("users", "user_id", keep=True),
        _time("at"),
        _text("outcome", 10),
        _long("failure"),
        unique=[("team_id", "number"), ("team_id", "run")],
        index=[("campaign_id", "phase")],
    )
    _table(
        "campaign_choices",
        _to("campaign_teams", "team_id"),
        _text("phase", NAME),
        _text("track", NAME),
        _to("campaign_submissions", "submission_id"),
        key=("team_id", "phase", "track"),
        index=[("submission_id",)],
    )
    _table(
        "campaign_jobs",
        _id(),
        _to("campaigns", "campaign_id"),
        _text("kind", 20),
        _to("campaign_submissions", "submission_id", optional=True),
        _long("detail"),
        _text("state", 10),
        _time("not_before"),
        _text("owner", HASH, optional=True),
        _time("lease_until", optional=True),
        _time("heartbeat", optional=True),
        _number("attempts"),
        _number("done"),
        _number("total"),
        _text("step", NAME),
        _long("error"),
        sa.Column("result", sa.LargeBinary),
        _time("created"),
        _time("finished", optional=True),
        index=[("campaign_id",), ("submission_id",), ("state", "not_before")],
    )


def _scores() -> None:
    _table(
        "campaign_scores",
        _id(),
        _to("campaign_submissions", "submission_id"),
        _text("track", NAME),
        _text("source", HASH),
        _long("signature"),
        _text("key", HASH),
        _text("switched_off", HASH),
        sa.Column("score", sa.Float),
        _long("failure"),
        _long("missing"),
        sa.Column("records", sa.LargeBinary, nullable=False),
        _to("campaign_jobs", "job_id", keep=True),
        _time("at"),
        unique=[("submission_id", "track", "source")],
        index=[("job_id",)],
    )
    _table(
        "campaign_switches",
        _id(),
        _to("campaigns", "campaign_id"),
        _text("phase", NAME),
        _text("dataset", NAME),
        _long("document"),
        _long("entity"),
        _yes_or_no("is_off"),
        _text("reason", LONG),
        _to("users", "user_id", keep=True),
        _time("at"),
        index=[("campaign_id", "phase")],
    )
    _table(
        "campaign_verdicts",
        _to("campaign_jobs", "job_id"),
        _text("item", HASH),
        _text("verdict", 20),
        _text("comment", LONG),
        _to("users", "user_id", keep=True),
        _time("at"),
        key=("job_id", "item"),
    )


def _table(
    name: str,
    *columns: sa.Column[Any],
    key: tuple[str, ...] = ("id",),
    unique: list[tuple[str, ...]] | None = None,
    index: list[tuple[str, ...]] | None = None,
) -> None:
    """Create a table with its keys and indexes, named as in the models."""
    for column in columns:
        for reference in column.foreign_keys:
            reference.name = f"fk_{name}_{column.name}"
    op.create_table(
        name,
        *columns,
        sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"),
        *(sa.UniqueConstraint(*names, name=f"uq_{name}_{'_'.join(names)}") for names in unique or ()),
        sqlite_autoincrement=True,
    )
    for names in index or ():
        op.create_index(f"ix_{name}_{'_'.join(names)}", name, list(names))


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, nullable=False)


def _to(table: str, name: str, *, keep: bool = False, optional: bool = False) -> sa.Column[int]:
    """Return a foreign key; a row is deleted with the row it refers to, or keeps an empty key."""
    reference = sa.ForeignKey(f"{table}.id", ondelete="SET NULL" if keep else "CASCADE")
    return sa.Column(name, sa.Integer, reference, nullable=keep or optional)


def _text(name: str, length: int, *, optional: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=optional)


def _long(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _yes_or_no(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _time(name: str, *, optional: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=optional)
