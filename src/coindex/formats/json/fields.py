"""Typed access to the values of a JSON object; what is of another type is told with its path."""

from __future__ import annotations

import json
import math
from typing import Any

from ...errors import quote


class WrongField(Exception):  # noqa: N818 - caught by the reader, which reports it with its line
    """A value that is not what the schema says."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(found)
        self.found = found
        self.expected = expected


class Fields:
    """The values of one object, with the path that leads to it."""

    def __init__(self, record: dict[str, Any], path: str) -> None:
        self.values = record
        self.path = path

    def wrong(self, found: str, expected: str) -> WrongField:
        return WrongField(f"{found} in {self.path}", expected)

    def _odd(self, key: str, expected: str) -> WrongField:
        if key not in self.values:
            return self.wrong(f"no {key!r}", expected)
        return self.wrong(f"{_shown(self.values[key])} for {key!r}", expected)

    def has(self, key: str) -> bool:
        return self.values.get(key) is not None

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is not None and not isinstance(value, str):
            raise self._odd(key, "a string")
        return value

    def need(self, key: str) -> str:
        value = self.text(key)
        if value is None:
            raise self._odd(key, "a string")
        return value

    def flag(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self._odd(key, "true or false")
        return value

    def number(self, key: str, *, most: int) -> int:
        value = self.values.get(key)
        if type(value) is not int or not 0 <= value <= most:
            raise self._odd(key, f"a whole number from 0 to {most}")
        return value

    def real(self, key: str) -> float | None:
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e15:
            raise self._odd(key, "a number")
        return float(value) if math.isfinite(value) else None

    def numbers(self, key: str) -> list[int]:
        value = self.values.get(key)
        if not isinstance(value, list) or not all(type(number) is int and number >= 0 for number in value):
            raise self._odd(key, "a list of whole numbers from 0")
        return value

    def strings(self, key: str) -> dict[str, str]:
        value = self.values.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            raise self._odd(key, "an object of strings")
        return dict(value)

    def string_list(self, key: str) -> list[str]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self._odd(key, "a list of strings")
        return value

    def record(self, key: str) -> Fields:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self._odd(key, "an object")
        return Fields(value, f"{key} of {self.path}")

    def records(self, key: str) -> list[Fields]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
            raise self._odd(key, "a list of objects")
        prefix = "" if self.path == "the document" else f"{self.path}."
        return [Fields(record, f"{prefix}{key}[{number}]") for number, record in enumerate(value)]


def _shown(value: object) -> str:
    try:
        return quote(json.dumps(value, ensure_ascii=False))
    except (RecursionError, ValueError):
        return "something nested"
