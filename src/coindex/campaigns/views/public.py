"""Public pages: the list of campaigns, a campaign with its leaderboards, leaderboards as files."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...analysis.tables import Table
from ...analysis.writers import FORMS, render
from ...errors import UnknownNameError
from .. import boards, organising, teams
from ..organising import CampaignInfo
from .answers import CampaignCall

MEDIA = {"json": "application/json", "csv": "text/csv", "html": "text/html", "markdown": "text/markdown"}


def about(info: CampaignInfo) -> dict[str, Any]:
    """Return the public data of a campaign."""
    definition = info.definition
    return {
        "id": info.id,
        "name": info.name,
        "title": definition.shown_title,
        "registration": info.registration,
        "counts": definition.counts,
        "phases": info.phases,
        "tracks": definition.tracks,
    }


def campaigns_page(call: CampaignCall) -> dict[str, Any]:
    campaigns = organising.list_campaigns(call.state.campaigns, call.user)
    shown = [{**about(info), "role": viewer.role, "is_published": info.is_published} for info, viewer in campaigns]
    return {"title": "Campaigns", "campaigns": shown}


def campaign_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    rows = []
    for phase, track in boards.visible_boards(server, viewer):
        table = boards.board(server, viewer, phase, track)
        if table.rows:
            rows.append({"phase": phase, "track": track, "table": table})
    return {
        "title": info.definition.shown_title,
        "about": about(info),
        "role": viewer.role,
        "now": server.clock(),
        "boards": rows,
        "teams": teams.list_teams(server, viewer),
    }


def board(call: CampaignCall) -> Response:
    """Return a leaderboard as a file."""
    table = boards.board(call.state.campaigns, call.seen_by, call.path("phase"), call.path("track"))
    return render_tables([table], call.query("format", "json"))


def render_tables(tables: list[Table], form: str, **options: Any) -> Response:
    """Return tables in a format of `analysis.writers`."""
    if form not in FORMS:
        raise UnknownNameError("format", form, FORMS)
    return text(render(tables, form, **options), form)


def text(content: str, form: str) -> Response:
    """Return text in a format. HTML is a download, as its inline styles would violate the content security policy."""
    response = PlainTextResponse(content, media_type=MEDIA.get(form, "text/plain"))
    if form == "html":
        response.headers["Content-Disposition"] = 'attachment; filename="tables.html"'
    return response
