"""Pages for organisers: definition, phases, keys, teams, activity log."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, get_args

from starlette.responses import Response

from ...errors import CoindexError
from ...server.calls import go
from .. import keys, organising, submissions, teams
from ..definition import READY, Audience, Shown, change_phase
from ..keys import Download
from ..offline import new_campaign
from .answers import CampaignCall, base, render_page
from .teams import link

PREVIEWED = 40
"""The number of lines per file in the preview of the input."""


def new_page(call: CampaignCall) -> dict[str, Any]:
    today = call.state.clock().date().isoformat()
    return {"title": "New campaign", "ready": READY, "opens": today, "name": "", "text": "", "error": ""}


def create(call: CampaignCall) -> dict[str, Any]:
    """Create a campaign from a file, a text or a template."""
    text = _read_uploaded_text(call) or call.text("text")
    if not text.strip():
        text = new_campaign(call.text("name"), like=call.text("like"), opens=_day(call.text("opens")))
    return {"campaign": organising.create_campaign(call.state.campaigns, text, by=call.user_id)}


def show_creation_error(call: CampaignCall, error: str) -> Response:
    written = {name: call.text(name) for name in ("name", "text", "opens") if call.text(name)}
    return render_page(call, "new", {**new_page(call), **written, "error": error}, status=422)


def _read_uploaded_text(call: CampaignCall) -> str:
    files = [file for file in call.files if file.filename]
    try:
        return files[0].file.read().decode() if files else ""
    except UnicodeDecodeError as error:
        raise CoindexError(
            f"{files[0].filename}: not a UTF-8 text file; save the definition as UTF-8", code="not-utf8"
        ) from error


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise CoindexError(f"opens: {text!r} is not a date; use the form 2030-03-01", code="invalid-input") from error


def to_manage(call: CampaignCall, result: dict[str, Any]) -> Response:
    return go(f"/campaigns/{result['campaign']}/manage")


def manage_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    return {
        "title": "Manage campaign",
        "is_published": info.is_published,
        "registration": info.registration,
        "phases": info.phases,
        "organisers": organising.organisers(server, viewer),
        "keys": keys.key_history(server, viewer),
        "now": server.clock(),
    }


def definition_page(call: CampaignCall) -> dict[str, Any]:
    info = organising.get_campaign(call.state.campaigns, call.seen_by)
    return {
        "title": "Campaign definition",
        "text": info.text,
        "version": info.version,
        "history": organising.definition_history(call.state.campaigns, call.seen_by),
        "error": "",
    }


def save_definition(call: CampaignCall) -> dict[str, Any]:
    version = organising.save_definition(
        call.state.campaigns,
        call.seen_by,
        call.text("text"),
        version=call.number("version"),
        why=call.text("why"),
    )
    return {"version": version}


def show_saving_error(call: CampaignCall, error: str) -> Response:
    """Show the form again with the entered text and the error."""
    written = {"text": call.text("text"), "version": call.text("version"), "error": error}
    return render_page(call, "definition", {**definition_page(call), **written}, status=422)


def set_published(call: CampaignCall) -> None:
    organising.set_published(call.state.campaigns, call.seen_by, call.flag("published"))


def set_registration(call: CampaignCall) -> None:
    organising.set_registration(call.state.campaigns, call.seen_by, call.text("registration"))


def add_organiser(call: CampaignCall) -> None:
    organising.add_organiser(call.state.campaigns, call.seen_by, call.text("name"))


def remove_organiser(call: CampaignCall) -> None:
    organising.remove_organiser(call.state.campaigns, call.seen_by, call.text("name"))


# --- keys and input


def upload_key(call: CampaignCall) -> dict[str, Any]:
    files = [(file.filename, file.file, file.size or 0) for file in call.files if file.filename]
    if not files:
        raise CoindexError("no file selected; choose the files of the key or a zip archive", code="nothing-given")
    return {"key": keys.upload_key(call.state.campaigns, call.seen_by, call.path("phase"), files, why=call.text("why"))}


def download_key(call: CampaignCall) -> Download:
    return keys.download_key(call.state.campaigns, call.seen_by, call.path("phase"))


def to_preview(call: CampaignCall, _: Any) -> Response:
    return go(f"{base(call)}/phases/{call.path('phase')}/preview")


def preview_page(call: CampaignCall) -> dict[str, Any]:
    """Return the files of the input and the first lines of each."""
    phase = call.path("phase")
    content = submissions.download_input(call.state.campaigns, call.seen_by, phase).content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = [_preview_file(archive, entry) for entry in archive.infolist() if not entry.is_dir()]
    tracks = organising.get_campaign(call.state.campaigns, call.seen_by).definition.tracks
    return {"title": f"Input of {phase}", "phase": phase, "files": files, "tracks": tracks}


def _preview_file(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> dict[str, Any]:
    with archive.open(entry) as file:
        lines = file.read(100_000).decode("utf-8", "replace").splitlines()
    return {"name": entry.filename, "size": entry.file_size, "begins": "\n".join(lines[:PREVIEWED])}


# --- teams and the log


def teams_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    return {"title": "Teams", "teams": teams.list_teams(server, viewer), "registration": info.registration}


def invite_team(call: CampaignCall) -> dict[str, Any]:
    return link(call, teams.invite_team(call.state.campaigns, call.seen_by))


def log_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    names = {team.id: team.name for team in teams.list_teams(server, viewer)}
    return {"title": "Activity log", "entries": organising.log_of(server, viewer), "teams": names}


SHOWN: tuple[str, ...] = get_args(Shown)


def schedule_page(call: CampaignCall) -> dict[str, Any]:
    info = organising.get_campaign(call.state.campaigns, call.seen_by)
    return {
        "title": "Phases",
        "version": info.version,
        "phases": info.phases,
        "shown": SHOWN,
        "audiences": get_args(Audience),
        "now": call.state.clock(),
    }


def change_rules(call: CampaignCall) -> dict[str, Any]:
    """Change the fields of a phase that are sent; an empty field is removed."""
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    phase = info.definition.phase(call.path("phase"))
    values = {name: read(name, call.text(name)) for name, read in FIELDS.items() if name in call.fields}
    if "opens" in values and values["opens"] is None:
        raise CoindexError("opens: an opening time is required; use the form 2030-03-01T12:00", code="invalid-input")
    visible = {name: call.text(name) or getattr(phase.visible, name) for name in SHOWN}
    for name, audience in visible.items():
        if audience not in get_args(Audience):
            raise CoindexError(
                f"{name}: {audience!r} is not valid; choose one of {', '.join(get_args(Audience))}",
                code="invalid-input",
            )
    text = change_phase(info.text, phase.name, values, visible)
    version = call.number("version") if call.text("version") else info.version
    why = call.text("why") or f"{phase.name}: phase settings changed"
    return {"version": organising.save_definition(server, viewer, text, version=version, why=why)}


def _moment(name: str, text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise CoindexError(
            f"{name}: {text!r} is not a time; use the form 2030-03-01T12:00 (UTC)", code="invalid-input"
        ) from error
    return moment if moment is None or moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _whole(name: str, text: str) -> int | None:
    number = _number(name, text)
    if number is not None and not number.is_integer():
        raise CoindexError(f"{name}: {text} is not a whole number", code="invalid-input")
    return None if number is None else int(number)


def _number(name: str, text: str) -> float | None:
    try:
        return float(text) if text.strip() else None
    except ValueError as error:
        raise CoindexError(
            f"{name}: {text!r} is not a number; leave the field empty for no limit", code="invalid-input"
        ) from error


def _flag(name: str, text: str) -> bool:
    if text not in ("yes", "no"):
        raise CoindexError(f"{name}: {text!r} is not valid; choose yes or no", code="invalid-input")
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
