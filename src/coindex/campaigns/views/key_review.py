"""Pages for the review of the key and for result tables."""

from __future__ import annotations

from typing import Any, get_args

from starlette.responses import Response

from ...analysis.figures import FORMS as FIGURES
from ...analysis.figures import Bars, Chart, draw
from ...analysis.tables import Table
from ...errors import CoindexError, UnknownNameError
from ...server.calls import go
from .. import boards, key_review, organising
from ..findings import TITLES, Verdict
from ..sandbox_process import FORMS
from ..server import NotFoundError
from .answers import CampaignCall, base, text

SIZE = 50


def key_review_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    names = [phase.phase.name for phase in info.phases if phase.has_key]
    return {
        "title": "Key review",
        "phases": names,
        "tracks": [track.name for track in info.definition.tracks],
        "switched_off": {name: key_review.list_excluded_entities(server, viewer, name) for name in names},
        "switches": key_review.switches(server, viewer),
        "samples": key_review.samples(server, viewer),
        "asked": {name: call.query(name) for name in ("phase", "dataset", "document", "entity")},
    }


def switch_chain(call: CampaignCall) -> dict[str, Any]:
    if not call.text("reason").strip():
        raise CoindexError("Enter a reason for the change; it is recorded in the log.", code="nothing-given")
    jobs = key_review.switch_chain(
        call.state.campaigns,
        call.seen_by,
        call.text("phase"),
        dataset=call.text("dataset"),
        document=call.text("document"),
        entity=call.text("entity"),
        off=call.text("off") != "no",
        reason=call.text("reason"),
    )
    return {"jobs": jobs}


def rescore(call: CampaignCall) -> dict[str, Any]:
    """Rescore all submissions of a phase or of all phases; old scores are kept."""
    why = call.text("why")
    return {"jobs": key_review.rescore(call.state.campaigns, call.seen_by, phase=call.text("phase") or None, why=why)}


def request_sample(call: CampaignCall) -> dict[str, Any]:
    size = call.number("size") if call.text("size") else SIZE
    seed = call.number("seed") if call.text("seed") else 0
    request = key_review.request_sample(
        call.state.campaigns, call.seen_by, call.text("phase"), call.text("track"), size=size, seed=seed
    )
    return {"sample": request}


def sample_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer, id = call.state.campaigns, call.seen_by, _id(call)
    sample = key_review.sample(server, viewer, id)
    return {
        "title": f"Sample {id}",
        "id": id,
        "phase": next(entry.phase for entry in key_review.samples(server, viewer) if entry.id == id),
        "sample": sample,
        "counted": key_review.verdict_table(server, viewer, id),
        "kinds": TITLES,
        "verdicts": [name for name in get_args(Verdict) if name],
    }


def give_verdicts(call: CampaignCall) -> dict[str, Any]:
    """Save a verdict (item, verdict, comment), or those of a page ("verdict ITEM" and "comment ITEM" for each item)."""
    server, viewer, id = call.state.campaigns, call.seen_by, _id(call)
    if "item" in call.fields:
        given = {call.text("item"): (call.text("verdict"), call.text("comment"))}
    else:
        known = {item.id: (item.verdict, item.comment) for item in key_review.sample(server, viewer, id).items}
        sent = {item: (call.text(f"verdict {item}"), call.text(f"comment {item}")) for item in known}
        given = {item: pair for item, pair in sent.items() if f"verdict {item}" in call.fields and pair != known[item]}
    for item, (verdict, comment) in given.items():
        key_review.give_verdict(server, viewer, id, item, verdict, comment=comment)
    return {"given": len(given)}


def to_sample(call: CampaignCall, _: Any) -> Response:
    return go(f"{base(call)}/samples/{_id(call)}")


def _id(call: CampaignCall) -> int:
    return int(call.request.path_params["sample"])


MEDIA = {"svg": "image/svg+xml", "png": "image/png"}
METRICS = 4
"""The maximum number of metrics in a chart of teams, the primary metric first."""
SHOWN = 6
"""The maximum number of teams in a chart of datasets; more would be hard to distinguish."""


def findings_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    names = [entry.phase.name for entry in organising.get_campaign(server, viewer).phases if entry.has_key]
    rows = [
        {
            "phase": name,
            "state": key_review.findings_state(server, viewer, name),
            "figures": [{"name": entry.name, "title": entry.title} for entry in _charts(call, name)],
        }
        for name in names
    ]
    return {"title": "Result tables", "phases": rows, "forms": FORMS}


def request(call: CampaignCall) -> dict[str, Any]:
    hides = call.text("anonymous") == "yes"
    return {"job": key_review.request_findings(call.state.campaigns, call.seen_by, call.path("phase"), anonymous=hides)}


def tables(call: CampaignCall) -> Response:
    """Return all tables in one format."""
    form = call.query("format", "html")
    if form not in FORMS:
        raise UnknownNameError("format", form, FORMS)
    return text(key_review.findings(call.state.campaigns, call.seen_by, call.path("phase"), form), form)


def figure(call: CampaignCall) -> Response:
    """Return a chart as a picture; an SVG with `dark=yes` for a dark background."""
    form = next((known for known in FIGURES if known == call.query("format", "svg")), None)
    if form is None:
        raise UnknownNameError("format", call.query("format"), FIGURES)
    charts = {chart.name: chart for chart in _charts(call, call.path("phase"))}
    if call.path("name") not in charts:
        raise NotFoundError(str(UnknownNameError("figure", call.path("name"), charts)))
    return Response(draw(charts[call.path("name")], form, dark=call.query("dark") == "yes"), media_type=MEDIA[form])


def _charts(call: CampaignCall, phase: str) -> list[Chart]:
    """Return charts of the leaderboards of a phase: teams by metric, and the first teams by dataset."""
    server, viewer = call.state.campaigns, call.seen_by
    made: list[Chart] = []
    for track in organising.get_campaign(server, viewer).definition.tracks:
        table = boards.board(server, viewer, phase, track.name, rounds=0)
        if any(row.keys["state"] == "scored" for row in table.rows):
            made += _board_charts(table, track.name)
    return made


def _board_charts(table: Table, track: str) -> list[Chart]:
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
