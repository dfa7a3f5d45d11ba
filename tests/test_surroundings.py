"""What `conftest.py` promises of every run: children that can be interrupted, and nothing left behind unnoticed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import leftovers
from leftovers import Surroundings

SLEEPS = [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(3600)"]


def test_children_can_be_interrupted() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.skipif(os.name != "posix", reason="there is no nohup")
def test_children_can_be_interrupted_in_a_run_that_ignores_interrupts() -> None:
    test = f"{__file__}::{test_children_can_be_interrupted.__name__}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    root = Path(__file__).parents[1]

    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, preexec_fn=ignore)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("there is no git on this machine")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "there").touch()
    return tmp_path


def test_a_clean_run_leaves_nothing(repository: Path) -> None:
    home, temporary = Path.home(), tempfile.gettempdir()
    surroundings = Surroundings(repository)
    assert Path.home() != home
    with tempfile.TemporaryDirectory() as folder:
        assert Path(folder).parent != Path(temporary)
    assert surroundings.find_leftovers() == []
    surroundings.close()
    assert (Path.home(), tempfile.gettempdir()) == (home, temporary)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes cannot be looked at here")
def test_what_is_left_behind_is_named(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "PATIENCE", 0)
    surroundings = Surroundings(repository)
    made = tempfile.mkdtemp()
    (repository / "new file").touch()
    with subprocess.Popen(SLEEPS, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        left = surroundings.find_leftovers()
        process.kill()
    surroundings.close()
    assert left[1:] == [f"file {made}", f"file {repository / 'new file'}"]
    assert left[0].startswith(f"process {process.pid}: {sys.executable}")
    assert "test_surroundings.py::test_what_is_left_behind_is_named" in left[0]
    assert not Path(made).exists()
