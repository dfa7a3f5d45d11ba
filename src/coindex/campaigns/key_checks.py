"""The key checked by hand, findings, and rescoring."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..analysis.tables import Table
from ..errors import CoindexError, UnknownNameError
from ..server.accounts import clean_text
from . import jobs, queries
from .findings import Item, Sample, Verdict, count_verdicts, parse_sample
from .models import Job, VerdictRow
from .sandbox_process import FORMS
from .server import CampaignServer, NotFoundError
from .setups import get_setup
from .viewers import Viewer, definition_of, find_phase, organiser

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
