"""A hundred uploads at once, of one team and of many: no limit is ever exceeded and nothing is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from sqlalchemy import select

from campaigns.server_world import ServerWorld, answer, definition
from campaigns.world import GOOD
from coindex.campaigns import jobs
from coindex.campaigns.models import Job, SubmissionRow
from coindex.campaigns.server import ClosedError, Limits, Viewer
from coindex.campaigns.submissions import submit
from coindex.server.database import Store

UPLOADS = 100
TEAMS = 4
A_DAY = 7
CONTENT = answer(GOOD, datasets="x", documents=1)


def at_once(act: Callable[[int], object]) -> Counter[object]:
    """What came of doing it a hundred times at once."""
    with ThreadPoolExecutor(UPLOADS) as pool:
        return Counter(pool.map(act, range(UPLOADS)))


def test_limits_hold_under_a_hundred_uploads_at_once(store: Store) -> None:
    text = definition(limits=f"limit_a_day = {A_DAY}")
    world = ServerWorld(store, text=text, key=CONTENT, limits=Limits(checkers=2))
    teams: list[Viewer] = [world.add_team(f"team{number}") for number in range(TEAMS)]

    def upload(number: int) -> str:
        try:
            team = teams[number % TEAMS]
            receipt = submit(world.server, team, "evaluation", file_name="a.zip", content=CONTENT)
        except ClosedError as error:
            return str(error).partition(";")[0]
        return "refused" if receipt.submission is None else "taken"

    closed = f"daily submission limit reached: {A_DAY} of {A_DAY}"
    assert at_once(upload) == {"taken": TEAMS * A_DAY, closed: UPLOADS - TEAMS * A_DAY}
    with store.read() as session:
        rows = list(session.scalars(select(SubmissionRow)))
        queued = set(session.scalars(select(Job.submission_id)))
    for team in teams:
        assert sorted(row.number for row in rows if row.team_id == team.team) == list(range(1, A_DAY + 1))
    assert queued == {row.id for row in rows}
    world.close()


def test_a_job_is_taken_by_one_only(store: Store) -> None:
    world = ServerWorld(store, key=CONTENT)
    with store.write() as session:
        for _ in range(UPLOADS // 2):
            jobs.add_job(session, world.campaign, "findings", at=world.clock(), detail={"phase": "evaluation"})

    def take(_: int) -> int | None:
        with store.write() as session:
            lease = jobs.take(session, at=world.clock(), lease=timedelta(minutes=1), attempts=3)
            return None if lease is None else lease.job

    taken = at_once(take)
    assert taken.pop(None, 0) >= UPLOADS // 2  # on PostgreSQL somebody may pass over what others are looking at
    assert set(taken.values()) == {1}
    world.close()
