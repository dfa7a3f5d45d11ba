"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NAME = 200
HASH = 64


def upgrade() -> None:
    _accounts()
    _projects()
    _layers()
    op.create_table(
        "audit",
        *_id("audit"),
        _time("at"),
        _reference("user_id", "audit", "users", keep=True),
        _reference("project_id", "audit", "projects", keep=True),
        _text("action", 40),
        sa.Column("detail", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_project_id_id", "audit", ["project_id", "id"])


def _time(name: str, *, optional: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=optional)


def _text(name: str, length: int, *, optional: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=optional)


def _reference(name: str, table: str, to: str, *, keep: bool = False, optional: bool = False) -> sa.Column[int]:
    """Return a foreign key; a row is deleted with the row it refers to, or keeps an empty key."""
    key = sa.ForeignKey(f"{to}.id", name=f"fk_{table}_{name}", ondelete="SET NULL" if keep else "CASCADE")
    return sa.Column(name, sa.Integer, key, nullable=keep or optional)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _id(table: str) -> tuple[sa.Column[int], sa.PrimaryKeyConstraint]:
    return sa.Column("id", sa.Integer, nullable=False), sa.PrimaryKeyConstraint("id", name=f"pk_{table}")


def _accounts() -> None:
    op.create_table(
        "users",
        *_id("users"),
        _text("name", NAME),
        _text("key", NAME),
        _text("password", 200),
        _flag("is_administrator"),
        _flag("is_active"),
        _time("created"),
        sa.UniqueConstraint("key", name="uq_users_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "projects",
        *_id("projects"),
        _text("name", NAME),
        _text("description", 4000),
        sa.Column("settings", sa.Text, nullable=False),
        _time("created"),
        sa.UniqueConstraint("name", name="uq_projects_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        _text("hash", HASH),
        _reference("user_id", "sessions", "users"),
        _text("form_token", HASH),
        _time("created"),
        _time("expires"),
        sa.PrimaryKeyConstraint("hash", name="pk_sessions"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_table(
        "tokens",
        _text("hash", HASH),
        _text("purpose", 20),
        _reference("project_id", "tokens", "projects", optional=True),
        _text("role", 20, optional=True),
        _reference("user_id", "tokens", "users", optional=True),
        _reference("created_by", "tokens", "users", keep=True),
        _time("created"),
        _time("expires"),
        _time("used", optional=True),
        sa.PrimaryKeyConstraint("hash", name="pk_tokens"),
    )
    op.create_index("ix_tokens_project_id", "tokens", ["project_id"])
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])


def _projects() -> None:
    op.create_table(
        "memberships",
        _reference("project_id", "memberships", "projects"),
        _reference("user_id", "memberships", "users"),
        _text("role", 20),
        _time("created"),
        sa.PrimaryKeyConstraint("project_id", "user_id", name="pk_memberships"),
    )
    op.create_index("ix_memberships_user_id", "memberships", ["user_id"])
    op.create_table(
        "documents",
        *_id("documents"),
        _reference("project_id", "documents", "projects"),
        _text("name", NAME),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("mentions", sa.Integer, nullable=False),
        _time("created"),
        sa.UniqueConstraint("project_id", "name", name="uq_documents_project_id_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_documents_project_id", "documents", ["project_id"])


def _layers() -> None:
    op.create_table(
        "layers",
        *_id("layers"),
        _reference("document_id", "layers", "documents"),
        _reference("owner_id", "layers", "users", keep=True),
        _text("name", NAME),
        _text("kind", 20),
        sa.Column("revision", sa.Integer, nullable=False),
        _flag("is_closed"),
        _flag("is_published"),
        _time("created"),
        sa.CheckConstraint("revision >= 0", name="ck_layers_revision"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_layers_document_id", "layers", ["document_id"])
    op.create_index("ix_layers_owner_id", "layers", ["owner_id"])
    op.create_table(
        "assignments",
        *_id("assignments"),
        _reference("document_id", "assignments", "documents"),
        _reference("user_id", "assignments", "users"),
        _reference("layer_id", "assignments", "layers", keep=True),
        _text("state", 20),
        _time("deadline", optional=True),
        _time("created"),
        _time("changed"),
        sa.UniqueConstraint("document_id", "user_id", name="uq_assignments_document_id_user_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_assignments_user_id", "assignments", ["user_id"])
    op.create_index("ix_assignments_layer_id", "assignments", ["layer_id"])
    op.create_table(
        "operations",
        _reference("layer_id", "operations", "layers"),
        sa.Column("revision", sa.Integer, nullable=False),
        _text("client", 64),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        _text("kind", 8),
        sa.Column("edits", sa.Text, nullable=False),
        sa.Column("inverse", sa.Text, nullable=False),
        sa.Column("target", sa.Integer),
        sa.Column("undo_next", sa.Integer, nullable=False),
        sa.Column("redo_next", sa.Integer, nullable=False),
        _reference("user_id", "operations", "users", keep=True),
        _time("created"),
        sa.PrimaryKeyConstraint("layer_id", "revision", name="pk_operations"),
        sa.UniqueConstraint("layer_id", "client", "sequence", name="uq_operations_layer_id_client_sequence"),
    )
    op.create_table(
        "snapshots",
        _reference("layer_id", "snapshots", "layers"),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("layer_id", "revision", name="pk_snapshots"),
    )
