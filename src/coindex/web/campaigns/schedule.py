"""Dates, limits and who sees what, as forms; they change the text of the definition, whose comments stay."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, get_args

from ...api.campaign_server import organising
from ...campaigns.definition import Audience, Shown
from ...campaigns.editing import change_phase
from ...errors import CoindexError
from ..calls import Call

SHOWN: tuple[str, ...] = get_args(Shown)


def schedule_page(call: Call) -> dict[str, Any]:
    info = organising.get_campaign(call.state.campaigns, call.seen_by)
    return {
        "title": "Dates and limits",
        "version": info.version,
        "phases": info.phases,
        "shown": SHOWN,
        "audiences": get_args(Audience),
        "now": call.state.clock(),
    }


def change_rules(call: Call) -> dict[str, Any]:
    """Other values for a phase: those that are sent; an empty one is taken out."""
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    phase = info.definition.phase(call.path("phase"))
    values = {name: read(name, call.text(name)) for name, read in FIELDS.items() if name in call.fields}
    if "opens" in values and values["opens"] is None:
        raise CoindexError("opens: empty; expected a time; write it as 2030-03-01T12:00")
    visible = {name: call.text(name) or getattr(phase.visible, name) for name in SHOWN}
    for name, audience in visible.items():
        if audience not in get_args(Audience):
            raise CoindexError(f"{name}: {audience!r}; expected one of {', '.join(get_args(Audience))}; choose one")
    text = change_phase(info.text, phase.name, values, visible)
    version = call.number("version") if call.text("version") else info.version
    why = call.text("why") or f"{phase.name}: dates and limits"
    return {"version": organising.save_definition(server, viewer, text, version=version, why=why)}


def _moment(name: str, text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise CoindexError(f"{name}: {text!r}; expected a time in UTC; write it as 2030-03-01T12:00") from error
    return found if found is None or found.tzinfo is not None else found.replace(tzinfo=UTC)


def _whole(name: str, text: str) -> int | None:
    number = _number(name, text)
    if number is not None and not number.is_integer():
        raise CoindexError(f"{name}: {text}; expected a whole number; round it")
    return None if number is None else int(number)


def _number(name: str, text: str) -> float | None:
    try:
        return float(text) if text.strip() else None
    except ValueError as error:
        raise CoindexError(f"{name}: {text!r}; expected a number; leave it empty for no limit") from error


def _flag(name: str, text: str) -> bool:
    if text not in ("yes", "no"):
        raise CoindexError(f"{name}: {text!r}; expected yes or no; choose one")
    return text == "yes"


FIELDS: dict[str, Callable[[str, str], Any]] = {
    "opens": _moment,
    "closes": _moment,
    "downloads": _flag,
    "submissions": _flag,
    "hours_from_download": _number,
    "limit_a_day": _whole,
    "limit_total": _whole,
}
