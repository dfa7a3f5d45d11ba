"""Review of the key: result tables, random samples, excluded chains, and rescoring.

Submissions are rescored after a chain is excluded or included, a key is replaced, the definition changes, or coindex is
upgraded. Old scores are never changed. Leaderboards show the scores of the current setup; see `setups.Setup.source`.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..analysis.tables import Table
from ..corpora.files import read_annotated
from ..errors import CoindexError, UnknownNameError
from ..server.accounts import clean_text
from ..server.uploads import quiet
from . import jobs, queries
from .files import find_datasets, own_part
from .findings import Item, Sample, Verdict, count_verdicts, parse_sample
from .models import CampaignRow, Job, SubmissionRow, VerdictRow
from .queries import get_submission, scores_in, scores_of, submissions
from .sandbox_process import FORMS
from .server import CampaignServer, NotFoundError, Viewer, definition_of, find_phase, organiser
from .setups import (
    DisputedEntity,
    Disputes,
    Setup,
    check_disputes,
    find_setup,
    get_setup,
    parse_definition,
    unpack_folder,
)

RESCORED = "scored anew"  # prose: ok, the stored name of the log action


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchInfo:
    """A chain that was excluded or included, with the reason."""

    at: datetime
    by: str
    phase: str
    dataset: str
    document: str
    entity: str
    is_off: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreVersion:
    """A current or previous score of a submission."""

    track: str
    signature: str
    key: str
    switched_off: str
    score: float | None
    failure: str
    at: datetime
    is_current: bool


# --- the queue


def queue_all(session: Session, row: CampaignRow, *, at: datetime, phase: str | None = None) -> int:
    """Queue all submissions without a current score and return their number. The campaign row must be locked."""
    return jobs.queue_scoring(session, row.id, _find_outdated(session, row, phase), at=at)


def _find_outdated(session: Session, row: CampaignRow, phase: str | None) -> list[int]:
    known: dict[int, set[tuple[str, str]]] = {}
    for score in scores_in(session, row.id, phase=phase):
        known.setdefault(score.submission_id, set()).add((score.track, score.source))
    setups: dict[str, Setup | None] = {}
    versions = []
    for submission in submissions(session, row.id, phase=phase):
        if submission.outcome == "cancelled":
            continue
        if submission.phase not in setups:
            setups[submission.phase] = find_setup(session, row, submission.phase)
        setup = setups[submission.phase]
        if setup is not None and not find_wanted_sources(submission, setup) <= known.get(submission.id, set()):
            versions.append(submission.id)
    return versions


def find_wanted_sources(submission: SubmissionRow, setup: Setup) -> set[tuple[str, str]]:
    """Return the tracks of a submission with their current sources."""
    sources = setup.sources()
    return {(track, sources[track]) for track in submission.tracks if track in sources}


def queue_outdated(server: CampaignServer) -> int:
    """Queue submissions without a current score, for example after an upgrade; jobs that failed are not repeated."""
    queued = 0
    with server.store.read() as session:
        names = [row.id for row in queries.campaigns(session) if _find_unscored(session, row)]
    for campaign in names:
        with server.store.write() as session:
            row = queries.lock_campaign(session, campaign)
            added = jobs.queue_scoring(session, row.id, _find_unscored(session, row), at=server.clock())
            if added:
                at = server.clock()
                queries.record(session, row.id, RESCORED, by=None, at=at, jobs=added, why="another signature")
            queued += added
    return queued


def _find_unscored(session: Session, row: CampaignRow) -> list[int]:
    try:
        outdated = _find_outdated(session, row, None)
    except CoindexError:  # this version cannot read the definition
        return []
    last = jobs.last_jobs(session, row.id)
    return [submission for submission in outdated if submission not in last or last[submission].state == "done"]


def rescore(server: CampaignServer, viewer: Viewer, *, phase: str | None = None, why: str) -> int:
    """Rescore all submissions of a phase or of all phases and return the number of jobs."""
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        if phase is not None:
            find_phase(parse_definition(row.definition), phase)
        sent = [
            submission.id
            for submission in submissions(session, row.id, phase=phase)
            if submission.outcome != "cancelled"
        ]
        queued = jobs.queue_scoring(session, row.id, sent, at=at)
        queries.record(session, row.id, RESCORED, by=by, at=at, phase=phase, jobs=queued, why=why)
        return queued


def retry(server: CampaignServer, viewer: Viewer, submission: int) -> int:
    """Score a submission again and return the number of new jobs, 0 if one is already queued."""
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        submission_row = get_submission(session, submission)
        if submission_row is None or submission_row.campaign_id != row.id or submission_row.outcome == "cancelled":
            raise NotFoundError(f"submission {submission} does not exist or was cancelled")
        queries.record(session, row.id, RESCORED, by=by, at=at, submission=submission)
        return jobs.queue_scoring(session, row.id, [submission], at=at)


# --- chains switched off


def switch_chain(
    server: CampaignServer,
    viewer: Viewer,
    phase: str,
    *,
    document: str,
    entity: str,
    reason: str,
    dataset: str = "",
    off: bool = True,
) -> int:
    """Exclude a chain of a key, or include it again; rescore the phase and return the number of jobs."""
    by, at = organiser(viewer), server.clock()
    if not reason.strip():
        raise CoindexError("enter a reason; it is recorded in the log", code="nothing-given")
    disputed = DisputedEntity(document=document, entity=entity, dataset=dataset, reason=reason)
    with server.store.read() as session:
        row, definition = definition_of(session, viewer)
        find_phase(definition, phase)
        setup = get_setup(session, row.id, phase)
        content = queries.file_content(session, setup.key_file) if off else b""
    if off:
        _check_there(setup, disputed, content)
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        now_off = {
            (switch.dataset, switch.document, switch.entity)
            for switch in queries.find_active_switches(session, row.id, setup.key_phase)
        }
        if ((dataset, document, entity) in now_off) == off:
            raise CoindexError(
                f"the chain {entity!r} is already {'excluded' if off else 'included'}", code="nothing-to-change"
            )
        about = {"dataset": dataset, "document": document, "entity": entity, "reason": reason}
        queries.add_switch(session, row.id, setup.key_phase, **about, is_off=off, by=by, at=at)
        row.revision += 1
        session.flush()
        queued = queue_all(session, row, at=at)
        action = "chain switched off" if off else "chain switched on"
        queries.record(session, row.id, action, by=by, at=at, phase=setup.key_phase, jobs=queued, **about)
        return queued


def _check_there(setup: Setup, disputed: DisputedEntity, content: bytes) -> None:
    """Raise an error if a chain is not in the key."""
    with tempfile.TemporaryDirectory(prefix="coindex-") as name, quiet():
        unpack_folder(content, Path(name))
        datasets = {}
        for track in setup.definition.tracks:
            datasets.update(find_datasets(track, own_part(Path(name), track)))
        docs = {
            dataset: [doc for doc in read_annotated(path) if doc.id == disputed.document]
            for dataset, path in datasets.items()
        }
        check_disputes(Disputes(chains=(disputed,)), docs)


def switches(server: CampaignServer, viewer: Viewer) -> list[SwitchInfo]:
    """Return all exclusions and inclusions of chains, the oldest first."""
    organiser(viewer)
    with server.store.read() as session:
        return [
            SwitchInfo(
                at=row.at,
                by=name or "",
                phase=row.phase,
                dataset=row.dataset,
                document=row.document,
                entity=row.entity,
                is_off=row.is_off,
                reason=row.reason,
            )
            for row, name in queries.switches(session, viewer.campaign)
        ]


def list_excluded_entities(server: CampaignServer, viewer: Viewer, phase: str) -> list[DisputedEntity]:
    """Return the excluded chains of a phase."""
    organiser(viewer)
    with server.store.read() as session:
        return list(get_setup(session, viewer.campaign, phase).chains)


def score_history(server: CampaignServer, viewer: Viewer, submission: int) -> list[ScoreVersion]:
    """Return all scores of a submission, the oldest first."""
    organiser(viewer)
    with server.store.read() as session:
        row = queries.get_campaign(session, viewer.campaign)
        submission_row = get_submission(session, submission)
        if submission_row is None or submission_row.campaign_id != row.id:
            raise NotFoundError(f"there is no submission {submission} in this campaign")
        setup = find_setup(session, row, submission_row.phase)
        current: Iterable[tuple[str, str]] = set() if setup is None else find_wanted_sources(submission_row, setup)
        return [
            ScoreVersion(
                track=score.track,
                signature=score.signature,
                key=score.key,
                switched_off=score.switched_off,
                score=score.score,
                failure=score.failure,
                at=score.at,
                is_current=(score.track, score.source) in current,
            )
            for score in scores_of(session, submission)
        ]


STATES = {"waiting": "waiting", "running": "working", "done": "done", "failed": "failed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsInfo:
    """The state of the result tables of a phase."""

    state: str
    """`none`, `waiting`, `working`, `done` or `failed`."""
    error: str = ""
    asked: datetime | None = None
    finished: datetime | None = None
    is_anonymous: bool = False
    job: int | None = None


def request_findings(server: CampaignServer, viewer: Viewer, phase: str, *, anonymous: bool = False) -> int:
    """Queue the result tables of a phase and return the job id; a waiting job is reused."""
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        queries.lock_campaign(session, viewer.campaign)
        _, definition = definition_of(session, viewer)
        find_phase(definition, phase)
        get_setup(session, viewer.campaign, phase)
        for job in _jobs(session, viewer.campaign, phase):
            if job.state == jobs.WAITING and bool(job.detail.get("anonymous")) == anonymous:
                return job.id
        queries.record(session, viewer.campaign, "findings", by=by, at=at, phase=phase)
        detail = {"phase": phase, "anonymous": anonymous}
        return jobs.add_job(session, viewer.campaign, "findings", at=at, detail=detail)


def _jobs(session: Session, campaign: int, phase: str) -> list[Job]:
    return [job for job in jobs.jobs_of_kind(session, campaign, "findings") if job.detail["phase"] == phase]


def findings_state(server: CampaignServer, viewer: Viewer, phase: str) -> FindingsInfo:
    """Return the state of the latest result tables of a phase."""
    organiser(viewer)
    with server.store.read() as session:
        jobs = _jobs(session, viewer.campaign, phase)
    if not jobs:
        return FindingsInfo(state="none")
    job = jobs[0]
    return FindingsInfo(
        state=STATES[job.state],
        error=job.error,
        asked=job.created,
        finished=job.finished,
        is_anonymous=bool(job.detail.get("anonymous")),
        job=job.id,
    )


def findings(server: CampaignServer, viewer: Viewer, phase: str, form: str) -> str:
    """Return the latest result tables of a phase as html, markdown, csv, latex, json or text."""
    organiser(viewer)
    if form not in FORMS:
        raise UnknownNameError("format", form, FORMS)
    with server.store.read() as session:
        done = [job.id for job in _jobs(session, viewer.campaign, phase) if job.state == "done"]
        result: Any = jobs.job_result(session, done[0]) if done else None
    if result is None:
        raise NotFoundError(f"there are no result tables of {phase} yet; generate them first")
    text: str = result["forms"][form]
    return text


MOST_SIZE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleInfo:
    """A requested sample."""

    id: int
    phase: str
    track: str
    size: int
    seed: int
    state: str
    """`waiting`, `working`, `done` or `failed`."""
    error: str
    at: datetime


def request_sample(
    server: CampaignServer, viewer: Viewer, phase: str, track: str, *, size: int = 50, seed: int = 0
) -> int:
    """Queue a sample of all scored runs of a phase and return its id."""
    by, at = organiser(viewer), server.clock()
    if not 1 <= size <= MOST_SIZE:
        raise CoindexError(
            f"the number of items per category must be between 1 and {MOST_SIZE}, not {size}", code="invalid-input"
        )
    with server.store.write() as session:
        _, definition = definition_of(session, viewer)
        find_phase(definition, phase)
        definition.track(track)
        get_setup(session, viewer.campaign, phase)
        detail = {"phase": phase, "track": track, "size": size, "seed": seed}
        queries.record(session, viewer.campaign, "sample", by=by, at=at, **detail)
        return jobs.add_job(session, viewer.campaign, "sample", at=at, detail=detail)


def samples(server: CampaignServer, viewer: Viewer) -> list[SampleInfo]:
    """Return all samples, the newest first."""
    organiser(viewer)
    with server.store.read() as session:
        return [
            SampleInfo(id=job.id, state=STATES[job.state], error=job.error, at=job.created, **job.detail)
            for job in jobs.jobs_of_kind(session, viewer.campaign, "sample")
        ]


def sample(server: CampaignServer, viewer: Viewer, id: int) -> Sample:
    """Return a sample with its verdicts, including those of the same items in earlier samples."""
    organiser(viewer)
    with server.store.read() as session:
        return _sample(session, viewer, id)


def _sample(session: Session, viewer: Viewer, id: int) -> Sample:
    job = session.get(Job, id)
    result: Any = None
    if job is not None and job.campaign_id == viewer.campaign and job.kind == "sample":
        result = jobs.job_result(session, id)
    if job is None or result is None:
        raise NotFoundError(f"there is no sample {id} in this campaign")
    sample = parse_sample(result["sample"], f"sample {id}")
    verdicts = _verdicts(session, viewer.campaign, job)
    names = {queries.file_team(team.id): team.name for team in queries.all_teams(session, viewer.campaign)}
    return replace(sample, items=tuple(_add_verdict(item, verdicts, names) for item in sample.items))


def _add_verdict(item: Item, verdicts: dict[str, VerdictRow], names: dict[str, str]) -> Item:
    team, _, run = item.system.partition("@")
    shown = replace(item, system=f"{names.get(team, team)}@{run}")
    row = verdicts.get(_name(item.id))
    return shown if row is None else replace(shown, verdict=_verdict(row.verdict), comment=row.comment)


def _verdicts(session: Session, campaign: int, job: Job) -> dict[str, VerdictRow]:
    """Return the verdicts by item; those of the sample replace those of other samples of its phase and track."""
    query = (
        select(VerdictRow, Job)
        .join(Job, Job.id == VerdictRow.job_id)
        .where(Job.campaign_id == campaign)
        .order_by(VerdictRow.at)
    )
    verdicts: dict[str, VerdictRow] = {}
    own: dict[str, VerdictRow] = {}
    for row, other in session.execute(query):
        if (other.detail["phase"], other.detail["track"]) == (job.detail["phase"], job.detail["track"]):
            verdicts[row.item] = row
            if other.id == job.id:
                own[row.item] = row
    return {**verdicts, **own}


def _name(item: str) -> str:
    return hashlib.sha256(item.encode()).hexdigest()


def _verdict(text: str) -> Verdict:
    known: tuple[Verdict, ...] = get_args(Verdict)
    known_verdict = next((verdict for verdict in known if verdict == text), None)
    if known_verdict is None:
        raise UnknownNameError("verdict", text, [verdict for verdict in known if verdict])
    return known_verdict


def give_verdict(
    server: CampaignServer, viewer: Viewer, id: int, item: str, verdict: str, *, comment: str = ""
) -> None:
    """Set the verdict on an item: `key` (the key is right), `answer` (the system is), `disputed`, or empty for none."""
    by, at = organiser(viewer), server.clock()
    parsed = _verdict(verdict)
    with server.store.write() as session:
        if all(entry.id != item for entry in _sample(session, viewer, id).items):
            raise NotFoundError(f"sample {id} has no such item")
        row = session.get(VerdictRow, (id, _name(item)))
        if row is None:
            row = VerdictRow(job_id=id, item=_name(item), verdict=parsed, at=at)
            session.add(row)
        row.verdict, row.comment, row.user_id, row.at = parsed, clean_text(comment, "comment"), by, at


def verdict_table(server: CampaignServer, viewer: Viewer, id: int) -> Table:
    """Return a table of the verdicts per kind of item, with the disputed chains."""
    return count_verdicts(sample(server, viewer, id))
