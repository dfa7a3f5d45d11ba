"""The key checked: chains switched off, random samples with verdicts, everything scored anew."""

from __future__ import annotations

from typing import Any, get_args

from starlette.responses import Response

from ...api.campaign_server import key_sampling, organising, rescoring
from ...campaigns.sampling import TITLES, Verdict
from ...errors import CoindexError
from ..calls import Call
from ..pages import go
from .answers import base

SIZE = 50


def checking_page(call: Call) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    names = [one.phase.name for one in info.phases if one.has_key]
    return {
        "title": "Check the key",
        "phases": names,
        "tracks": [track.name for track in info.definition.tracks],
        "switched_off": {name: rescoring.switched_off(server, viewer, name) for name in names},
        "switches": rescoring.switches(server, viewer),
        "samples": key_sampling.samples(server, viewer),
        "asked": {name: call.query(name) for name in ("phase", "dataset", "document", "entity")},
    }


def switch_chain(call: Call) -> dict[str, Any]:
    if not call.text("reason").strip():
        raise CoindexError("no reason; expected why this chain is switched, for the log; write one")
    jobs = rescoring.switch_chain(
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


def rescore(call: Call) -> dict[str, Any]:
    """Everything of a phase, or of all, once more; the old scores stay."""
    why = call.text("why")
    return {"jobs": rescoring.rescore(call.state.campaigns, call.seen_by, phase=call.text("phase") or None, why=why)}


def request_sample(call: Call) -> dict[str, Any]:
    size = call.number("size") if call.text("size") else SIZE
    seed = call.number("seed") if call.text("seed") else 0
    found = key_sampling.request_sample(
        call.state.campaigns, call.seen_by, call.text("phase"), call.text("track"), size=size, seed=seed
    )
    return {"sample": found}


def sample_page(call: Call) -> dict[str, Any]:
    server, viewer, id = call.state.campaigns, call.seen_by, _id(call)
    found = key_sampling.sample(server, viewer, id)
    return {
        "title": f"Sample {id}",
        "id": id,
        "phase": next(one.phase for one in key_sampling.samples(server, viewer) if one.id == id),
        "sample": found,
        "counted": key_sampling.verdict_table(server, viewer, id),
        "kinds": TITLES,
        "verdicts": [name for name in get_args(Verdict) if name],
    }


def give_verdicts(call: Call) -> dict[str, Any]:
    """One verdict as item, verdict and comment; or those of a whole page, each as "verdict ITEM" and "comment ITEM"."""
    server, viewer, id = call.state.campaigns, call.seen_by, _id(call)
    if "item" in call.fields:
        given = {call.text("item"): (call.text("verdict"), call.text("comment"))}
    else:
        known = {item.id: (item.verdict, item.comment) for item in key_sampling.sample(server, viewer, id).items}
        sent = {item: (call.text(f"verdict {item}"), call.text(f"comment {item}")) for item in known}
        given = {item: pair for item, pair in sent.items() if f"verdict {item}" in call.fields and pair != known[item]}
    for item, (verdict, comment) in given.items():
        key_sampling.give_verdict(server, viewer, id, item, verdict, comment=comment)
    return {"given": len(given)}


def to_sample(call: Call, _: Any) -> Response:
    return go(f"{base(call)}/samples/{_id(call)}")


def _id(call: Call) -> int:
    return int(call.request.path_params["sample"])
