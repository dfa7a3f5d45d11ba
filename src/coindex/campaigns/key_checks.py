"""Check the key: findings, samples for manual checks, entities switched off, and scoring again after any change.

Scoring anew: after a chain is switched off or on, a key replaced, a definition changed, or the program upgraded.

Old scores are never touched. Boards show those of what holds now; see `setups.Setup.source`.
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
from .server import CampaignServer, NotFoundError
from .setups import Chain, Disputes, Setup, check_disputes, find_setup, get_setup, parse_definition, unpack_folder
from .viewers import Viewer, definition_of, find_phase, organiser


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchInfo:
    """A chain that somebody switched, and why."""

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
    """A score that a submission has or had."""

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
    """A job for each submission that has no score of what holds now; how many. The campaign's row is held."""
    return jobs.queue_scoring(session, row.id, _outdated(session, row, phase), at=at)


def _outdated(session: Session, row: CampaignRow, phase: str | None) -> list[int]:
    known: dict[int, set[tuple[str, str]]] = {}
    for score in scores_in(session, row.id, phase=phase):
        known.setdefault(score.submission_id, set()).add((score.track, score.source))
    setups: dict[str, Setup | None] = {}
    found = []
    for one in submissions(session, row.id, phase=phase):
        if one.outcome == "cancelled":
            continue
        if one.phase not in setups:
            setups[one.phase] = find_setup(session, row, one.phase)
        setup = setups[one.phase]
        if setup is not None and not wanted_sources(one, setup) <= known.get(one.id, set()):
            found.append(one.id)
    return found


def wanted_sources(submission: SubmissionRow, setup: Setup) -> set[tuple[str, str]]:
    """The tracks of a submission with what their scores are known by now."""
    sources = setup.sources()
    return {(track, sources[track]) for track in submission.tracks if track in sources}


def queue_outdated(server: CampaignServer) -> int:
    """Jobs for whatever has no score of what holds now, as after an upgrade; not for what was given up before."""
    queued = 0
    with server.store.read() as session:
        names = [row.id for row in queries.campaigns(session) if _waits(session, row)]
    for campaign in names:
        with server.store.write() as session:
            row = queries.lock_campaign(session, campaign)
            added = jobs.queue_scoring(session, row.id, _waits(session, row), at=server.clock())
            if added:
                at = server.clock()
                queries.record(session, row.id, "scored anew", by=None, at=at, jobs=added, why="another signature")
            queued += added
    return queued


def _waits(session: Session, row: CampaignRow) -> list[int]:
    try:
        outdated = _outdated(session, row, None)
    except CoindexError:  # a definition that this program cannot read
        return []
    last = jobs.last_jobs(session, row.id)
    return [one for one in outdated if one not in last or last[one].state == "done"]


def rescore(server: CampaignServer, viewer: Viewer, *, phase: str | None = None, why: str) -> int:
    """Score everything of a phase, or of all, anew; how many jobs. What is as it was gives the same scores."""
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        if phase is not None:
            find_phase(parse_definition(row.definition), phase)
        sent = [one.id for one in submissions(session, row.id, phase=phase) if one.outcome != "cancelled"]
        queued = jobs.queue_scoring(session, row.id, sent, at=at)
        queries.record(session, row.id, "scored anew", by=by, at=at, phase=phase, jobs=queued, why=why)
        return queued


def retry(server: CampaignServer, viewer: Viewer, submission: int) -> int:
    """Score one submission again, as one that was given up; how many jobs were made, 0 where one waits already."""
    by, at = organiser(viewer), server.clock()
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        found = get_submission(session, submission)
        if found is None or found.campaign_id != row.id or found.outcome == "cancelled":
            raise NotFoundError(f"there is no submission {submission} to score; it may have been cancelled")
        queries.record(session, row.id, "scored anew", by=by, at=at, submission=submission)
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
    """Switch a chain of a phase's key off, or on again; everything of the phase is scored anew. How many jobs."""
    by, at = organiser(viewer), server.clock()
    if not reason.strip():
        raise CoindexError("no reason; expected one, which is kept in the log; say why", code="nothing-given")
    chain = Chain(document=document, entity=entity, dataset=dataset, reason=reason)
    with server.store.read() as session:
        row, definition = definition_of(session, viewer)
        find_phase(definition, phase)
        setup = get_setup(session, row.id, phase)
        content = queries.file_content(session, setup.key_file) if off else b""
    if off:
        _check_there(setup, chain, content)
    with server.store.write() as session:
        row = queries.lock_campaign(session, viewer.campaign)
        now_off = {
            (one.dataset, one.document, one.entity) for one in queries.switched_off(session, row.id, setup.key_phase)
        }
        if ((dataset, document, entity) in now_off) == off:
            raise CoindexError(
                f"the chain {entity!r} is {'off' if off else 'on'} already; choose another", code="nothing-to-change"
            )
        about = {"dataset": dataset, "document": document, "entity": entity, "reason": reason}
        queries.add_switch(session, row.id, setup.key_phase, **about, is_off=off, by=by, at=at)
        row.revision += 1
        session.flush()
        queued = queue_all(session, row, at=at)
        action = "chain switched off" if off else "chain switched on"
        queries.record(session, row.id, action, by=by, at=at, phase=setup.key_phase, jobs=queued, **about)
        return queued


