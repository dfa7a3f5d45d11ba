"""Download inputs, upload submissions, and list submissions as a viewer may see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import CoindexError
from ..server.models import User
from . import jobs, queries
from . import queries as kept
from .boards import PhaseView, view_phase, visible_failure
from .checking import SubmissionProblem
from .definition import Phase
from .job_files import current_scores
from .keys import Download, perform_with
from .models import FILE_NAME, UNCOUNTED, FileRow, Job, SubmissionRow
from .queries import add_submission, submissions
from .sandbox import TaskError
from .server import (
    CampaignServer,
    ClosedError,
    ForbiddenError,
    NotFoundError,
    Viewer,
    definition_of,
    find_phase,
    member,
)
from .setups import Setup, get_setup
from .visibility import Answer, Submitted, deadline, may_download, may_submit, state


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitState:
    """Whether a team can download and submit now, and its use of the limits."""

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
    """The result of an upload: the id of the submission, or None if the findings reject it."""

    submission: int | None
    number: int | None = None
    findings: list[SubmissionProblem]


# --- windows


def submit_state(server: CampaignServer, viewer: Viewer, phase: str) -> SubmitState:
    """Return what the viewer's team can do in a phase now."""
    team, _ = member(viewer)
    at = server.clock()
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        phase_definition = find_phase(definition, phase)
        sent = _find_sent(session, viewer.campaign, team, phase)
        first = queries.first_download(session, team, phase)
    counted = [submission.at for submission in sent if not submission.failed]
    return SubmitState(
        download=may_download(at, phase_definition),
        submit=may_submit(at, phase_definition, downloaded=first, submitted=sent),
        today=sum(sent_at.astimezone(UTC).date() == at.astimezone(UTC).date() for sent_at in counted),
        total=len(counted),
        limit_a_day=phase_definition.limit_a_day,
        limit_total=phase_definition.limit_total,
        first_download=first,
        deadline=deadline(phase_definition, first),
    )


def _find_sent(session: Session, campaign: int, team: int, phase: str) -> list[Submitted]:
    rows = submissions(session, campaign, phase=phase, team=team)
    return [Submitted(row.at, failed=row.outcome in UNCOUNTED) for row in rows]


def _check_window(session: Session, viewer: Viewer, team: int, phase: Phase, at: datetime) -> None:
    first = queries.first_download(session, team, phase.name)
    answer = may_submit(at, phase, downloaded=first, submitted=_find_sent(session, viewer.campaign, team, phase.name))
    if not answer:
        raise ClosedError(answer)


def download_input(server: CampaignServer, viewer: Viewer, phase: str) -> Download:
    """Return the blind input as a zip archive; the first download of a team can start its submission window."""
    at = server.clock()
    if viewer.team is None and not viewer.is_organiser:
        raise ForbiddenError("only teams can download the input; register a team, or join one with an invitation link")
    with server.store.read() as session:
        row, definition = definition_of(session, viewer)
        phase_definition = find_phase(definition, phase)
        answer = may_download(at, phase_definition)
        if not answer and not viewer.is_organiser:
            raise ClosedError(answer)
        setup = get_setup(session, row.id, phase)
        content = queries.file_content(session, setup.input_file)
    if answer and viewer.team is not None:
        with server.store.write() as session:
            queries.lock_team(session, viewer.team)
            queries.note_download(session, viewer.team, phase, at=at)
    return Download(name=f"{row.name}-{phase}-input.zip", content=content)


# --- uploads


def submit(
    server: CampaignServer, viewer: Viewer, phase: str, *, file_name: str, content: bytes, run: str = ""
) -> Receipt:
    """Check a submission (a file, a zip or a .gz), store it and queue it for scoring.

    The check is the same as in `coindex campaign check`; errors reject the submission. The deadline applies to the time
    of arrival. Limits are checked again in the transaction that stores the submission, so concurrent uploads cannot
    exceed them.
    """
    team, user = member(viewer)
    at = server.clock()
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        _check_window(session, viewer, team, find_phase(definition, phase), at)
        setup = get_setup(session, viewer.campaign, phase)
    findings, tracks = _check_upload(server, setup, file_name, content)
    errors = [finding for finding in findings if finding.severity == "error"]
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign, share=True)
        queries.lock_team(session, team)
        if errors:
            about = {"team": team, "phase": phase, "errors": len(errors)}
            queries.record(session, row.id, "submission refused", by=user, at=at, **about)
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
        queries.record(session, row.id, "submitted", by=user, at=at, team=team, phase=phase, number=kept.number)
        return Receipt(submission=kept.id, number=kept.number, findings=findings)


def check(
    server: CampaignServer, viewer: Viewer, phase: str, *, file_name: str, content: bytes
) -> list[SubmissionProblem]:
    """Return the problems in a submission without storing or counting it."""
    if not viewer.is_organiser:
        member(viewer)
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        answer = may_download(server.clock(), find_phase(definition, phase))
        if not answer and not viewer.is_organiser:
            raise ClosedError(answer)
        setup = get_setup(session, viewer.campaign, phase)
    return _check_upload(server, setup, file_name, content)[0]


