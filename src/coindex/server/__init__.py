"""Shared parts of both web apps: database, accounts, sessions, security, HTTP."""

from __future__ import annotations

from ..errors import MissingExtraError

for _name in ("sqlalchemy", "starlette"):
    try:
        __import__(_name)
    except ImportError as error:  # pragma: no cover - an environment without the extra
        raise MissingExtraError(_name, "web") from error
