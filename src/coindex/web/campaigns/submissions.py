"""Submissions: lists, one of them, its documents, and what may be done with it."""

from __future__ import annotations

from typing import Any

from ...api.campaign_server import boards, organising, rescoring, submitted
from ...api.campaign_server.keys import Download
from ...api.campaign_server.submitted import SubmissionInfo
from ..calls import Call
from .team import visible_or_none


def _id(call: Call) -> int:
    return int(call.request.path_params["submission"])


def submissions_page(call: Call) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    phase = call.query("phase") or None
    return {
        "title": "Submissions",
        "submissions": submitted.submissions(server, viewer, phase=phase),
        "tracks": organising.get_campaign(server, viewer).definition.tracks,
        "phase": phase or "",
    }


def submission_page(call: Call) -> dict[str, Any]:
    """One submission, with all of it that may be seen now."""
    server, viewer = call.state.campaigns, call.seen_by
    found = submitted.submission(server, viewer, _id(call))
    definition = organising.get_campaign(server, viewer).definition
    documents = {}
    if found.state == "done":
        for track in definition.tracks:
            table = visible_or_none(boards.document_scores, server, viewer, found.id, track.name)
            if table is not None and table.rows:
                documents[track.name] = table
    return {
        "title": f"Submission {found.number} of {found.team}",
        "waits": waits(found),
        "submission": found,
        "tracks": definition.tracks,
        "counts": definition.counts,
        "documents": documents,
        "history": rescoring.score_history(server, viewer, found.id) if viewer.role == "organiser" else [],
    }


def submission_state(call: Call) -> dict[str, Any]:
    """How far it is, for pages and programs that wait."""
    found = submitted.submission(call.state.campaigns, call.seen_by, _id(call))
    return {"id": found.id, "state": found.state, "text": waits(found), "progress": found.progress}


def waits(found: SubmissionInfo) -> str:
    """What there is to say while somebody waits."""
    if found.state == "waiting":
        return "It waits to be scored."
    return (str(found.progress) or "It is being scored.") if found.state == "scoring" else ""


def errors_page(call: Call) -> dict[str, Any]:
    """The errors of one document."""
    track, dataset, document = (call.query(name) for name in ("track", "dataset", "document"))
    found = boards.document_errors(
        call.state.campaigns, call.seen_by, _id(call), track, dataset=dataset, document=document
    )
    return {
        "title": f"Errors in {document}",
        "submission": _id(call),
        "track": track,
        "dataset": dataset,
        "document": document,
        "errors": found,
    }


def file(call: Call) -> Download:
    return submitted.download_submission(call.state.campaigns, call.seen_by, _id(call))


def cancel(call: Call) -> None:
    submitted.cancel(call.state.campaigns, call.seen_by, _id(call))


def choose(call: Call) -> None:
    submitted.choose(call.state.campaigns, call.seen_by, _id(call), call.text("track"))


def retry(call: Call) -> None:
    rescoring.retry(call.state.campaigns, call.seen_by, _id(call))