def _check_upload(
    server: CampaignServer, setup: Setup, file_name: str, content: bytes
) -> tuple[list[SubmissionProblem], list[str]]:
    """Check an upload in a sandbox; return the findings and the tracks with a response."""
    name, limits = clean_file_name(file_name), server.limits
    if len(content) > limits.upload_bytes:
        raise CoindexError(
            f"{name}: the file has {len(content):,} bytes, the limit is {limits.upload_bytes:,}; compress it",
            code="upload-too-large",
        )
    try:
        problems = perform_with(server, setup, "check", name, content)
    except TaskError as error:
        stopped = SubmissionProblem(
            file=name,
            found=error.found,
            expected="a submission that can be checked within the limits",
            remedy="submit less data",
            code=error.code,
        )
        return [stopped], []
    return [SubmissionProblem(**problem) for problem in problems["findings"]], list(problems["tracks"])


def clean_file_name(name: str) -> str:
    """Return the name of an uploaded file without folders; raise an error if it is not valid."""
    bare = PurePosixPath(name.replace("\\", "/")).name.strip()
    odd = not bare or bare.startswith(".") or not bare.isprintable() or len(bare.encode()) > FILE_NAME - 20
    if odd or bare in ("result.json", "scores", "received"):
        raise CoindexError(
            f"{name!r} is not a valid file name; rename the file, for example to answer.zip",
            code="unsafe-file-name",
        )
    return bare


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of scoring: completed and total datasets, and the current one."""

    done: int = 0
    total: int = 0
    step: str = ""

    def __str__(self) -> str:
        return f"Scoring {self.step} ({self.done + 1} of {self.total})" if self.total else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionInfo:
    """A submission as the viewer sees it."""

    id: int
    team: str
    is_own: bool
    phase: str
    number: int
    run: str
    tracks: list[str]
    at: datetime
    state: str
    """`waiting`, `scoring`, `done`, `failed` or `cancelled`."""
    progress: Progress
    failure: str = ""
    scores: dict[str, float | None] | None = None
    """The primary metric by track; None if scores are hidden."""
    missing: dict[str, list[str]] = field(default_factory=dict)
    """Datasets without a response by track."""
    chosen_for: list[str] = field(default_factory=list)
    file_name: str | None = None
    size: int | None = None
    by: str | None = None


def list_submissions(
    server: CampaignServer, viewer: Viewer, *, phase: str | None = None, own: bool = False
) -> list[SubmissionInfo]:
    """Return submissions, the newest first: all for organisers, otherwise own ones and those with visible scores."""
    infos = []
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        for phase_info in definition.phases:
            if phase is None or phase_info.name == phase:
                infos += _of_phase(server, session, viewer, phase_info.name, own=own)
    return sorted(infos, key=lambda info: info.id, reverse=True)


def submission(server: CampaignServer, viewer: Viewer, id: int) -> SubmissionInfo:
    """Return a submission that the viewer may see."""
    with server.store.read() as session:
        row = _own(session, viewer, id, shown=True)
        infos = _of_phase(server, session, viewer, row.phase, only=id)
    if not infos:
        raise NotFoundError(_describe_missing(id))
    return infos[0]


def _describe_missing(id: int) -> str:
    return f"submission {id} does not exist or is not visible to you"


def _of_phase(
    server: CampaignServer, session: Session, viewer: Viewer, phase: str, *, own: bool = False, only: int | None = None
) -> list[SubmissionInfo]:
    view = view_phase(server, session, viewer, phase)
    rows = [
        row
        for row in kept.submissions(session, viewer.campaign, phase=phase)
        if (only is None or row.id == only) and _is_seen(row, viewer, view, own=own)
    ]
    last = jobs.last_jobs(session, viewer.campaign)
    scores: dict[int, dict[str, tuple[float | None, list[str]]]] = {}
    if view.setup is not None:
        for row, score in current_scores(session, view.setup):
            scores.setdefault(row.id, {})[score.track] = (score.score, list(score.missing))
    picked: dict[int, list[str]] = {}
    for choice in kept.choices(session, viewer.campaign):
        picked.setdefault(choice.submission_id, []).append(choice.track)
    files = _files(session, rows)
    return [
        _info(row, viewer, view, last.get(row.id), scores.get(row.id, {}), picked.get(row.id, []), files[row.id])
        for row in rows
    ]


def _files(session: Session, rows: list[SubmissionRow]) -> dict[int, tuple[str, int, str | None]]:
    """Return the name, size and uploader of each file."""
    query = (
        select(SubmissionRow.id, FileRow.name, FileRow.size, User.name)
        .join(FileRow, FileRow.id == SubmissionRow.file_id)
        .outerjoin(User, User.id == SubmissionRow.user_id)
        .where(SubmissionRow.id.in_([row.id for row in rows]))
    )
    return {id: (name, size, user) for id, name, size, user in session.execute(query)}


def _is_seen(row: SubmissionRow, viewer: Viewer, view: PhaseView, *, own: bool) -> bool:
    if row.team_id == viewer.team:
        return True
    return not own and (viewer.is_organiser or (view.sees_all and row.outcome == "scored"))


def _info(
    row: SubmissionRow,
    viewer: Viewer,
    view: PhaseView,
    job: Job | None,
    scores: Mapping[str, tuple[float | None, list[str]]],
    picked: list[str],
    file: tuple[str, int, str | None],
) -> SubmissionInfo:
    knows = viewer.is_organiser or row.team_id == viewer.team
    shows = view.shows(row.team_id, viewer)
    now, progress = _state(row, job)
    name = view.aliases.of(view.teams[row.team_id].name)
    is_named = name == view.teams[row.team_id].name
    return SubmissionInfo(
        id=row.id,
        team=name,
        is_own=row.team_id == viewer.team,
        phase=row.phase,
        number=row.number,
        run=row.run if is_named else str(row.number),
        tracks=list(row.tracks),
        at=row.at,
        state=now,
        progress=progress,
        failure=view.aliases.text(visible_failure(row.failure, row, viewer)),
        scores={track: score for track, (score, _) in scores.items()} if shows else None,
        missing={track: missing for track, (_, missing) in scores.items() if missing} if knows else {},
        chosen_for=picked if knows or shows else [],
        file_name=file[0] if knows else None,
        size=file[1] if knows else None,
        by=file[2] if knows else None,
    )


def _state(row: SubmissionRow, job: Job | None) -> tuple[str, Progress]:
    if row.outcome == "cancelled":
        return "cancelled", Progress()
    if job is not None and job.state == "running":
        return "scoring", Progress(done=job.done, total=job.total, step=job.step)
    if job is not None and job.state == "waiting":
        return "waiting", Progress()
    return ("failed" if row.outcome == "failed" else "done"), Progress()


def _own(session: Session, viewer: Viewer, id: int, *, shown: bool = False) -> SubmissionRow:
    """Return a submission of the viewer's team, or any for organisers; `shown`: the caller checks visibility."""
    row = kept.get_submission(session, id)
    is_there = row is not None and row.campaign_id == viewer.campaign
    if row is None or not is_there or not (shown or viewer.is_organiser or row.team_id == viewer.team):
        raise NotFoundError(_describe_missing(id))
    return row


