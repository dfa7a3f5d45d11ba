"""The findings: the tables of the paper, made by a worker, in every form, and charts of the boards."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...analysis.figures import FORMS as FIGURES
from ...analysis.figures import Bars, Chart, can_draw, draw
from ...analysis.tables import Table
from ...api.campaign_server import boards, findings, organising
from ...api.campaign_server.server import NotFoundError
from ...api.campaign_server.tasks import FORMS
from ...errors import UnknownNameError
from ..calls import Call
from .public import text

MEDIA = {"svg": "image/svg+xml", "png": "image/png"}
METRICS = 4
"""How many metrics a chart of teams shows, the one that decides first."""
SHOWN = 6
"""How many teams a chart of datasets shows, the first ones; more could not be told apart."""


def findings_page(call: Call) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    names = [one.phase.name for one in organising.get_campaign(server, viewer).phases if one.has_key]
    found = [
        {
            "phase": name,
            "state": findings.findings_state(server, viewer, name),
            "figures": [{"name": one.name, "title": one.title} for one in _charts(call, name)] if can_draw() else [],
        }
        for name in names
    ]
    return {"title": "Findings", "phases": found, "forms": FORMS}


def request(call: Call) -> dict[str, Any]:
    hides = call.text("anonymous") == "yes"
    return {"job": findings.request_findings(call.state.campaigns, call.seen_by, call.path("phase"), anonymous=hides)}


def tables(call: Call) -> Response:
    """All tables in one form."""
    form = call.query("format", "html")
    if form not in FORMS:
        raise UnknownNameError("format", form, FORMS)
    return text(findings.findings(call.state.campaigns, call.seen_by, call.path("phase"), form), form)


def figure(call: Call) -> Response:
    """A chart as a picture."""
    form = next((one for one in FIGURES if one == call.query("format", "svg")), None)
    if form is None:
        raise UnknownNameError("format", call.query("format"), FIGURES)
    found = {chart.name: chart for chart in _charts(call, call.path("phase"))}
    if call.path("name") not in found:
        raise NotFoundError(str(UnknownNameError("figure", call.path("name"), found)))
    return Response(draw(found[call.path("name")], form), media_type=MEDIA[form])


def _charts(call: Call, phase: str) -> list[Chart]:
    """Charts of the boards of a phase: teams by metric, and the first teams by dataset."""
    server, viewer = call.state.campaigns, call.seen_by
    made: list[Chart] = []
    for track in organising.get_campaign(server, viewer).definition.tracks:
        table = boards.board(server, viewer, phase, track.name, rounds=0)
        if any(row.keys["state"] == "scored" for row in table.rows):
            made += _of_board(table, track.name)
    return made


def _of_board(table: Table, track: str) -> list[Chart]:
    rows = [row for row in table.rows if row.keys["state"] == "scored"]
    shares = [at for at, column in enumerate(table.columns) if column.kind == "percent"]
    means = [at for at in shares if not table.columns[at].group][:METRICS]
    parts = [at for at in shares if table.columns[at].group]

    def value(at: int, row: int) -> float | None:
        number = rows[row].values[at]
        return 100 * number if isinstance(number, float) else None

    teams = [row.label for row in rows]
    metrics = {table.columns[at].title: [value(at, row) for row in range(len(rows))] for at in means}
    made: list[Chart] = [
        Bars(name=f"{track}-metrics", title=f"{table.title}: teams", y="F1", labels=teams, series=metrics)
    ]
    if parts:
        series = {team: [value(at, row) for at in parts] for row, team in enumerate(teams[:SHOWN])}
        labels = [table.columns[at].title for at in parts]
        made.append(
            Bars(name=f"{track}-datasets", title=f"{table.title}: datasets", y="F1", labels=labels, series=series)
        )
    return made
