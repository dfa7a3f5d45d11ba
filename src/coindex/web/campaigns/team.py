"""A team's own pages: the input, submissions, members."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...api.campaign_server import boards, organising, submitted, submitting, teams
from ...api.campaign_server.keys import Download
from ...api.campaign_server.server import NotFoundError
from ...api.campaign_server.submitting import Receipt
from ...errors import CoindexError
from ..calls import Call
from ..pages import go, show
from .answers import base, shown
from .joining import link


def team_page(call: Call) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    phases = [{"info": one, "state": submitting.submit_state(server, viewer, one.phase.name)} for one in info.phases]
    own = next(team for team in teams.list_teams(server, viewer) if team.is_own)
    return {
        "title": own.name,
        "team": own,
        "now": server.clock(),
        "phases": phases,
        "submissions": submitted.submissions(server, viewer, own=True),
        "counts": info.definition.counts,
        "tracks": info.definition.tracks,
    }


def download_input(call: Call) -> Download:
    """The blind input; a team's first download may start its hours, so that it is asked for by a button."""
    return submitting.download_input(call.state.campaigns, call.seen_by, call.path("phase"))


def submit(call: Call) -> Receipt:
    return submitting.submit(
        call.state.campaigns, call.seen_by, call.path("phase"), run=call.text("run"), **_uploaded(call)
    )


def check(call: Call) -> dict[str, Any]:
    """What a submission would be told; nothing is counted."""
    found = submitting.check(call.state.campaigns, call.seen_by, call.path("phase"), **_uploaded(call))
    return {"findings": found}


def _uploaded(call: Call) -> dict[str, Any]:
    files = [file for file in call.files if file.filename]
    if len(files) != 1:
        remedy = "zip them" if files else "choose an answer, a .zip or a .gz"
        raise CoindexError(f"{len(files)} files; expected one; {remedy}")
    return {"file_name": files[0].filename or "submission", "content": files[0].file.read()}


def after_submit(call: Call, found: Receipt) -> Response:
    """To the submission; or what is wrong with it, at once."""
    if found.submission is not None:
        return go(f"{base(call)}/submissions/{found.submission}")
    return _told(call, found.findings, title="Refused", is_check=False, status=422)


def after_check(call: Call, found: dict[str, Any]) -> Response:
    return _told(call, found["findings"], title="Check", is_check=True, status=200)


def _told(call: Call, findings: list[Any], *, title: str, is_check: bool, status: int) -> Response:
    errors = sum(one.severity == "error" for one in findings)
    values = {"title": title, "findings": findings, "errors": errors, "is_check": is_check}
    return shown(call, "refused", {**values, "phase": call.path("phase")}, status=status)


def invite_member(call: Call) -> dict[str, Any]:
    return link(call, teams.invite_member(call.state.campaigns, call.seen_by))


def show_link(call: Call, found: dict[str, Any]) -> Response:
    back = f"{base(call)}/team" if call.who == "participant" else f"{base(call)}/teams"
    return show(call, "link.html", title="A link to pass on", back=back, **found)


def rename(call: Call) -> None:
    teams.rename_team(call.state.campaigns, call.seen_by, call.text("name"))


def leave(call: Call) -> None:
    teams.leave(call.state.campaigns, call.seen_by)


def remove_member(call: Call) -> None:
    teams.remove_member(call.state.campaigns, call.seen_by, call.text("name"))


def runs_page(call: Call) -> dict[str, Any]:
    """All own runs side by side, where their scores may be seen."""
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    found = []
    for phase in info.phases:
        for track in info.definition.tracks:
            table = visible_or_none(boards.own_runs, server, viewer, phase.phase.name, track.name)
            if table is not None and table.rows:
                found.append({"phase": phase.phase.name, "track": track.name, "table": table})
    return {"title": "Your runs", "tables": found}


def visible_or_none(find: Any, *arguments: Any) -> Any:
    """What may be seen, else None."""
    try:
        return find(*arguments)
    except NotFoundError:
        return None