def _check_there(setup: Setup, chain: Chain, content: bytes) -> None:
    """Refuse a chain that is nowhere in the key."""
    with tempfile.TemporaryDirectory(prefix="coindex-") as name, quiet():
        unpack_folder(content, Path(name))
        datasets = {}
        for track in setup.definition.tracks:
            datasets.update(find_datasets(track, own_part(Path(name), track)))
        docs = {
            dataset: [doc for doc in read_annotated(path) if doc.id == chain.document]
            for dataset, path in datasets.items()
        }
        check_disputes(Disputes(chains=(chain,)), docs)


def switches(server: CampaignServer, viewer: Viewer) -> list[SwitchInfo]:
    """Everything that was ever switched, the oldest first."""
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


def switched_off(server: CampaignServer, viewer: Viewer, phase: str) -> list[Chain]:
    """The chains of a phase's key that are off now."""
    organiser(viewer)
    with server.store.read() as session:
        return list(get_setup(session, viewer.campaign, phase).chains)


def score_history(server: CampaignServer, viewer: Viewer, submission: int) -> list[ScoreVersion]:
    """Every score that a submission ever had, the oldest first."""
    organiser(viewer)
    with server.store.read() as session:
        row = queries.get_campaign(session, viewer.campaign)
        found = get_submission(session, submission)
        if found is None or found.campaign_id != row.id:
            raise NotFoundError(f"there is no submission {submission}; choose one of the list")
        setup = find_setup(session, row, found.phase)
        current: Iterable[tuple[str, str]] = set() if setup is None else wanted_sources(found, setup)
        return [
            ScoreVersion(
                track=one.track,
                signature=one.signature,
                key=one.key,
                switched_off=one.switched_off,
                score=one.score,
                failure=one.failure,
                at=one.at,
                is_current=(one.track, one.source) in current,
            )
            for one in scores_of(session, submission)
        ]


