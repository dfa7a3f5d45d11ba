"""The definitions that ship: campaigns as they were, to be scored again, or to begin one's own with."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from ..errors import UnknownNameError, quote
from ..settings import ConfigError
from .definition import Campaign, read_campaign

FOLDER = Path(__file__).parent / "definitions"
READY = ("crac22", "rueval14", "are07", "ecb-realistic")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def find_definition(name: str) -> Path:
    """The file of a ready definition."""
    if name not in READY:
        raise UnknownNameError("campaign", name, READY)
    return FOLDER / f"{name}.toml"


def load_campaign(name: str) -> Campaign:
    """The campaign of a TOML file, or a ready one by its name."""
    return read_campaign(find_definition(name) if name in READY and not Path(name).exists() else name)


def new_definition(name: str, like: str, opens: date) -> str:
    """The text of a definition with another name, its first phase opening on that day and all others moved along."""
    if not name.strip() or name != Path(name).name or name.startswith(".") or not name.isprintable():
        raise ConfigError(f"the name {quote(name)}; expected one that can be a folder's; choose another")
    text = find_definition(like).read_text(encoding="utf-8")
    first = min(phase.opens for phase in load_campaign(like).phases)
    by = datetime(opens.year, opens.month, opens.day, tzinfo=UTC) - first
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace(f'\nname = "{like}"\n', f'\nname = "{escaped}"\n', 1)
    return _MOMENT.sub(lambda match: _moved(match[0], by), text)


def _moved(moment: str, by: timedelta) -> str:
    return f"{datetime.fromisoformat(moment) + by:%Y-%m-%dT%H:%M:%S}Z"
