"""Downloads of inputs and uploads of submissions: what the windows and limits allow, and nothing twice at once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath

from sqlalchemy.orm import Session

from ...campaigns.checking import Finding
from ...campaigns.definition import Phase
from ...campaigns.windows import Answer, Submitted, deadline, may_download, may_submit
from ...errors import CoindexError
from ...store.campaigns import definitions, jobs, keys, teams
from ...store.campaigns.models import FILE_NAME, UNCOUNTED
from ...store.campaigns.submissions import add_submission, submissions
from .keys import Download, perform_with
from .nursery import TaskError
from .server import CampaignServer, ClosedError, ForbiddenError
from .setups import Setup, get_setup
from .viewing import Viewer, definition_of, find_phase, member


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitState:
    """Whether a team may download and submit now, and what it has left."""

    download: Answer
    submit: Answer
    today: int
    total: int
    limit_a_day: int | None
    limit_total: int | None
    first_download: datetime | None
    deadline: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What came of an upload: the number of the submission, or None where the findings refuse it."""

    submission: int | None
    number: int | None = None
    findings: list[Finding]


# --- windows


def submit_state(server: CampaignServer, viewer: Viewer, phase: str) -> SubmitState:
    """What the viewer's team may do in a phase now."""
    team, _ = member(viewer)
    at = server.clock()
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        found = find_phase(definition, phase)
        sent = _sent(session, viewer.campaign, team, phase)
        first = teams.first_download(session, team, phase)
    counted = [one.at for one in sent if not one.failed]
    return SubmitState(
        download=may_download(at, found),
        submit=may_submit(at, found, downloaded=first, submitted=sent),
        today=sum(one.astimezone(UTC).date() == at.astimezone(UTC).date() for one in counted),
        total=len(counted),
        limit_a_day=found.limit_a_day,
        limit_total=found.limit_total,
        first_download=first,
        deadline=deadline(found, first),
    )


def _sent(session: Session, campaign: int, team: int, phase: str) -> list[Submitted]:
    rows = submissions(session, campaign, phase=phase, team=team)
    return [Submitted(row.at, failed=row.outcome in UNCOUNTED) for row in rows]


def _check_window(session: Session, viewer: Viewer, team: int, phase: Phase, at: datetime) -> None:
    first = teams.first_download(session, team, phase.name)
    answer = may_submit(at, phase, downloaded=first, submitted=_sent(session, viewer.campaign, team, phase.name))
    if not answer:
        raise ClosedError(answer)


def download_input(server: CampaignServer, viewer: Viewer, phase: str) -> Download:
    """The blind input as a zip. A team's first download of a phase is noted: its hours run from then."""
    at = server.clock()
    if viewer.team is None and not viewer.is_organiser:
        raise ForbiddenError("only teams may download the input; register one, or join one by an invitation")
    with server.store.read() as session:
        row, definition = definition_of(session, viewer)
        found = find_phase(definition, phase)
        answer = may_download(at, found)
        if not answer and not viewer.is_organiser:
            raise ClosedError(answer)
        setup = get_setup(session, row.id, phase)
        content = keys.file_content(session, setup.input_file)
    if answer and viewer.team is not None:
        with server.store.write() as session:
            teams.lock_team(session, viewer.team)
            teams.note_download(session, viewer.team, phase, at=at)
    return Download(name=f"{row.name}-{phase}-input.zip", content=content)


# --- uploads


def submit(
    server: CampaignServer, viewer: Viewer, phase: str, *, file_name: str, content: bytes, run: str = ""
) -> Receipt:
    """Take a submission: a file, a zip or a .gz. The time that counts is that of its arrival.

    It is checked as `coindex campaign check` does, at once, and refused with all that is wrong; one that is taken is
    queued for scoring. Limits hold however many arrive at once: they are looked at in the transaction that keeps it.
    """
    team, user = member(viewer)
    at = server.clock()
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        _check_window(session, viewer, team, find_phase(definition, phase), at)
        setup = get_setup(session, viewer.campaign, phase)
    findings, tracks = _checked(server, setup, file_name, content)
    errors = [finding for finding in findings if finding.severity == "error"]
    with server.store.write() as session:
        row = definitions.lock_campaign(session, viewer.campaign, share=True)
        teams.lock_team(session, team)
        if errors:
            about = {"team": team, "phase": phase, "errors": len(errors)}
            definitions.record(session, row.id, "submission refused", by=user, at=at, **about)
            return Receipt(submission=None, findings=findings)
        _, definition = definition_of(session, viewer)
        _check_window(session, viewer, team, find_phase(definition, phase), at)
        kept = add_submission(
            session,
            row.id,
            team,
            phase,
            run=run,
            tracks=tracks,
            name=clean_file_name(file_name),
            content=content,
            by=user,
            at=at,
        )
        jobs.add_job(session, row.id, "score", at=at, submission=kept.id)
        definitions.record(session, row.id, "submitted", by=user, at=at, team=team, phase=phase, number=kept.number)
        return Receipt(submission=kept.id, number=kept.number, findings=findings)


def check(server: CampaignServer, viewer: Viewer, phase: str, *, file_name: str, content: bytes) -> list[Finding]:
    """What is wrong with a submission, without sending it; nothing is counted or kept."""
    if not viewer.is_organiser:
        member(viewer)
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        answer = may_download(server.clock(), find_phase(definition, phase))
        if not answer and not viewer.is_organiser:
            raise ClosedError(answer)
        setup = get_setup(session, viewer.campaign, phase)
    return _checked(server, setup, file_name, content)[0]


def _checked(server: CampaignServer, setup: Setup, file_name: str, content: bytes) -> tuple[list[Finding], list[str]]:
    """The findings, and the tracks that are answered; in a process of its own, within limits."""
    name, limits = clean_file_name(file_name), server.limits
    if len(content) > limits.upload_bytes:
        raise CoindexError(
            f"{name}: {len(content):,} bytes; expected {limits.upload_bytes:,} at most; pack it as a zip"
        )
    try:
        found = perform_with(server, setup, "check", name, content)
    except TaskError as error:
        stopped = Finding(file=name, found=str(error), expected="what can be checked", remedy="send less at once")
        return [stopped], []
    return [Finding(**one) for one in found["findings"]], list(found["tracks"])


def clean_file_name(name: str) -> str:
    """The name of an uploaded file without folders; one that cannot be kept is refused."""
    bare = PurePosixPath(name.replace("\\", "/")).name.strip()
    odd = not bare or bare.startswith(".") or not bare.isprintable() or len(bare.encode()) > FILE_NAME - 20
    if odd or bare in ("result.json", "scores", "received"):
        raise CoindexError(f"{name!r}: a file name that cannot be kept; expected one like answer.zip; rename the file")
    return bare
