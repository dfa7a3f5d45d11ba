"""`coindex campaign work`: another worker for a server's database."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from campaigns.server_world import ServerWorld, definition
from coindex.annotation_app.layers import open_store
from coindex.campaigns import submissions
from command import run
from waiting import wait_until


def old_world(file: Path) -> ServerWorld:
    """A campaign of the past, so that its jobs are due by any clock."""
    world = ServerWorld(open_store(file), text=definition().replace("2030", "2020"))
    world.clock.now = world.clock.now.replace(year=2020)
    world.submit(world.add_team("mill"))
    return world


def test_it_works_off_the_queue(tmp_path: Path) -> None:
    world = old_world(tmp_path / "a.db")
    done = run("campaign", "work", "--once", "--database", tmp_path / "a.db")
    assert (done.code, done.out) == (0, b"1 done\n")
    assert [one.state for one in submissions.list_submissions(world.server, world.organiser)] == ["done"]
    world.close()
    world.store.close()


def test_it_goes_on_until_it_is_stopped(tmp_path: Path) -> None:
    world = old_world(tmp_path / "a.db")
    command = [sys.executable, "-m", "coindex", "campaign", "work", "--database", str(tmp_path / "a.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
        wait_until(
            lambda: [one.state for one in submissions.list_submissions(world.server, world.organiser)] == ["done"],
            worker,
        )
        worker.send_signal(signal.SIGTERM)
        assert worker.wait() == 0
    world.close()
    world.store.close()
