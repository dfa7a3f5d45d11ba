"""The worker: takes jobs by a lease, has them done in a process of its own, and writes what came of them once.

While a job is done its heartbeat goes on. What came of it is written in one transaction, and only if the lease still
holds and nothing that the scores depend on was changed meanwhile; otherwise another worker has the job, or it begins
again. So a worker may be killed at any moment: its jobs are taken up by others, and nothing counts twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from threading import Event, Thread
from typing import Any

from sqlalchemy.orm import Session

from ..errors import CoindexError
from . import jobs, queries
from .job_files import Assembly, assemble
from .jobs import Lease
from .key_checks import queue_outdated, wanted_sources
from .models import Job, SubmissionRow
from .queries import NewScore, add_scores, get_submission, scores_of
from .sandbox import Sandbox, StoppedError, TaskError
from .server import CampaignServer
from .setups import Setup, find_setup, signature_of

_log = logging.getLogger("coindex.campaigns")
IDLE_SECONDS = 1.0
"""Between two looks at an empty queue."""
LOOK = 0.5
"""Seconds between two looks whether the work is still wanted."""
Step = tuple[int, int, str]


class Worker:
    """Does one job after the other; for one thread."""

    def __init__(self, server: CampaignServer, sandbox: Sandbox | None = None) -> None:
        self.server = server
        self.sandbox = sandbox or Sandbox()
        self._stop = Event()
        self._told = 0.0

    @property
    def lasts(self) -> timedelta:
        return timedelta(seconds=self.server.limits.lease_seconds)

    def run(self, *, idle: float = IDLE_SECONDS) -> None:
        """Work until `stop` is called; whatever is out of date is queued first."""
        self._patiently(lambda: queue_outdated(self.server))
        try:
            while not self._stop.is_set():
                if not self._patiently(self.step):
                    self._stop.wait(idle)
        finally:
            self.sandbox.close()

    def stop(self) -> None:
        """End after what is being done is put back."""
        self._stop.set()

    def _patiently(self, act: Callable[[], object]) -> bool:
        """Whether something was done. A database that is away for a while does not end a worker."""
        try:
            return bool(act())
        except Exception as error:  # the next attempt may go better; no message, as it may have names
            _log.warning("a worker failed: %s", type(error).__name__)
            return False

    def step(self) -> bool:
        """Do one job, if there is one."""
        lease = self._take()
        if lease is None:
            return False
        try:
            self._do(lease)
        except StoppedError:
            self._put_back(lease)
        except TaskError as error:
            _log.warning("job %d of campaign %d: attempt %d failed", lease.job, lease.campaign, lease.attempts)
            self._went_wrong(lease, str(error), again=True)
        except CoindexError as error:
            self._went_wrong(lease, str(error), again=False)
        return True

    def _take(self) -> Lease | None:
        server = self.server
        with server.store.read() as session:
            if not jobs.is_work(session, at=server.clock()):
                return None
        with server.store.write() as session:
            return jobs.take(session, at=server.clock(), lease=self.lasts, attempts=server.limits.attempts)

    def _do(self, lease: Lease) -> None:
        with assemble(self.server, self.sandbox, lease) as found:
            result = None
            if found is not None:
                self._told = time.monotonic()
                result = self.sandbox.perform(found.request, beat=lambda step: self._beat(lease, step), every=LOOK)
        self._finish(lease, found, result)

    def _beat(self, lease: Lease, step: Step | None) -> bool:
        """A sign of life every now and then, and whenever the work has come further; False to leave the job."""
        if self._stop.is_set():
            return False
        waited = time.monotonic() - self._told
        if step is None and waited < self.server.limits.lease_seconds / 4:
            return True
        self._told = time.monotonic()
        with self.server.store.write() as session:
            return jobs.beat(session, lease, at=self.server.clock(), lasts=self.lasts, progress=step)

    def _finish(self, lease: Lease, found: Assembly | None, result: dict[str, Any] | None) -> None:
        """Write what came of a job; without a result there was nothing to be done."""
        at = self.server.clock()
        with self.server.store.write() as session:
            row = queries.lock_campaign(session, lease.campaign, share=True)
            job = jobs.held(session, lease)
            if job is None:
                return
            if found is not None and found.setup is not None and found.setup.revision != row.revision:
                jobs.put_back(job, at=at)
                return
            if lease.kind != "score":
                jobs.finish(job, at=at, result=result)
                return
            submission = get_submission(session, lease.submission or 0)
            if submission is not None and submission.outcome != "cancelled":
                if found is not None and found.setup is not None and result is not None:
                    scores = new_scores(found.setup, result)
                    add_scores(session, submission.id, scores, job=job.id, at=at)
                setup = find_setup(session, row, submission.phase)
                _settle(session, submission, setup)
            jobs.finish(job, at=at)

    def _put_back(self, lease: Lease) -> None:
        """Leave a job to others at once: it is not wanted here any more."""
        with self.server.store.write() as session:
            job = jobs.held(session, lease)
            if job is not None:
                jobs.put_back(job, at=self.server.clock())

    def _went_wrong(self, lease: Lease, error: str, *, again: bool) -> None:
        at, attempts = self.server.clock(), self.server.limits.attempts if again else 0
        with self.server.store.write() as session:
            queries.lock_campaign(session, lease.campaign, share=True)
            job: Job | None = jobs.held(session, lease)
            if job is not None:
                jobs.try_again(session, job, error, at=at, attempts=attempts)


def new_scores(setup: Setup, result: dict[str, Any]) -> list[NewScore]:
    """What came of scoring a submission, by track."""
    found = []
    for run in result["runs"]:
        track = setup.definition.track(run["track"])
        found.append(
            NewScore(
                track=track.name,
                source=setup.source(track),
                signature=signature_of(track),
                key=setup.key_digest,
                switched_off=setup.switched_off,
                score=run["score"],
                failure=run["failure"],
                missing=tuple(run["missing"]),
                records=run["records"],
            )
        )
    return found


def _settle(session: Session, submission: SubmissionRow, setup: Setup | None) -> None:
    """Say of a submission what its scores of today say: it failed where it failed in every track."""
    wanted = set() if setup is None else wanted_sources(submission, setup)
    now = [one for one in scores_of(session, submission.id) if (one.track, one.source) in wanted]
    if not now:
        submission.outcome, submission.failure = "failed", "it could not be scored in any track"
        return
    good = [one for one in now if not one.failure]
    submission.outcome, submission.failure = ("scored", "") if good else ("failed", now[0].failure)


# --- running


class RunningWorker:
    """A worker in a thread of this process."""

    def __init__(self, server: CampaignServer) -> None:
        self.worker = Worker(server)
        self.thread = Thread(target=self.worker.run, name="coindex-worker", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """End it; what it was at is put back."""
        self.worker.stop()
        self.thread.join()


def start_worker(server: CampaignServer) -> RunningWorker:
    """A worker beside the server, in the same process."""
    return RunningWorker(server)


def run_all(server: CampaignServer) -> int:
    """Work off the queue here and now; how many jobs were begun."""
    done = 0
    with server.sandbox() as sandbox:
        worker = Worker(server, sandbox)
        while worker.step():
            done += 1
    return done
