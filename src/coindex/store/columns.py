"""Columns that SQLite and PostgreSQL keep differently, made alike."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

from ..errors import CoindexError


def now() -> datetime:
    """The time in UTC; every time in the database is."""
    return datetime.now(UTC)


def to_json(value: Any) -> str:
    """Short JSON that any database can keep; half a character cannot be kept."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CoindexError("half a character (a lone surrogate) in the text; mend the escape \\ud…") from error
    return text


class UtcTime(TypeDecorator[datetime]):
    """A time with its zone, UTC; SQLite forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """A value as JSON text, the same bytes in both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else to_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class PackedJson(TypeDecorator[Any]):
    """A large value as compressed JSON."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.compress(to_json(value).encode("utf-8"), level=1)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(zlib.decompress(value))
