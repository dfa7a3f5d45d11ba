"""Read sections of TOML and JSON files into typed dataclasses; unknown keys are errors that suggest similar names.

Why not a library: `msgspec.convert` ignores unknown keys of dataclasses, and its messages lack the file, the value,
similar names and a remedy; adding these takes as many lines as this module. Pydantic takes 100 ms to import and 10 MB.
"""

from __future__ import annotations

import reprlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from math import inf
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from .errors import CoindexError, UnknownNameError, quote


class ConfigError(CoindexError):
    """A configuration that cannot be used."""

    default_code = "invalid-setting"


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    try:
        return parse_toml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise ConfigError(
            f"cannot read the TOML file: {error.strerror}; check the path", code="unreadable-file", path=path
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"invalid TOML: {error}; correct the file", code="invalid-toml", path=path) from error


def parse_toml(text: str, place: str) -> dict[str, Any]:
    """Parse a text in TOML; `place` is its name in errors."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for numbers with thousands of digits and very deep nesting
        raise ConfigError(f"{place}: invalid TOML: {error}; correct the file", code="invalid-toml") from error


def parse_section(kind: type[Any], data: Mapping[str, Any], place: str) -> Any:
    """Convert a table to a dataclass; every key must be a field, and every value must have its type."""
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}
    for key in data:
        if key not in known:
            raise UnknownNameError(f"key in {place}", key, known, place=place)
    values = {}
    for name, field in known.items():
        if name in data:
            values[name] = _parse_value(hints[name], data[name], f"{place}: {name}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ConfigError(
                f"{place}: the key {name!r} is missing; add it",
                code="missing-setting",
                details={"place": place},
            )
    return kind(**values)


def _parse_value(hint: Any, value: Any, place: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise ConfigError(
                f"{place}: expected a table, not {_format_value(value)}; write it as {_header(place)}",
                code="invalid-setting",
                details={"place": place},
            )
        return parse_section(hint, value, place)
    inner = get_args(hint)
    if get_origin(hint) is Literal:
        return _check_choice(inner, value, place)
    if get_origin(hint) is tuple:
        items = value if isinstance(value, list | tuple) else ()
        kinds = [inner[0]] * len(items) if len(inner) == 2 and inner[1] is ... else list(inner)
        if not isinstance(value, list | tuple) or len(kinds) != len(value):
            raise ConfigError(
                f"{place}: expected {hint}, not {_format_value(value)}; correct the value",
                code="invalid-setting",
                details={"place": place},
            )
        pairs = enumerate(zip(kinds, value, strict=True), 1)
        return tuple(_parse_value(kind, item, f"{place}, item {number}") for number, (kind, item) in pairs)
    choices = [choice for option in inner if get_origin(option) is Literal for choice in get_args(option)]
    if choices and value is not None:  # one of the choices, or None
        return _check_choice(choices, value, place)
    allowed = tuple(option for option in (inner or (hint,)) if isinstance(option, type))
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        try:
            value = float(value)
        except OverflowError:  # an integer with hundreds of digits
            value = inf
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        names = " or ".join(option.__name__ for option in allowed if option is not NoneType)
        raise ConfigError(
            f"{place}: expected {names}, not {_format_value(value)}; correct the value",
            code="invalid-setting",
            details={"place": place},
        )
    return value


def _header(place: str) -> str:
    """Return the TOML header of the table at a place: `[name]`, or `[[name]]` in a list."""
    name, comma, _ = place.rpartition(": ")[2].partition(",")
    return f"[[{name}]]" if comma else f"[{name}]"


def _format_value(value: Any) -> str:
    """Return the value for a message, shortened if it is long or deeply nested."""
    return quote(value) if isinstance(value, str) else reprlib.repr(value)


def _check_choice(choices: Sequence[Any], value: Any, place: str) -> Any:
    if value not in choices:
        raise UnknownNameError(f"value in {place}", str(value), choices, place=place)
    return value
