"""Where the tests run: folders of their own, children that can be interrupted, and a check that nothing is left behind.

The process that starts a run (not the workers of pytest-xdist) gives all tests a new `TMPDIR` and `HOME`. Every process
that a test starts inherits them, so a process or a file that is still there at the end can be found, and fails the run.
"""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from leftovers import Surroundings

pytest_plugins = ["databases"]

# Machines are shared and noisy: how long an example takes says nothing.
settings.register_profile("coindex", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("coindex")

# There is a worker for every CPU already. Libraries read this when they are imported; processes inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # for tests that import onnxruntime themselves

SURROUNDINGS = pytest.StashKey[Surroundings]()


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        _let_children_be_interrupted()
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        config.stash[SURROUNDINGS] = Surroundings(config.rootpath)


def _let_children_be_interrupted() -> None:
    """Replace an ignored SIGINT by a handler that does nothing.

    Under `nohup make test &` SIGINT is ignored, and what is ignored stays so in every child, in contrast to a handler.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, frame: None)


@pytest.hookimpl(trylast=True)  # when fixtures are finished and workers have ended
def pytest_sessionfinish(session: pytest.Session) -> None:
    surroundings = session.config.stash.get(SURROUNDINGS, None)
    if surroundings and surroundings.find_leftovers() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    surroundings = config.stash.get(SURROUNDINGS, None)
    if surroundings and surroundings.leftovers:
        terminalreporter.section("left behind by the tests", red=True)
        for line in surroundings.leftovers:
            terminalreporter.line(line)


def pytest_unconfigure(config: pytest.Config) -> None:
    if surroundings := config.stash.get(SURROUNDINGS, None):
        surroundings.close()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is absent."""
    root = os.environ.get("COINDEX_DATA")
    if not root or not (folder := Path(root) / "data").is_dir():
        pytest.skip("COINDEX_DATA does not name a folder with real corpora")
    return folder
