"""One function, two answers: a page for people at /campaigns/…, JSON for programs at /api/campaigns/….

What a function gives is told to both, so nothing can be hidden on a page and shown by the API.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from starlette.responses import JSONResponse, Response

from ...analysis.tables import Table
from ...analysis.writers import to_json
from ...errors import CoindexError
from ...server.calls import KILOBYTE, BodyKind, Call, Refused, Rule, Who, go, show
from ..keys import Download
from ..organising import get_campaign
from ..viewers import Viewer, viewer_of


@dataclass
class CampaignCall(Call):
    """What a handler of campaigns gets."""

    viewer: Viewer | None = None
    """Who the caller is to the campaign of the path."""

    @property
    def seen_by(self) -> Viewer:
        assert self.viewer is not None
        return self.viewer

    def find_subject(self) -> None:
        """Find what the caller is in the campaign of the path."""
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
    """A thing to see or to do, by page and by API."""

    method: Literal["GET", "POST"]
    path: str
    do: Callable[[CampaignCall], Any]
    who: frozenset[Who]
    template: str = ""
    """What shows the result as a page."""
    to: str = ""
    """Where a browser goes after something was done, below the campaign."""
    answer: Answer | None = None
    """What a browser gets instead."""
    failure: Callable[[CampaignCall, str], Response] | None = None
    """What a browser gets where something was refused: what was written, with what is wrong with it."""
    status: Callable[[Any], int] = lambda _: 200
    body: BodyKind = "form"
    most: int = 64 * KILOBYTE
    hashes: bool = False
    is_page: bool = True
    is_data: bool = True

    def rules(self) -> list[Rule]:
        """Its routes."""
        made = []
        options: dict[str, Any] = {"body": self.body, "most": self.most, "hashes": self.hashes}
        if self.is_page:
            made.append(Rule(self.method, PAGES + self.path, self._page, self.who, **options))
        if self.is_data:
            made.append(Rule(self.method, API + self.path, self._data, self.who, is_data=True, is_api=True, **options))
        return made

    def _page(self, call: CampaignCall) -> Response:
        try:
            found = self.do(call)
        except CoindexError as error:
            if self.failure is None:
                raise
            return self.failure(call, str(error))
        if isinstance(found, Download | Response):
            return sent(found)
        if self.answer is not None:
            return self.answer(call, found)
        if self.template:
            return shown(call, self.template, found)
        return go(base(call) + self.to)

    def _data(self, call: CampaignCall) -> Response:
        if call.data is not None:
            call.fields = fields_of(call.data)
        found = self.do(call)
        if isinstance(found, Download | Response):
            return sent(found)
        return JSONResponse(plain(found if found is not None else {}), self.status(found))


def base(call: CampaignCall) -> str:
    """The path of the campaign's pages."""
    return f"{PAGES}/{call.request.path_params['campaign']}" if call.viewer is not None else PAGES


def shown(call: CampaignCall, template: str, found: Mapping[str, Any], *, status: int = 200) -> Response:
    """A page of a campaign, with what all of them have."""
    values: dict[str, Any] = {"base": base(call), **found}
    values.setdefault("title", "Campaigns")
    if call.viewer is not None:
        values["campaign"] = get_campaign(call.state.campaigns, call.viewer)
    response = show(call, f"campaigns/{template}.html", **values)
    response.status_code = status
    return response


def sent(download: Download | Response) -> Response:
    """A file to keep."""
    if isinstance(download, Response):
        return download
    name = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "_" for char in download.name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(download.content, media_type=download.media, headers=headers)


def fields_of(data: Any) -> dict[str, str]:
    """The members of a JSON object as a form has them: text, and yes or no."""
    if not isinstance(data, dict):
        raise Refused(400, "The request body must be a JSON object.")
    words = {True: "yes", False: "no"}
    made = {}
    for name, value in data.items():
        if isinstance(value, bool):
            made[name] = words[value]
        elif isinstance(value, str | int | float):
            made[name] = str(value)
        elif value is not None:
            raise Refused(400, f"{name}: expected a string, number or boolean.")
    return made


def plain(value: Any) -> Any:
    """Anything that pages show as JSON has it: times as texts in UTC, records and tables as objects."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, Table):
        return json.loads(to_json([value]))["tables"][0]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    return [plain(item) for item in value]
