"""Folders for one test run, and what the tests left there, in the repository, or running."""

from __future__ import annotations

import multiprocessing.util
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 30.0
"""Seconds that processes may take to end after the last test."""
OF_PYTHON = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "loky.backend.resource_tracker")
"""Helpers of Python itself and of joblib, which end with the process that started them: without workers, this one."""
CACHES = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")


AT_EXIT = ("pymp-", "coindex-import-")
"""Folders that a process removes when it ends. Workers of pytest-xdist end without that step."""


class Surroundings:
    """A new `TMPDIR` and `HOME` until `close()`."""

    def __init__(self, repository: Path) -> None:
        multiprocessing.util.get_temp_dir()  # of this process, which Python itself removes at the end
        self.leftovers: list[str] = []
        self._repository = repository
        self._before = dict(os.environ)
        self._changed = changed_files(repository, self._before)
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())  # `tmp_path` of failed tests is kept
        self._folder = Path(tempfile.mkdtemp(prefix="coindex-tests-"))
        self._folder.chmod(0o755)  # the PostgreSQL of a run as root belongs to another user
        self._temporary, home = self._folder / "tmp", self._folder / "home"
        for folder in (self._temporary, home):
            folder.mkdir()
        os.environ["TMPDIR"] = str(self._temporary)
        os.environ["HOME"] = os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(home)
        for variable in CACHES:
            os.environ.pop(variable, None)
        tempfile.tempdir = None  # it is remembered after the first use

    def find_leftovers(self) -> list[str]:
        """Describe each process that still runs, and each new file in `TMPDIR` and in the repository."""
        ends = time.monotonic() + PATIENCE
        while (running := running_processes(self._temporary)) and time.monotonic() < ends:
            time.sleep(0.1)
        self.leftovers = [f"process {line}" for line in running]
        kept = [path for path in sorted(self._temporary.iterdir()) if not path.name.startswith(AT_EXIT)]
        self.leftovers += [f"file {path}" for path in kept]
        changed = changed_files(self._repository, self._before) - self._changed
        self.leftovers += [f"file {self._repository / name}" for name in sorted(changed)]
        return self.leftovers

    def close(self) -> None:
        os.environ.clear()
        os.environ.update(self._before)
        tempfile.tempdir = None
        shutil.rmtree(self._folder, ignore_errors=True)


def running_processes(temporary: Path) -> list[str]:
    """The processes with this `TMPDIR`: their command, and the test that started them."""
    mark = b"TMPDIR=" + os.fsencode(temporary)
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            variables = (process / "environ").read_bytes().split(b"\0")
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # ended meanwhile, or of another user
            continue
        if mark in variables and not any(helper in command for helper in OF_PYTHON):
            test = next((v.partition(b"=")[2].decode() for v in variables if v.startswith(b"PYTEST_CURRENT_TEST=")), "")
            found.append(f"{process.name}: {command[:200]}{f' (started by {test})' if test else ''}")
    return found


def changed_files(repository: Path, environment: dict[str, str]) -> set[str]:
    """What `git status` lists; nothing where there is no git, or no repository."""
    command = ["git", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]
    try:
        done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return set()
    return {re.sub(r"^.. ", "", os.fsdecode(entry)) for entry in done.stdout.split(b"\0") if entry}
