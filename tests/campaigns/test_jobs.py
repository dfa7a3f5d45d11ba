"""Leases, heartbeats, retries: by a clock that the test sets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest

from campaigns.server_world import ServerWorld, answer, definition
from campaigns.world import BAD, GOOD
from coindex.annotation_app.layers import open_store
from coindex.campaigns import boards, jobs, key_review, submissions
from coindex.campaigns.job_files import assemble
from coindex.campaigns.jobs import Lease
from coindex.campaigns.models import Job
from coindex.campaigns.sandbox import Sandbox, StoppedError, TaskError
from coindex.campaigns.sandbox_process import Request
from coindex.campaigns.server import Limits
from coindex.campaigns.setups import unpack_folder
from coindex.campaigns.submissions import submit_state
from coindex.campaigns.worker import Worker, run_all, start_worker
from waiting import wait_for_group, wait_until

LEASE = timedelta(seconds=60)


def take(world: ServerWorld, attempts: int = 3) -> Lease | None:
    with world.store.write() as session:
        return jobs.take(session, at=world.clock(), lease=LEASE, attempts=attempts)


def job(world: ServerWorld, id: int) -> Job:
    with world.store.read() as session:
        return session.get_one(Job, id)


def test_a_lease_holds_until_its_very_end(both: ServerWorld) -> None:
    world = both
    world.submit(world.add_team("mill"))
    first = take(world)
    assert first is not None
    world.clock.forward(seconds=60, microseconds=-1)
    assert take(world) is None
    world.clock.forward(microseconds=1)
    second = take(world)
    assert second is not None
    assert (second.job, second.attempts) == (first.job, 2)
    with world.store.write() as session:
        assert not jobs.beat(session, first, at=world.clock(), lasts=LEASE)
        assert jobs.beat(session, second, at=world.clock(), lasts=LEASE, progress=(1, 4, "x"))
    world.clock.forward(seconds=59)
    assert take(world) is None
    (one,) = submissions.list_submissions(world.server, world.organiser)
    assert (one.state, str(one.progress)) == ("scoring", "Scoring x (2 of 4)")


def test_who_lost_the_lease_writes_nothing(both: ServerWorld) -> None:
    world = both
    world.submit(world.add_team("mill"))
    slow = Worker(world.server)
    lease = slow._take()
    assert lease is not None
    world.clock.forward(seconds=61)
    assert run_all(world.server) == 1
    slow._do(lease)  # it was only slow, and comes back
    slow.sandbox.close()
    (one,) = submissions.list_submissions(world.server, world.organiser)
    assert len(key_review.score_history(world.server, world.organiser, one.id)) == 1
    assert one.state == "done"


def test_what_kills_every_worker_is_given_up_and_counts_for_nothing(world: ServerWorld) -> None:
    team = world.add_team("mill")
    sent = world.submit(team).submission
    assert sent is not None
    for _ in range(3):
        assert take(world) is not None
        world.clock.forward(seconds=61)
    assert take(world) is None
    one = submissions.submission(world.server, team, sent)
    assert (one.state, one.failure) == ("failed", "the worker process ended 3 times during this job")
    assert submit_state(world.server, team, "evaluation").total == 0
    table = boards.board(world.server, world.organiser, "evaluation", "main")
    assert [(row.values[0], row.keys["state"]) for row in table.rows] == [(None, "failed")]
    assert key_review.retry(world.server, world.organiser, sent) == 1
    run_all(world.server)
    assert submissions.submission(world.server, team, sent).state == "done"


def test_a_key_replaced_while_scoring_begins_the_job_again(world: ServerWorld) -> None:
    world.submit(world.add_team("mill"), BAD)
    worker = Worker(world.server)
    lease = worker._take()
    assert lease is not None
    with assemble(world.server, worker.sandbox, lease) as task:
        assert task is not None
        result = worker.sandbox.perform(task.request)
    world.upload_key(answer(BAD), why="the old one was of another text")
    worker._finish(lease, task, result)
    worker.sandbox.close()
    found = job(world, lease.job)
    assert (found.state, found.attempts) == ("waiting", 0)
    assert run_all(world.server) == 1
    table = boards.board(world.server, world.organiser, "evaluation", "main")
    assert [row.values[2] for row in table.rows] == [1.0]


def test_a_worker_that_is_stopped_puts_its_job_back(world: ServerWorld) -> None:
    world.submit(world.add_team("mill"))
    worker = Worker(world.server)
    worker.stop()
    assert worker.step()
    worker.sandbox.close()
    (one,) = submissions.list_submissions(world.server, world.organiser)
    assert one.state in ("waiting", "done")  # the scoring may have been quicker than the look at the stop
    run_all(world.server)
    (one,) = submissions.list_submissions(world.server, world.organiser)
    assert one.state == "done"


def test_a_worker_runs_beside_the_server(world: ServerWorld) -> None:
    running = start_worker(world.server)
    sent = world.submit(world.add_team("mill")).submission
    wait_until(lambda: submissions.submission(world.server, world.organiser, sent or 0).state == "done")
    running.stop()
    assert not running.thread.is_alive()


# --- the process


def request(folder: Path, *, documents: int = 2, seconds: int = 600, memory: int = 4 << 30) -> Request:
    key, task = folder / "key", folder / "task"
    for made in (key, task):
        made.mkdir()
    unpack_folder(answer(GOOD, documents=documents), key)
    (task / "a.zip").write_bytes(answer(GOOD, documents=documents))
    about = {"kind": "score", "definition": definition(), "key": str(key), "name": "a.zip"}
    return Request(folder=str(task), **about, seconds=seconds, memory=memory)


def test_memory_is_limited(tmp_path: Path) -> None:
    sandbox = Sandbox()
    with pytest.raises(TaskError, match="needed more than 1 MB of memory"):
        sandbox.perform(request(tmp_path, documents=300, memory=1 << 20))
    sandbox.close()


def test_time_is_limited_and_nothing_goes_on(tmp_path: Path) -> None:
    sandbox = Sandbox()
    process = sandbox._ensure_started()
    with pytest.raises(TaskError, match="took more than 0 seconds"):
        sandbox.perform(request(tmp_path, seconds=0), every=0.01)
    assert process.poll() is not None
    wait_for_group(process.pid)
    sandbox.close()


def test_a_cancelled_task_is_ended(tmp_path: Path) -> None:
    sandbox = Sandbox()
    process = sandbox._ensure_started()
    with pytest.raises(StoppedError):
        sandbox.perform(request(tmp_path), beat=lambda step: False, every=0.001)
    wait_for_group(process.pid)
    sandbox.close()


def test_a_task_that_is_killed_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    sandbox = Sandbox()
    assert sandbox.folder.is_dir(), "where files of tasks belong"
    monkeypatch.setenv("TMPDIR", str(temporary))
    with pytest.raises(StoppedError):
        sandbox.perform(request(tmp_path), beat=lambda step: step is None)  # the submission is unpacked by then
    assert list(temporary.iterdir()) == []
    sandbox.close()


def test_a_process_that_is_killed_is_an_error_and_another_one_begins(tmp_path: Path) -> None:
    sandbox = Sandbox()
    asked = request(tmp_path)
    process = sandbox._ensure_started()
    process.send_signal(signal.SIGSTOP)

    def kill(step: object) -> bool:
        process.kill()
        return True

    with pytest.raises(TaskError, match="killed"):
        sandbox.perform(asked, beat=kill, every=0.01)
    assert sandbox.perform(asked)["runs"][0]["score"] == 1.0
    sandbox.close()


def test_a_process_without_a_worker_leaves_nothing_behind() -> None:
    """As when the worker was killed: its end of the pipe is closed, and nobody clears up."""
    sandbox = Sandbox()
    process, folder = sandbox._ensure_started(), sandbox.folder
    (folder / "key-1").mkdir()
    assert process.stdin is not None
    process.stdin.close()
    process.wait()
    assert not folder.exists()
    sandbox.close()


def test_a_job_that_goes_wrong_waits_longer_each_time(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a.db")
    world = ServerWorld(store, limits=Limits(checkers=1, attempts=3, memory=4 << 30))
    world.submit(world.add_team("mill"))
    waits = []
    for _ in range(3):
        lease = take(world)
        assert lease is not None
        with store.write() as session:
            held = jobs.lock_job(session, lease)
            assert held is not None
            jobs.try_again(session, held, "it took too long", at=world.clock(), attempts=3)
            waits.append((held.state, (held.not_before - world.clock()).total_seconds()))
        world.clock.forward(seconds=600)
    assert waits[:2] == [("waiting", 2.0), ("waiting", 4.0)]
    assert waits[2][0] == "failed"
    (one,) = submissions.list_submissions(world.server, world.organiser)
    assert (one.state, one.failure) == ("failed", "it took too long")
    world.close()
    store.close()


def test_the_folder_of_a_killed_worker_is_removed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "import os, signal; from coindex.campaigns.sandbox import Sandbox; Sandbox().folder; os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    sandbox, other = Sandbox(), Sandbox()
    assert sandbox.folder.exists()
    assert other.folder.exists()
    assert not left.exists()
    assert sandbox.folder.exists(), "its worker runs"
    sandbox.close()
    other.close()
    assert not list(tmp_path.iterdir())