STATES = {"waiting": "waiting", "running": "working", "done": "done", "failed": "failed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsInfo:
    """Whether the findings of a phase are made."""

    state: str
    """`none`, `waiting`, `working`, `done` or `failed`."""
    error: str = ""
    asked: datetime | None = None
    finished: datetime | None = None
    is_anonymous: bool = False
    job: int | None = None


def request_findings(server: CampaignServer, viewer: Viewer, phase: str, *, anonymous: bool = False) -> int:
    """Have the tables made of what holds now; the number of the job. One that waits already is not made again."""
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
    """How far the last findings of a phase are."""
    organiser(viewer)
    with server.store.read() as session:
        found = _jobs(session, viewer.campaign, phase)
    if not found:
        return FindingsInfo(state="none")
    job = found[0]
    return FindingsInfo(
        state=STATES[job.state],
        error=job.error,
        asked=job.created,
        finished=job.finished,
        is_anonymous=bool(job.detail.get("anonymous")),
        job=job.id,
    )


def findings(server: CampaignServer, viewer: Viewer, phase: str, form: str) -> str:
    """The last findings of a phase that were made, in a form: html, markdown, csv, latex, json or text."""
    organiser(viewer)
    if form not in FORMS:
        raise UnknownNameError("form of findings", form, FORMS)
    with server.store.read() as session:
        done = [job.id for job in _jobs(session, viewer.campaign, phase) if job.state == "done"]
        result: Any = jobs.job_result(session, done[0]) if done else None
    if result is None:
        raise NotFoundError(f"no findings of {phase} yet; have them made first")
    text: str = result["forms"][form]
    return text


MOST_SIZE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleInfo:
    """A sample that was asked for."""

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
    """Have a sample drawn of all runs of a phase that were scored; its number."""
    by, at = organiser(viewer), server.clock()
    if not 1 <= size <= MOST_SIZE:
        raise CoindexError(f"{size} of each kind; expected 1 to {MOST_SIZE}; choose another size", code="invalid-input")
    with server.store.write() as session:
        _, definition = definition_of(session, viewer)
        find_phase(definition, phase)
        definition.track(track)
        get_setup(session, viewer.campaign, phase)
        detail = {"phase": phase, "track": track, "size": size, "seed": seed}
        queries.record(session, viewer.campaign, "sample", by=by, at=at, **detail)
        return jobs.add_job(session, viewer.campaign, "sample", at=at, detail=detail)


def samples(server: CampaignServer, viewer: Viewer) -> list[SampleInfo]:
    """All samples, the newest first."""
    organiser(viewer)
    with server.store.read() as session:
        return [
            SampleInfo(id=job.id, state=STATES[job.state], error=job.error, at=job.created, **job.detail)
            for job in jobs.jobs_of_kind(session, viewer.campaign, "sample")
        ]


def sample(server: CampaignServer, viewer: Viewer, id: int) -> Sample:
    """A sample with the verdicts given so far; also those given to the same items of an earlier sample."""
    organiser(viewer)
    with server.store.read() as session:
        return _sample(session, viewer, id)


def _sample(session: Session, viewer: Viewer, id: int) -> Sample:
    job = session.get(Job, id)
    result: Any = None
    if job is not None and job.campaign_id == viewer.campaign and job.kind == "sample":
        result = jobs.job_result(session, id)
    if job is None or result is None:
        raise NotFoundError(f"there is no sample {id}; draw one first")
    found = parse_sample(result["sample"], f"sample {id}")
    verdicts = _verdicts(session, viewer.campaign, job)
    names = {queries.file_team(team.id): team.name for team in queries.all_teams(session, viewer.campaign)}
    return replace(found, items=tuple(_judged(item, verdicts, names) for item in found.items))


def _judged(item: Item, verdicts: dict[str, VerdictRow], names: dict[str, str]) -> Item:
    team, _, run = item.system.partition("@")
    shown = replace(item, system=f"{names.get(team, team)}@{run}")
    row = verdicts.get(_name(item.id))
    return shown if row is None else replace(shown, verdict=_verdict(row.verdict), comment=row.comment)


def _verdicts(session: Session, campaign: int, job: Job) -> dict[str, VerdictRow]:
    """The verdicts by item: those of other samples of the phase and track first, its own in place of them."""
    query = (
        select(VerdictRow, Job)
        .join(Job, Job.id == VerdictRow.job_id)
        .where(Job.campaign_id == campaign)
        .order_by(VerdictRow.at)
    )
    found: dict[str, VerdictRow] = {}
    own: dict[str, VerdictRow] = {}
    for row, other in session.execute(query):
        if (other.detail["phase"], other.detail["track"]) == (job.detail["phase"], job.detail["track"]):
            found[row.item] = row
            if other.id == job.id:
                own[row.item] = row
    return {**found, **own}


def _name(item: str) -> str:
    return hashlib.sha256(item.encode()).hexdigest()


def _verdict(text: str) -> Verdict:
    known: tuple[Verdict, ...] = get_args(Verdict)
    found = next((one for one in known if one == text), None)
    if found is None:
        raise UnknownNameError("verdict", text, [one for one in known if one])
    return found


def give_verdict(
    server: CampaignServer, viewer: Viewer, id: int, item: str, verdict: str, *, comment: str = ""
) -> None:
    """Say of an item: `key` (the key is right), `answer` (the system is), `disputed`; empty takes it back."""
    by, at = organiser(viewer), server.clock()
    said = _verdict(verdict)
    with server.store.write() as session:
        if all(one.id != item for one in _sample(session, viewer, id).items):
            raise NotFoundError(f"no such item in sample {id}; choose one of its items")
        row = session.get(VerdictRow, (id, _name(item)))
        if row is None:
            row = VerdictRow(job_id=id, item=_name(item), verdict=said, at=at)
            session.add(row)
        row.verdict, row.comment, row.user_id, row.at = said, clean_text(comment, "comment"), by, at


def verdict_table(server: CampaignServer, viewer: Viewer, id: int) -> Table:
    """How often the key was right, by kind, and the chains that are disputed."""
    return count_verdicts(sample(server, viewer, id))
