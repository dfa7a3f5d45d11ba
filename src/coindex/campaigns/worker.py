"""The worker: lease jobs, run them in a sandbox, and write each result once.

The worker sends heartbeats while a job runs. It writes the result in one transaction, and only if it still holds the
lease and nothing that the scores depend on has changed; otherwise the job is repeated. A worker can therefore be killed
at any time: others take over its jobs, and no result counts twice.
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
from .key_review import find_wanted_sources, queue_outdated
from .models import Job, SubmissionRow
from .queries import NewScore, add_scores, get_submission, scores_of
from .sandbox import Sandbox, StoppedError, TaskError
from .server import CampaignServer
from .setups import Setup, find_setup, signature_of

_log = logging.getLogger("coindex.campaigns")
IDLE_SECONDS = 1.0
"""The interval between checks of an empty queue."""
LOOK = 0.5
"""Seconds between checks whether the job is still needed."""
Step = tuple[int, int, str]


class Worker:
    """Runs jobs one after the other, in one thread."""

    def __init__(self, server: CampaignServer, sandbox: Sandbox | None = None) -> None:
        self.server = server
        self.sandbox = sandbox or Sandbox()
        self._stop = Event()
        self._last_beat = 0.0

    @property
    def lasts(self) -> timedelta:
        return timedelta(seconds=self.server.limits.lease_seconds)

    def run(self, *, idle: float = IDLE_SECONDS) -> None:
        """Run jobs until `stop` is called; outdated submissions are queued first."""
        self._run_safely(lambda: queue_outdated(self.server))
        try:
            while not self._stop.is_set():
                if not self._run_safely(self.step):
                    self._stop.wait(idle)
        finally:
            self.sandbox.close()

    def stop(self) -> None:
        """Stop after returning the current job to the queue."""
        self._stop.set()

    def _run_safely(self, act: Callable[[], object]) -> bool:
        """Return whether a job was run; a temporary database failure does not end the worker."""
        try:
            return bool(act())
        except Exception as error:  # retried later; no message, as it can contain names
            _log.warning("the worker failed: %s", type(error).__name__)
            return False

    def step(self) -> bool:
        """Run one job and return True, or return False if there is none."""
        lease = self._take()
        if lease is None:
            return False
        try:
            self._do(lease)
        except StoppedError:
            self._put_back(lease)
        except TaskError as error:
            _log.warning("job %d of campaign %d: attempt %d failed", lease.job, lease.campaign, lease.attempts)
            self._fail(lease, str(error), again=True)
        except CoindexError as error:
            self._fail(lease, str(error), again=False)
        return True

    def _take(self) -> Lease | None:
        server = self.server
        with server.store.read() as session:
            if not jobs.is_work(session, at=server.clock()):
                return None
        with server.store.write() as session:
            return jobs.take(session, at=server.clock(), lease=self.lasts, attempts=server.limits.attempts)

    def _do(self, lease: Lease) -> None:
        with assemble(self.server, self.sandbox, lease) as assembly:
            result = None
            if assembly is not None:
                self._last_beat = time.monotonic()
                result = self.sandbox.perform(assembly.request, beat=lambda step: self._beat(lease, step), every=LOOK)
        self._finish(lease, assembly, result)

    def _beat(self, lease: Lease, step: Step | None) -> bool:
        """Send a heartbeat regularly and on progress; return False to stop the job."""
        if self._stop.is_set():
            return False
        waited = time.monotonic() - self._last_beat
        if step is None and waited < self.server.limits.lease_seconds / 4:
            return True
        self._last_beat = time.monotonic()
        with self.server.store.write() as session:
            return jobs.beat(session, lease, at=self.server.clock(), lasts=self.lasts, progress=step)

    def _finish(self, lease: Lease, assembly: Assembly | None, result: dict[str, Any] | None) -> None:
        """Write the result of a job; None means that there was nothing to do."""
        at = self.server.clock()
        with self.server.store.write() as session:
            row = queries.lock_campaign(session, lease.campaign, share=True)
            job = jobs.lock_job(session, lease)
            if job is None:
                return
            if assembly is not None and assembly.setup is not None and assembly.setup.revision != row.revision:
                jobs.put_back(job, at=at)
                return
            if lease.kind != "score":
                jobs.finish(job, at=at, result=result)
                return
            submission = get_submission(session, lease.submission or 0)
            if submission is not None and submission.outcome != "cancelled":
                if assembly is not None and assembly.setup is not None and result is not None:
                    scores = new_scores(assembly.setup, result)
                    add_scores(session, submission.id, scores, job=job.id, at=at)
                setup = find_setup(session, row, submission.phase)
                _settle(session, submission, setup)
            jobs.finish(job, at=at)

    def _put_back(self, lease: Lease) -> None:
        """Return a job to the queue."""
        with self.server.store.write() as session:
            job = jobs.lock_job(session, lease)
            if job is not None:
                jobs.put_back(job, at=self.server.clock())

    def _fail(self, lease: Lease, error: str, *, again: bool) -> None:
        at, attempts = self.server.clock(), self.server.limits.attempts if again else 0
        with self.server.store.write() as session:
            queries.lock_campaign(session, lease.campaign, share=True)
            job: Job | None = jobs.lock_job(session, lease)
            if job is not None:
                jobs.try_again(session, job, error, at=at, attempts=attempts)


def new_scores(setup: Setup, result: dict[str, Any]) -> list[NewScore]:
    """Return the scores of a submission by track."""
    lines = []
    for run in result["runs"]:
        track = setup.definition.track(run["track"])
        lines.append(
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
    return lines


def _settle(session: Session, submission: SubmissionRow, setup: Setup | None) -> None:
    """Set the outcome of a submission from its current scores; it failed if it failed in every track."""
    wanted = set() if setup is None else find_wanted_sources(submission, setup)
    now = [score for score in scores_of(session, submission.id) if (score.track, score.source) in wanted]
    if not now:
        submission.outcome, submission.failure = "failed", "the submission could not be scored in any track"
        return
    good = [score for score in now if not score.failure]
    submission.outcome, submission.failure = ("scored", "") if good else ("failed", now[0].failure)


# --- running


class RunningWorker:
    """A worker in a thread of this process."""

    def __init__(self, server: CampaignServer) -> None:
        self.worker = Worker(server)
        self.thread = Thread(target=self.worker.run, name="coindex-worker", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Stop the worker; its current job returns to the queue."""
        self.worker.stop()
        self.thread.join()


def start_worker(server: CampaignServer) -> RunningWorker:
    """Start a worker in a thread of the server process."""
    return RunningWorker(server)


def run_all(server: CampaignServer) -> int:
    """Run all queued jobs and return their number."""
    done = 0
    with server.sandbox() as sandbox:
        worker = Worker(server, sandbox)
        while worker.step():
            done += 1
    return done
