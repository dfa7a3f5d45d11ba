"""Documents to be assessed by, attempts at them, and why work came back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("memberships", sa.Column("is_exempt", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("assignments", sa.Column("reason", sa.String(20)))
    op.create_table(
        "assessments",
        sa.Column("id", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_assessments"),
        _reference("document_id", "assessments", "documents"),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("key", sa.LargeBinary, nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_assessments_document_id", "assessments", ["document_id"])
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        _reference("assessment_id", "attempts", "assessments"),
        _reference("user_id", "attempts", "users"),
        _reference("layer_id", "attempts", "layers", keep=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("handed_in", sa.DateTime(timezone=True)),
        sa.Column("score", sa.Float),
        sa.Column("is_passed", sa.Boolean),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("assessment_id", "user_id", "number", name="uq_attempts_assessment_id_user_id_number"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_attempts_user_id", "attempts", ["user_id"])
    op.create_index("ix_attempts_layer_id", "attempts", ["layer_id"])


def _reference(name: str, table: str, to: str, *, keep: bool = False) -> sa.Column[int]:
    """Return a foreign key; a row is deleted with the row it refers to, or keeps an empty key."""
    key = sa.ForeignKey(f"{to}.id", name=f"fk_{table}_{name}", ondelete="SET NULL" if keep else "CASCADE")
    return sa.Column(name, sa.Integer, key, nullable=keep)
