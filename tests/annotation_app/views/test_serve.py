"""`coindex serve`, `backup` and `restore` as commands."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from coindex.annotation_app.layers import open_store
from coindex.server.database import Store
from store_samples import small_project

COMMAND = [sys.executable, "-m", "coindex"]


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, cwd=folder, check=False)


def test_the_first_start_prints_a_link_that_works_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        lines = [server.stdout.readline() for _ in range(3)]
        assert re.match(r"coindex is at http://127\.0\.0\.1:\d+ \(database coindex\.db\)", lines[0]), (
            server.stderr.read()
        )
        with urllib.request.urlopen(lines[2].strip()) as answer:
            assert "Create the administrator" in answer.read().decode()
        server.send_signal(signal.SIGINT)
        server.wait()
        said = server.stderr.read()
        assert "Traceback" not in said
    assert (tmp_path / "coindex.db").is_file()


def test_a_port_in_use_is_reported(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run("serve", "--port", str(port), folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"error: port {port} is in use by another program; choose another with --port\n"
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    done = run("serve", "--port", "0", "--database", "nowhere/a.db", folder=tmp_path)
    assert (done.returncode, "the folder does not exist" in done.stderr) == (2, True)


def test_backup_and_restore(tmp_path: Path) -> None:
    store: Store = open_store(tmp_path / "coindex.db")
    small_project(store)
    store.close()
    done = run("backup", "b.gz", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run("restore", "b.gz", "--database", "new.db", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    back = open_store(tmp_path / "new.db")
    assert back.layers.document_at(1).id == "cats"
    back.close()
    again = run("restore", "b.gz", "--database", "new.db", folder=tmp_path)
    assert (again.returncode, "the database is not empty" in again.stderr) == (2, True)
    missing = run("backup", "c.gz", "--database", "none.db", folder=tmp_path)
    assert (missing.returncode, "no such database" in missing.stderr) == (2, True)
    assert not (tmp_path / "none.db").exists()
