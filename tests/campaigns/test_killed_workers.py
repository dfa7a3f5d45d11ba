"""Workers are killed at random while they score: every submission is scored, and none twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import func, select

from campaigns.server_world import ServerWorld, answer
from campaigns.world import BAD, GOOD, HALF
from coindex.campaigns import jobs
from coindex.campaigns.models import Job, ScoreRow, SubmissionRow
from coindex.campaigns.queries import add_submission
from coindex.server.database import Store

SUBMISSIONS = 80
WORKERS = 2
KILLS = 6
MOST_SECONDS = 900
"""A machine may be slow; a job that is lost is never done."""
SCRIPT = Path(__file__).with_name("worker_process.py")


@contextmanager
def working(place: str, start: float) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run workers in separate processes; killed ones are restarted."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        running += [begin(place, start) for _ in range(WORKERS)]
        yield running
    finally:
        for process in running:
            process.send_signal(signal.SIGKILL)
            process.wait()


def begin(place: str, start: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(SCRIPT), place, str(start)])


def scored(store: Store) -> int:
    with store.read() as session:
        return session.scalar(select(func.count()).where(SubmissionRow.outcome == "scored")) or 0


def test_every_submission_is_scored_exactly_once(place: str, store: Store) -> None:
    world = ServerWorld(store, key=answer(GOOD, datasets="x", documents=1))
    team = world.add_team("mill")
    assert team.team is not None
    assert team.user is not None
    contents = [answer(marks, datasets="x", documents=1) for marks in (GOOD, HALF, BAD)]
    with store.write() as session:
        for number in range(SUBMISSIONS):
            about = {"run": "", "tracks": ["main"], "name": "x.zip", "content": contents[number % 3]}
            who = {"by": team.user, "at": world.clock()}
            row = add_submission(session, world.campaign, team.team, "evaluation", **about, **who)
            jobs.add_job(session, world.campaign, "score", at=world.clock(), submission=row.id)
    chance = random.Random(7)
    kill_at = sorted(chance.sample(range(5, SUBMISSIONS - 10), KILLS))
    ends = time.monotonic() + MOST_SECONDS
    start = time.time()
    with working(place, start) as running:
        killed = 0
        while (done := scored(store)) < SUBMISSIONS:
            assert time.monotonic() < ends, f"{done} of {SUBMISSIONS}"
            if killed < KILLS and done >= kill_at[killed]:
                victim = chance.randrange(WORKERS)
                running[victim].send_signal(signal.SIGKILL)
                running[victim].wait()
                running[victim] = begin(place, start)
                killed += 1
            time.sleep(0.02)
    assert killed == KILLS
    with store.read() as session:
        sent = list(session.scalars(select(SubmissionRow.id).order_by(SubmissionRow.id)))
        scores = session.execute(select(ScoreRow.submission_id, ScoreRow.score).order_by(ScoreRow.id)).all()
        states = session.execute(select(Job.state, func.count()).group_by(Job.state)).all()
    assert sorted(id for id, _ in scores) == sent
    assert [tuple(row) for row in states] == [("done", SUBMISSIONS)]
    by_content = [{score for id, score in scores if sent.index(id) % 3 == kind} for kind in range(3)]
    assert [len(found) for found in by_content] == [1, 1, 1], "the same answer has the same score"
    assert by_content[0] == {1.0}
    world.close()
