"""Where annotation lives: users, projects, documents and layers in SQLite or PostgreSQL.

A layer is an append-only log of operations with snapshots and a revision number. The store knows documents and
their named edits; it reads no corpus format and speaks no HTTP.
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import sqlalchemy as _sqlalchemy  # noqa: F401 - only to say early and clearly what is missing
except ImportError as error:  # pragma: no cover - an environment without the extra
    raise MissingExtraError("sqlalchemy", "web") from error

from . import api_tokens as _api_tokens  # noqa: F401 - so that all tables are known wherever the store is
from .campaigns import models as _campaign_models  # noqa: F401
from .database import Database
from .layers import Appended, Conflict, Layers
from .operations import Operation
from .store import Store, open_store

__all__ = ["Appended", "Conflict", "Database", "Layers", "Operation", "Store", "open_store"]
