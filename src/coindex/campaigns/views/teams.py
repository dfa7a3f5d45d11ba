"""Pages for teams: registration, input, submissions, members."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...errors import CoindexError
from ...server import accounts
from ...server.account_pages import read_new_password, start_session
from ...server.calls import go, show
from ...server.models import User
from .. import boards, key_review, organising, submissions, teams
from ..keys import Download
from ..server import NotFoundError
from ..submissions import Receipt, SubmissionInfo
from .answers import CampaignCall, base, render_page


def registration_page(call: CampaignCall) -> dict[str, Any]:
    info = organising.get_campaign(call.state.campaigns, call.seen_by)
    return {"title": f"Register for {info.definition.shown_title}", "registration": info.registration}


def register(call: CampaignCall) -> dict[str, Any]:
    """Register a team, with a new account if the caller is not logged in."""
    server, viewer = call.state.campaigns, call.seen_by
    if call.user is not None:
        return {"team": teams.register_team(server, viewer, call.text("team"))}
    call.state.limits.check(call.address)
    user = teams.sign_up(server, viewer.campaign, **_account(call))
    return {"user": user.name, "campaign": viewer.campaign, "account": user.id}


def invitation_page(call: CampaignCall) -> dict[str, Any]:
    call.state.limits.check(call.address)
    invitation = teams.find_invitation(call.state.campaigns, call.path("secret"))
    return {"title": "Invitation", "invitation": invitation}


def join(call: CampaignCall) -> dict[str, Any]:
    """Join a team, or register one, with an invitation link."""
    call.state.limits.check(call.address)
    server, secret = call.state.campaigns, call.path("secret")
    campaign = teams.find_invitation(server, secret).campaign
    if call.user is not None:
        return {"campaign": campaign, "team": teams.join(server, secret, call.user.id, team_name=call.text("team"))}
    user = teams.sign_up_invited(server, secret, **_account(call))
    return {"user": user.name, "campaign": campaign, "account": user.id}


def _account(call: CampaignCall) -> dict[str, str]:
    """Return the fields of a new account. Pages ask for the password twice, the API only once."""
    once = call.rule.is_api and "again" not in call.fields
    password = accounts.hash_password(call.text("password")) if once else read_new_password(call)
    return {"user_name": call.text("name"), "password": password, "team_name": call.text("team")}


def to_team(call: CampaignCall, result: dict[str, Any]) -> Response:
    """Log in and redirect to the page of the team."""
    campaign = result.get("campaign", call.request.path_params.get("campaign"))
    path = f"/campaigns/{campaign}/team"
    if call.user is not None:
        return go(path)
    with call.store.read() as session:
        user = session.get_one(User, result["account"])
    return start_session(call, user, path)


def link(call: CampaignCall, secret: str) -> dict[str, Any]:
    """Return an invitation link; it is shown only once."""
    return {"link": f"{call.request.base_url}campaigns/invitations/{secret}", "days": accounts.LINK_DAYS}


def team_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    phases = [
        {"info": phase, "state": submissions.submit_state(server, viewer, phase.phase.name)} for phase in info.phases
    ]
    own = next(team for team in teams.list_teams(server, viewer) if team.is_own)
    return {
        "title": own.name,
        "team": own,
        "now": server.clock(),
        "phases": phases,
        "submissions": submissions.list_submissions(server, viewer, own=True),
        "counts": info.definition.counts,
        "tracks": info.definition.tracks,
    }


def download_input(call: CampaignCall) -> Download:
    """Return the blind input. This is a POST request because it can start the team's submission window."""
    return submissions.download_input(call.state.campaigns, call.seen_by, call.path("phase"))


def submit(call: CampaignCall) -> Receipt:
    return submissions.submit(
        call.state.campaigns, call.seen_by, call.path("phase"), run=call.text("run"), **_read_upload(call)
    )


def check(call: CampaignCall) -> dict[str, Any]:
    """Check a submission without storing or counting it."""
    problems = submissions.check(call.state.campaigns, call.seen_by, call.path("phase"), **_read_upload(call))
    return {"findings": problems}


def _read_upload(call: CampaignCall) -> dict[str, Any]:
    files = [file for file in call.files if file.filename]
    if len(files) != 1:
        message = (
            f"{len(files)} files uploaded; combine them in one zip archive"
            if files
            else "no file selected; choose the submission file"
        )
        raise CoindexError(message, code="invalid-input")
    return {"file_name": files[0].filename or "submission", "content": files[0].file.read()}


def after_submit(call: CampaignCall, receipt: Receipt) -> Response:
    """Redirect to the submission, or show its errors."""
    if receipt.submission is not None:
        return go(f"{base(call)}/submissions/{receipt.submission}")
    return _show_findings(call, receipt.findings, title="Submission rejected", is_check=False, status=422)


