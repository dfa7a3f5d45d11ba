"""The tables of the findings paper over the submissions of a phase: made by a worker, kept in every form."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from ...errors import UnknownNameError
from ...store.campaigns import definitions, jobs
from ...store.campaigns.models import Job
from .server import CampaignServer, NotFoundError
from .setups import get_setup
from .tasks import FORMS
from .viewing import Viewer, definition_of, find_phase, organiser

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
        definitions.lock_campaign(session, viewer.campaign)
        _, definition = definition_of(session, viewer)
        find_phase(definition, phase)
        get_setup(session, viewer.campaign, phase)
        for job in _jobs(session, viewer.campaign, phase):
            if job.state == jobs.WAITING and bool(job.detail.get("anonymous")) == anonymous:
                return job.id
        definitions.record(session, viewer.campaign, "findings", by=by, at=at, phase=phase)
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
