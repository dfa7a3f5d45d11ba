"""The job queue: a worker leases a job, extends the lease with heartbeats, and finishes it only while holding it.

If a worker is killed, its lease expires and another worker can take the job. A result is written only if the worker
still holds the lease in the same transaction, so no result is written twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from .models import Job, JobKind, SubmissionRow

WAITING = "waiting"
RUNNING = "running"
OPEN = (WAITING, RUNNING)
DELAY = timedelta(seconds=2)
"""The delay before a job is retried; it doubles each time."""
MOST_DELAY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Lease:
    """The exclusive right to run a job."""

    job: int
    owner: str
    campaign: int
    kind: str
    submission: int | None
    detail: dict[str, Any]
    attempts: int


def add_job(
    session: Session,
    campaign: int,
    kind: JobKind,
    *,
    at: datetime,
    submission: int | None = None,
    detail: dict[str, Any] | None = None,
) -> int:
    """Add a job to the queue and return its id."""
    job = Job(campaign_id=campaign, kind=kind, submission_id=submission, detail=detail or {}, not_before=at, created=at)
    session.add(job)
    session.flush()
    return job.id


def queue_scoring(session: Session, campaign: int, submissions: Iterable[int], *, at: datetime) -> int:
    """Queue a job for each submission that has none waiting or running; return their number.

    A running job checks at its end whether the setup has changed, and is then repeated.
    """
    query = select(Job.submission_id).where(Job.campaign_id == campaign, Job.kind == "score", Job.state.in_(OPEN))
    busy = set(session.scalars(query))
    wanted = [submission for submission in submissions if submission not in busy]
    for submission in wanted:
        add_job(session, campaign, "score", at=at, submission=submission)
    return len(wanted)


def take(session: Session, *, at: datetime, lease: timedelta, attempts: int) -> Lease | None:
    """Lease the first free job; return None if there is none.

    A job that was never finished in `attempts` attempts fails instead, as it may be what kills the workers.
    """
    query = select(Job).where(_is_free(at)).order_by(Job.not_before, Job.id).limit(1).with_for_update(skip_locked=True)
    while (job := session.scalar(query)) is not None:
        if job.attempts >= attempts:
            give_up(session, job, f"the worker process ended {job.attempts} times during this job", at=at)
            continue
        job.state, job.owner = RUNNING, secrets.token_hex(16)
        job.lease_until, job.heartbeat, job.attempts = at + lease, at, job.attempts + 1
        job.done, job.total, job.step = 0, 0, ""
        session.flush()
        return Lease(job.id, job.owner, job.campaign_id, job.kind, job.submission_id, dict(job.detail), job.attempts)
    return None


def lock_job(session: Session, lease: Lease) -> Job | None:
    """Lock and return the job if the lease is still valid, otherwise None."""
    query = select(Job).where(Job.id == lease.job, Job.owner == lease.owner, Job.state == RUNNING).with_for_update()
    return session.scalar(query, execution_options={"populate_existing": True})


def beat(
    session: Session, lease: Lease, *, at: datetime, lasts: timedelta, progress: tuple[int, int, str] | None = None
) -> bool:
    """Extend the lease and record the progress; return False if the lease was lost."""
    job = lock_job(session, lease)
    if job is None:
        return False
    job.heartbeat, job.lease_until = at, at + lasts
    if progress is not None:
        job.done, job.total, job.step = progress[0], progress[1], progress[2][:200]
    return True


def finish(job: Job, *, at: datetime, result: Any = None) -> None:
    """Mark a job as done."""
    job.state, job.owner, job.lease_until, job.finished = "done", None, None, at
    job.error, job.result, job.done = "", result, job.total


def put_back(job: Job, *, at: datetime) -> None:
    """Return a job to the queue without counting the attempt, because the setup changed."""
    job.state, job.owner, job.lease_until, job.not_before = WAITING, None, None, at
    job.attempts = max(0, job.attempts - 1)


def try_again(session: Session, job: Job, error: str, *, at: datetime, attempts: int) -> bool:
    """Return a failed job to the queue, or give up after `attempts`; return whether it is retried."""
    if job.attempts >= attempts:
        give_up(session, job, error, at=at)
        return False
    job.state, job.owner, job.lease_until, job.error = WAITING, None, None, error
    job.not_before = at + min(DELAY * 2 ** (job.attempts - 1), MOST_DELAY)
    return True


def give_up(session: Session, job: Job, error: str, *, at: datetime) -> None:
    """Mark a job and its submission as failed."""
    job.state, job.owner, job.lease_until, job.error, job.finished = "failed", None, None, error, at
    row = session.get(SubmissionRow, job.submission_id) if job.submission_id is not None else None
    if row is not None and row.outcome != "cancelled":
        row.outcome, row.failure = "failed", error
    session.flush()


def cancel_jobs(session: Session, submission: int, *, at: datetime) -> None:
    """Cancel all jobs of a submission; a worker that runs one loses its lease."""
    query = select(Job).where(Job.submission_id == submission, Job.state.in_(OPEN)).with_for_update()
    for job in session.scalars(query):
        job.state, job.owner, job.lease_until, job.finished = "done", None, None, at
    session.flush()


def last_jobs(session: Session, campaign: int) -> dict[int, Job]:
    """Return the last scoring job of each submission."""
    query = select(Job).where(Job.campaign_id == campaign, Job.kind == "score").order_by(Job.id)
    return {job.submission_id: job for job in session.scalars(query) if job.submission_id is not None}


def jobs_of_kind(session: Session, campaign: int, kind: JobKind) -> list[Job]:
    """Return the jobs of a campaign of one kind, the newest first."""
    query = select(Job).where(Job.campaign_id == campaign, Job.kind == kind).order_by(Job.id.desc())
    return list(session.scalars(query))


def job_result(session: Session, job: int) -> Any:
    return session.scalar(select(Job.result).where(Job.id == job))


def is_work(session: Session, *, at: datetime) -> bool:
    """Return whether a job is free."""
    return session.scalar(select(Job.id).where(_is_free(at)).limit(1)) is not None


def _is_free(at: datetime) -> ColumnElement[bool]:
    """Return the condition for free jobs: waiting, or with an expired lease."""
    return or_(
        and_(Job.state == WAITING, Job.not_before <= at),
        and_(Job.state == RUNNING, Job.lease_until <= at),
    )
