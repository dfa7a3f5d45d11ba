"""Downloads of inputs, uploads of submissions, and submissions as somebody may see them."""

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
from .boards import PhaseView, told_failure, view_phase
from .checking import Finding
from .definition import Phase
from .job_files import current_scores
from .keys import Download, perform_with
from .models import FILE_NAME, UNCOUNTED, FileRow, Job, SubmissionRow
from .queries import add_submission, submissions
from .sandbox import TaskError
from .server import CampaignServer, ClosedError, ForbiddenError, NotFoundError
from .setups import Setup, get_setup
from .viewers import Viewer, definition_of, find_phase, member
from .visibility import Answer, Submitted, deadline, may_download, may_submit, state


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
        first = queries.first_download(session, team, phase)
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
    first = queries.first_download(session, team, phase.name)
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
            f"{name}: {len(content):,} bytes; expected {limits.upload_bytes:,} at most; pack it as a zip",
            code="upload-too-large",
        )
    try:
        found = perform_with(server, setup, "check", name, content)
    except TaskError as error:
        stopped = Finding(
            file=name, found=error.found, expected="what can be checked", remedy="send less at once", code=error.code
        )
        return [stopped], []
    return [Finding(**one) for one in found["findings"]], list(found["tracks"])


def clean_file_name(name: str) -> str:
    """The name of an uploaded file without folders; one that cannot be kept is refused."""
    bare = PurePosixPath(name.replace("\\", "/")).name.strip()
    odd = not bare or bare.startswith(".") or not bare.isprintable() or len(bare.encode()) > FILE_NAME - 20
    if odd or bare in ("result.json", "scores", "received"):
        raise CoindexError(
            f"{name!r}: a file name that cannot be kept; expected one like answer.zip; rename the file",
            code="unsafe-file-name",
        )
    return bare


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the scoring is: so many datasets of so many, and which comes next."""

    done: int = 0
    total: int = 0
    step: str = ""

    def __str__(self) -> str:
        return f"scoring {self.step}, {self.done + 1} of {self.total}" if self.total else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionInfo:
    """A submission under the name of its team that the viewer sees."""

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
    """The primary metric by track; None where scores are hidden."""
    missing: dict[str, list[str]] = field(default_factory=dict)
    """Datasets without an answer by track."""
    chosen_for: list[str] = field(default_factory=list)
    file_name: str | None = None
    size: int | None = None
    by: str | None = None


def list_submissions(
    server: CampaignServer, viewer: Viewer, *, phase: str | None = None, own: bool = False
) -> list[SubmissionInfo]:
    """Submissions, the newest first: all for organisers, else one's own and those whose scores are shown."""
    found = []
    with server.store.read() as session:
        _, definition = definition_of(session, viewer)
        for one in definition.phases:
            if phase is None or one.name == phase:
                found += _of_phase(server, session, viewer, one.name, own=own)
    return sorted(found, key=lambda one: one.id, reverse=True)


def submission(server: CampaignServer, viewer: Viewer, id: int) -> SubmissionInfo:
    """One submission that the viewer may see."""
    with server.store.read() as session:
        row = _own(session, viewer, id, shown=True)
        found = _of_phase(server, session, viewer, row.phase, only=id)
    if not found:
        raise NotFoundError(_missing(id))
    return found[0]


def _missing(id: int) -> str:
    return f"there is no submission {id} to see; choose one of the list"


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
    """The name and size of each file, and who sent it."""
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
        failure=view.aliases.text(told_failure(row.failure, row, viewer)),
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
    """A submission of the viewer's own team, or any for organisers; `shown`: whose it is is looked at later."""
    row = kept.get_submission(session, id)
    is_there = row is not None and row.campaign_id == viewer.campaign
    if row is None or not is_there or not (shown or viewer.is_organiser or row.team_id == viewer.team):
        raise NotFoundError(_missing(id))
    return row


def download_submission(server: CampaignServer, viewer: Viewer, id: int) -> Download:
    """What was sent, byte for byte."""
    with server.store.read() as session:
        row = _own(session, viewer, id)
        name = session.get_one(FileRow, row.file_id).name
        content = queries.file_content(session, row.file_id)
    return Download(name=name, content=content, media="application/octet-stream")


def choose(server: CampaignServer, viewer: Viewer, id: int, track: str) -> None:
    """Make a submission the one that counts in a track; teams until the phase is over, organisers also later."""
    at = server.clock()
    with server.store.write() as session:
        _, definition = definition_of(session, viewer)
        row = _own(session, viewer, id)
        queries.lock_team(session, row.team_id)
        phase = definition.phase(row.phase)
        if definition.counts != "chosen":
            raise CoindexError(
                f"in this campaign the {definition.counts} run of a team counts; there is no choice",
                code="invalid-input",
            )
        if state(at, phase) == "over" and not viewer.is_organiser:
            raise ClosedError(Answer(False, f"{phase.name} is over; the choice stays as it is"))
        session.refresh(row)
        if track not in row.tracks or row.outcome in ("failed", "cancelled"):
            raise CoindexError(
                f"run {row.run!r} does not count in {track!r}; choose one that was scored there", code="wrong-state"
            )
        kept.choose(session, row, track)
        about = {"team": row.team_id, "phase": row.phase, "track": track, "number": row.number}
        queries.record(session, viewer.campaign, "run chosen", by=viewer.user, at=at, **about)


def cancel(server: CampaignServer, viewer: Viewer, id: int) -> None:
    """Take a submission back: it never counts. Teams may while it has no score, organisers always."""
    at = server.clock()
    with server.store.write() as session:
        queries.lock_campaign(session, viewer.campaign, share=True)
        row = _own(session, viewer, id)
        queries.lock_team(session, row.team_id)
        jobs.cancel_jobs(session, row.id, at=at)
        session.refresh(row)
        if row.outcome and not viewer.is_organiser:
            raise ClosedError(Answer(False, f"run {row.run!r} was scored already; ask the organisers"))
        row.outcome, row.failure = "cancelled", ""
        kept.drop_choices(session, row.id)
        about = {"team": row.team_id, "phase": row.phase, "number": row.number}
        queries.record(session, viewer.campaign, "cancelled", by=viewer.user, at=at, **about)
