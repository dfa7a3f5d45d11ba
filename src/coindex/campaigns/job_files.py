"""Prepare the files of a job in a folder for the sandbox process, which has no access to the database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sqlalchemy.orm import Session

from ..errors import CoindexError
from . import queries
from .jobs import Lease
from .key_review import find_wanted_sources
from .keys import key_unpacker
from .models import FileRow, ScoreRow, SubmissionRow
from .queries import choices, get_submission, records_of, scores_in, scores_of, submissions
from .sandbox import Sandbox
from .sandbox_process import Request
from .scoring import RUN, Source
from .server import CampaignServer
from .setups import Setup, find_setup


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """A task that is ready to run, with its setup."""

    setup: Setup
    request: Request


@contextmanager
def assemble(server: CampaignServer, sandbox: Sandbox, lease: Lease) -> Iterator[Assembly | None]:
    """Yield the task of a job, or None if there is nothing to do."""
    with sandbox.task_folder() as folder:
        with server.store.read() as session:
            assembly = _assemble(server, session, lease, folder)
        if assembly is not None:
            file = assembly.setup.key_file
            key = sandbox.key(str(file), key_unpacker(server, file))
            assembly = replace(assembly, request=replace(assembly.request, key=str(key)))
        yield assembly


def _assemble(server: CampaignServer, session: Session, lease: Lease, folder: Path) -> Assembly | None:
    row = queries.get_campaign(session, lease.campaign)
    phase, file = _about(session, lease)
    if phase is None:
        return None
    setup = find_setup(session, row, phase)
    if setup is None:
        raise CoindexError(f"the phase {phase} has no key; upload one, then score again", code="missing-key")
    request = _request(server, setup, lease, folder)
    if file is not None:
        return Assembly(setup=setup, request=replace(request, name=_write(session, file, folder)))
    return Assembly(setup=setup, request=_add_submissions(session, setup, lease, request))


def _about(session: Session, lease: Lease) -> tuple[str | None, int | None]:
    """Return the phase of a job and the file of its submission; None for both if the job is obsolete."""
    if lease.kind != "score":
        return str(lease.detail["phase"]), None
    submission = get_submission(session, lease.submission or 0)
    if submission is None or submission.outcome == "cancelled":
        return None, None
    row = queries.get_campaign(session, lease.campaign)
    setup = find_setup(session, row, submission.phase)
    if setup is not None:
        known = {(score.track, score.source) for score in scores_of(session, submission.id)}
        if find_wanted_sources(submission, setup) <= known:
            return None, None
    return submission.phase, submission.file_id


def _request(server: CampaignServer, setup: Setup, lease: Lease, folder: Path) -> Request:
    limits = server.limits
    return Request(
        kind=lease.kind,
        folder=str(folder),
        definition=setup.text,
        key="",
        chains=tuple(asdict(disputed) for disputed in setup.chains),
        track=str(lease.detail.get("track", "")),
        size=int(lease.detail.get("size", 0)),
        seed=int(lease.detail.get("seed", 0)),
        seconds=limits.score_seconds if lease.kind == "score" else limits.report_seconds,
        memory=limits.memory,
    )


def _write(session: Session, file: int, folder: Path) -> str:
    """Write the file of a submission to a folder and return its name."""
    name = session.get_one(FileRow, file).name
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(queries.file_content(session, file))
    return name


# --- tasks about all submissions of a phase


def current_scores(session: Session, setup: Setup) -> list[tuple[SubmissionRow, ScoreRow]]:
    """Return the current scores of a phase with their submissions, without cancelled ones."""
    sources = setup.sources()
    rows = {row.id: row for row in submissions(session, setup.campaign, phase=setup.phase)}
    runs = []
    for score in scores_in(session, setup.campaign, phase=setup.phase):
        row = rows[score.submission_id]
        if row.outcome != "cancelled" and sources.get(score.track) == score.source:
            runs.append((row, score))
    return runs


def _add_submissions(session: Session, setup: Setup, lease: Lease, request: Request) -> Request:
    """Add all scored submissions to a request, with their scores so that they are not computed again."""
    folder = Path(request.folder)
    registered = {team.id: team for team in queries.all_teams(session, setup.campaign)}
    scored = [(row, score) for row, score in current_scores(session, setup) if not score.failure]
    if not scored:
        raise CoindexError(f"no submission of {setup.phase} has been scored yet", code="nothing-scored")
    received = []
    for row in {row.id: row for row, _ in scored}.values():
        name = _write(session, row.file_id, folder / f"file-{row.id}")
        received.append((queries.file_team(row.team_id), str(row.number), f"file-{row.id}/{name}"))
    _write_records(session, scored, folder / "scores")
    hides = bool(lease.detail.get("anonymous"))
    names = {queries.file_team(team.id): team.alias if hides else team.name for team in registered.values()}
    return replace(
        request,
        received=tuple(received),
        names={team: name for team, name in names.items() if any(team == entry[0] for entry in received)},
        chosen=_select_runs(session, setup, scored),
    )


def _write_records(session: Session, scored: Sequence[tuple[SubmissionRow, ScoreRow]], folder: Path) -> None:
    records = records_of(session, [score.id for _, score in scored])
    for row, score in scored:
        own = folder / score.track / f"{queries.file_team(row.team_id)}{RUN}{row.number}"
        own.mkdir(parents=True, exist_ok=True)
        for dataset, record in records[score.id].items():
            name = Source(**record["source"]).name(record["signature"])
            (own / f"{dataset}-{name}.json").write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")


def _select_runs(session: Session, setup: Setup, scored: Sequence[tuple[SubmissionRow, ScoreRow]]) -> dict[str, str]:
    """Return the runs that teams selected, if the campaign ranks selected runs; the first one if there are several."""
    if setup.definition.counts != "chosen":
        return {}
    numbers = {row.id: row.number for row, _ in scored}
    scores: dict[str, str] = {}
    for choice in choices(session, setup.campaign):
        if choice.phase == setup.phase and choice.submission_id in numbers:
            scores.setdefault(queries.file_team(choice.team_id), str(numbers[choice.submission_id]))
    return scores