def download_submission(server: CampaignServer, viewer: Viewer, id: int) -> Download:
    """Return the submitted file unchanged."""
    with server.store.read() as session:
        row = _own(session, viewer, id)
        name = session.get_one(FileRow, row.file_id).name
        content = queries.file_content(session, row.file_id)
    return Download(name=name, content=content, media="application/octet-stream")


def choose(server: CampaignServer, viewer: Viewer, id: int, track: str) -> None:
    """Select a submission for the leaderboard of a track; teams until the phase closes, organisers at any time."""
    at = server.clock()
    with server.store.write() as session:
        _, definition = definition_of(session, viewer)
        row = _own(session, viewer, id)
        queries.lock_team(session, row.team_id)
        phase = definition.phase(row.phase)
        if definition.counts != "chosen":
            raise CoindexError(
                f"this campaign ranks the {definition.counts} run of each team; runs cannot be selected",
                code="invalid-input",
            )
        if state(at, phase) == "over" and not viewer.is_organiser:
            raise ClosedError(Answer(False, f"{phase.name} is closed; the selection cannot be changed"))
        session.refresh(row)
        if track not in row.tracks or row.outcome in ("failed", "cancelled"):
            raise CoindexError(
                f"run {row.run!r} has no score in the track {track!r}; select a scored run", code="wrong-state"
            )
        kept.choose(session, row, track)
        about = {"team": row.team_id, "phase": row.phase, "track": track, "number": row.number}
        queries.record(session, viewer.campaign, "run chosen", by=viewer.user, at=at, **about)


def cancel(server: CampaignServer, viewer: Viewer, id: int) -> None:
    """Withdraw a submission; teams can do so until it is scored, organisers at any time."""
    at = server.clock()
    with server.store.write() as session:
        queries.lock_campaign(session, viewer.campaign, share=True)
        row = _own(session, viewer, id)
        queries.lock_team(session, row.team_id)
        jobs.cancel_jobs(session, row.id, at=at)
        session.refresh(row)
        if row.outcome and not viewer.is_organiser:
            raise ClosedError(
                Answer(False, f"run {row.run!r} has already been scored; ask the organisers to cancel it")
            )
        row.outcome, row.failure = "cancelled", ""
        kept.drop_choices(session, row.id)
        about = {"team": row.team_id, "phase": row.phase, "number": row.number}
        queries.record(session, viewer.campaign, "cancelled", by=viewer.user, at=at, **about)
