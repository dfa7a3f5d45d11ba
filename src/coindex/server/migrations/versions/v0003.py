"""Layers that were made of others, or by a program, say of what and how."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("layers", sa.Column("origin", sa.Text))
