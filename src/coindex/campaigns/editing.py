"""Single values of a phase changed in the text of a definition; comments and all else stay as they are.

The text is changed line by line and read again: where that does not give what was wanted, as with tables written on one
line, nothing is changed and the text is to be edited by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from ..errors import CoindexError
from ..settings import ConfigError, parse_toml
from .definition import Campaign, Phase, Visible, parse_campaign

PLACE = "the definition"
_HEADER = re.compile(r"\s*\[+\s*([\w.]+)\s*\]+\s*(#.*)?$")
Value = datetime | float | int | bool | str | None


def change_phase(text: str, name: str, values: Mapping[str, Value], visible: Mapping[str, str]) -> str:
    """The text with other values for fields of a phase; None takes a field out."""
    old = _parsed(text)
    wanted = replace(old.phase(name), **dict(values), visible=Visible(**dict(visible)))  # type: ignore[arg-type]
    sections = _sections(text)
    at = next((number for number, lines in enumerate(sections) if _is_phase(lines, name)), None)
    if at is None:
        raise _by_hand(name)
    for key, value in values.items():
        _set(sections[at], key, value)
    own = at + 1
    if own == len(sections) or _header(sections[own]) != "phases.visible":
        sections.insert(own, ["[phases.visible]"])
    for key, audience in visible.items():
        _set(sections[own], key, audience)
    changed = "\n".join(line for lines in sections for line in lines)
    try:
        is_right = _parsed(changed) == _with(old, wanted)
    except CoindexError:
        is_right = False
    if not is_right:
        raise _by_hand(name)
    return changed


def _by_hand(name: str) -> ConfigError:
    return ConfigError(f"phase {name}: written in a way that a form cannot change; edit the text of the definition")


def _parsed(text: str) -> Campaign:
    return parse_campaign(parse_toml(text, PLACE), PLACE)


def _with(campaign: Campaign, phase: Phase) -> Campaign:
    return replace(campaign, phases=tuple(phase if one.name == phase.name else one for one in campaign.phases))


def _sections(text: str) -> list[list[str]]:
    """The lines of each table, beginning with its header; before the first what stands above all."""
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        if _HEADER.match(line):
            found.append([])
        found[-1].append(line)
    return found


def _header(lines: list[str]) -> str:
    match = _HEADER.match(lines[0]) if lines else None
    return match[1] if match else ""


def _is_phase(lines: list[str], name: str) -> bool:
    if _header(lines) != "phases":
        return False
    body = "\n".join(lines[1:])
    return parse_toml(body, PLACE).get("name") == name


def _set(lines: list[str], key: str, value: Value) -> None:
    """The line of a key written anew, added or taken out."""
    at = next((number for number, line in enumerate(lines) if re.match(rf"\s*{key}\s*=", line)), None)
    if value is None:
        if at is not None:
            del lines[at]
        return
    line = f"{key} = {_literal(value)}"
    if at is not None:
        comment = re.search(r"\s#[^\"']*$", lines[at])
        lines[at] = line + (comment[0] if comment else "")
        return
    last = max(number for number, one in enumerate(lines) if one.strip() and not one.lstrip().startswith("#"))
    lines.insert(last + 1, line)


def _literal(value: Value) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else f"{value:g}"