def after_check(call: CampaignCall, result: dict[str, Any]) -> Response:
    return _show_findings(call, result["findings"], title="Check result", is_check=True, status=200)


def _show_findings(call: CampaignCall, findings: list[Any], *, title: str, is_check: bool, status: int) -> Response:
    errors = sum(problem.severity == "error" for problem in findings)
    values = {"title": title, "findings": findings, "errors": errors, "is_check": is_check}
    return render_page(call, "refused", {**values, "phase": call.path("phase")}, status=status)


def invite_member(call: CampaignCall) -> dict[str, Any]:
    return link(call, teams.invite_member(call.state.campaigns, call.seen_by))


def show_link(call: CampaignCall, result: dict[str, Any]) -> Response:
    back = f"{base(call)}/team" if call.who == "participant" else f"{base(call)}/teams"
    return show(call, "link.html", title="Invitation link", back=back, **result)


def rename(call: CampaignCall) -> None:
    teams.rename_team(call.state.campaigns, call.seen_by, call.text("name"))


def leave(call: CampaignCall) -> None:
    teams.leave(call.state.campaigns, call.seen_by)


def remove_member(call: CampaignCall) -> None:
    teams.remove_member(call.state.campaigns, call.seen_by, call.text("name"))


def runs_page(call: CampaignCall) -> dict[str, Any]:
    """Return tables of the team's runs whose scores are visible."""
    server, viewer = call.state.campaigns, call.seen_by
    info = organising.get_campaign(server, viewer)
    rows = []
    for phase in info.phases:
        for track in info.definition.tracks:
            table = visible_or_none(boards.own_runs, server, viewer, phase.phase.name, track.name)
            if table is not None and table.rows:
                rows.append({"phase": phase.phase.name, "track": track.name, "table": table})
    return {"title": "Compare submissions", "tables": rows}


def visible_or_none(find: Any, *arguments: Any) -> Any:
    """Return the result of `find`, or None if it is not visible."""
    try:
        return find(*arguments)
    except NotFoundError:
        return None


def _id(call: CampaignCall) -> int:
    return int(call.request.path_params["submission"])


def submissions_page(call: CampaignCall) -> dict[str, Any]:
    server, viewer = call.state.campaigns, call.seen_by
    phase = call.query("phase") or None
    return {
        "title": "Submissions",
        "submissions": submissions.list_submissions(server, viewer, phase=phase),
        "tracks": organising.get_campaign(server, viewer).definition.tracks,
        "phase": phase or "",
    }


def submission_page(call: CampaignCall) -> dict[str, Any]:
    """Return a submission with everything that the viewer may see."""
    server, viewer = call.state.campaigns, call.seen_by
    info = submissions.submission(server, viewer, _id(call))
    definition = organising.get_campaign(server, viewer).definition
    documents = {}
    if info.state == "done":
        for track in definition.tracks:
            table = visible_or_none(boards.document_scores, server, viewer, info.id, track.name)
            if table is not None and table.rows:
                documents[track.name] = table
    return {
        "title": f"Submission {info.number} of {info.team}",
        "waits": waiting_text(info),
        "submission": info,
        "tracks": definition.tracks,
        "counts": definition.counts,
        "documents": documents,
        "history": key_review.score_history(server, viewer, info.id) if viewer.role == "organiser" else [],
    }


def submission_state(call: CampaignCall) -> dict[str, Any]:
    """Return the state and progress of a submission, for polling."""
    info = submissions.submission(call.state.campaigns, call.seen_by, _id(call))
    return {"id": info.id, "state": info.state, "text": waiting_text(info), "progress": info.progress}


def waiting_text(info: SubmissionInfo) -> str:
    """Return the status text of a queued or running submission."""
    if info.state == "waiting":
        return "Queued for scoring."
    return (str(info.progress) or "Scoring is in progress.") if info.state == "scoring" else ""


def errors_page(call: CampaignCall) -> dict[str, Any]:
    """Return the errors in a document."""
    track, dataset, document = (call.query(name) for name in ("track", "dataset", "document"))
    page_data = boards.document_errors(
        call.state.campaigns, call.seen_by, _id(call), track, dataset=dataset, document=document
    )
    return {
        "title": f"Errors in {document}",
        "submission": _id(call),
        "track": track,
        "dataset": dataset,
        "document": document,
        "errors": page_data,
    }


def file(call: CampaignCall) -> Download:
    return submissions.download_submission(call.state.campaigns, call.seen_by, _id(call))


def cancel(call: CampaignCall) -> None:
    submissions.cancel(call.state.campaigns, call.seen_by, _id(call))


def choose(call: CampaignCall) -> None:
    submissions.choose(call.state.campaigns, call.seen_by, _id(call), call.text("track"))


def retry(call: CampaignCall) -> None:
    key_review.retry(call.state.campaigns, call.seen_by, _id(call))
