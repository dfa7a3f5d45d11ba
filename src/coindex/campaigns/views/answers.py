"""Handlers with two representations: a page at /campaigns/… and JSON at /api/campaigns/….

Both are created from the same values, so the API cannot show anything that the page hides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from starlette.responses import JSONResponse, PlainTextResponse, Response

from ...analysis.tables import Table
from ...analysis.writers import FORMS, render, to_json
from ...errors import CoindexError, UnknownNameError
from ...server.calls import KILOBYTE, BodyKind, Call, Refused, Rule, Who, go, show
from .. import boards, organising, teams
from ..keys import Download
from ..organising import CampaignInfo, get_campaign
from ..server import Viewer, viewer_of


@dataclass
class CampaignCall(Call):
    """The request that a handler of campaigns receives."""

    viewer: Viewer | None = None
    """The caller as viewer of the campaign in the path."""

    @property
    def seen_by(self) -> Viewer:
        assert self.viewer is not None
        return self.viewer

    def find_subject(self) -> None:
        """Find the role of the caller in the campaign in the path."""
        campaign = self.request.path_params.get("campaign")
        if campaign is None:
            return
        self.viewer = viewer_of(self.state.campaigns, campaign, self.user)
        if self.who == "stranger":
            roles: dict[str, Who] = {"organiser": "organiser", "team": "participant"}
            self.who = roles.get(self.viewer.role, "stranger")


PAGES = "/campaigns"
API = "/api/campaigns"
Answer = Callable[[CampaignCall, Any], Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A view or an action, as page and in the API."""

    method: Literal["GET", "POST"]
    path: str
    do: Callable[[CampaignCall], Any]
    who: frozenset[Who]
    template: str = ""
    """The template of the page."""
    to: str = ""
    """The path below the campaign to which a browser is redirected after an action."""
    answer: Answer | None = None
    """Creates another response for browsers."""
    failure: Callable[[CampaignCall, str], Response] | None = None
    """Creates the page for a rejected form, with the entered values and the error."""
    status: Callable[[Any], int] = lambda _: 200
    body: BodyKind = "form"
    most: int = 64 * KILOBYTE
    hashes: bool = False
    is_page: bool = True
    is_data: bool = True

    def rules(self) -> list[Rule]:
        """Return the routes of the page and the API."""
        rules = []
        options: dict[str, Any] = {"body": self.body, "most": self.most, "hashes": self.hashes}
        if self.is_page:
            rules.append(Rule(self.method, PAGES + self.path, self._page, self.who, **options))
        if self.is_data:
            rules.append(Rule(self.method, API + self.path, self._data, self.who, is_data=True, is_api=True, **options))
        return rules

    def _page(self, call: CampaignCall) -> Response:
        try:
            result = self.do(call)
        except CoindexError as error:
            if self.failure is None:
                raise
            return self.failure(call, str(error))
        if isinstance(result, Download | Response):
            return send_file(result)
        if self.answer is not None:
            return self.answer(call, result)
        if self.template:
            return render_page(call, self.template, result)
        return go(base(call) + self.to)

    def _data(self, call: CampaignCall) -> Response:
        if call.data is not None:
            call.fields = form_fields(call.data)
        result = self.do(call)
        if isinstance(result, Download | Response):
            return send_file(result)
        return JSONResponse(to_plain(result if result is not None else {}), self.status(result))


def base(call: CampaignCall) -> str:
    """Return the path of the campaign's pages."""
    return f"{PAGES}/{call.request.path_params['campaign']}" if call.viewer is not None else PAGES


def render_page(call: CampaignCall, template: str, page: Mapping[str, Any], *, status: int = 200) -> Response:
    """Render a page of a campaign with the values that all pages share."""
    values: dict[str, Any] = {"base": base(call), **page}
    values.setdefault("title", "Campaigns")
    if call.viewer is not None:
        values["campaign"] = get_campaign(call.state.campaigns, call.viewer)
    response = show(call, f"campaigns/{template}.html", **values)
    response.status_code = status
    return response


def send_file(download: Download | Response) -> Response:
    """Return a response for a download."""
    if isinstance(download, Response):
        return download
    name = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "_" for char in download.name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(download.content, media_type=download.media, headers=headers)


def form_fields(data: Any) -> dict[str, str]:
    """Convert the members of a JSON object to form fields: text, and yes or no."""
    if not isinstance(data, dict):
        raise Refused(400, "The request body must be a JSON object.")
    words = {True: "yes", False: "no"}
    converted = {}
    for name, value in data.items():
        if isinstance(value, bool):
            converted[name] = words[value]
        elif isinstance(value, str | int | float):
            converted[name] = str(value)
        elif value is not None:
            raise Refused(400, f"{name}: expected a string, number or boolean.")
    return converted


def to_plain(value: Any) -> Any:
    """Convert a value to plain JSON data: times as strings in UTC, dataclasses and tables as objects."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, Table):
        return json.loads(to_json([value]))["tables"][0]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_plain(item) for name, item in value.items()}
    return [to_plain(item) for item in value]


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
