"""A PostgreSQL 15 of the tests' own: made by initdb in a temporary folder, reached by its socket, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
SETTINGS = "-c listen_addresses='' -c fsync=on -c max_connections=60 -c shared_buffers=16MB"


@dataclass(frozen=True)
class Cluster:
    """A running server."""

    socket: Path
    user: str

    def empty_database(self, name: str) -> str:
        """The address of a database with nothing in it, whatever a test before left there."""
        import psycopg

        place = {"host": str(self.socket), "user": self.user, "autocommit": True}
        with psycopg.connect(**place, dbname="postgres") as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
                connection.execute(f"CREATE DATABASE {name}")
        with psycopg.connect(**place, dbname=name) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return f"postgresql://{self.user}@/{name}?host={self.socket}"


@contextmanager
def start_cluster(folder: Path) -> Iterator[Cluster]:
    """Start a server; where there is none to start, the tests say why they are skipped."""
    if not (PROGRAMS / "initdb").exists():
        pytest.skip("PostgreSQL 15 is not installed (Debian: apt-get install postgresql)")
    user = _user()
    # A socket's path has at most 107 bytes and its folder must be reachable by another user: not below pytest's.
    home = Path(tempfile.mkdtemp(prefix="coindex-pg-"))
    try:
        if user != pwd.getpwuid(os.geteuid()).pw_name:
            shutil.chown(home, user)
        data = home / "data"
        _run(user, "initdb", "-D", str(data), "-U", user, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        log = str(home / "log")
        _run(user, "pg_ctl", "-D", str(data), "-l", log, "-o", f"{SETTINGS} -k {home}", "-w", "-t", "120", "start")
        try:
            yield Cluster(home, user)
        finally:
            _run(user, "pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _user() -> str:
    """Who runs the server: we, or for root, whom PostgreSQL refuses, its own user or nobody."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _run(user: str, program: str, *arguments: str) -> None:
    command = [str(PROGRAMS / program), *arguments]
    if os.geteuid() == 0:
        command = ["runuser", "-u", user, "--", *command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
