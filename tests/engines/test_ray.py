"""Workers on Ray: the same results as in one process, whatever dies, and nothing left behind.

Ray runs in processes of its own: a cluster that `ray_nodes.py` starts, or one that a command starts for itself.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from coindex.engines import Workers
from coindex.errors import CoindexError, UnknownNameError
from command import run
from engine_commands import COMMANDS, run_commands, write_corpora
from engine_runs import COMMAND, make_environment, read_rows, write_texts
from ray_nodes import Nodes, start_nodes
from waiting import wait_until

pytest.importorskip("ray")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="clusters of several nodes are tested on Linux")
OPTIONS = ("-r", "trap + are-baseline", "--to", "json", "--shard-words")
NUMBER = 2000

SCRIPT = """
import json, os, sys, warnings
from coindex.engines import Workers, map_documents
from coindex.errors import CoindexError, DataWarning, FormatError, Problem

def work(number):
    if number == 3:
        warnings.warn(DataWarning("three"))
    if number == 11:
        os._exit(3)
    if number == 15:
        raise FormatError(Problem("a.conllu", 7, "fifteen", "less", "count", code="invalid-line"))
    return number * number

if __name__ == "__main__":
    # importable by name in the workers, as functions of a package are
    import script
    results = map_documents(script.work, range(20), Workers(2, "ray"), chunk=4, on_lost=lambda item, reason: reason)
    found, error = [], None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for result in results:
                found.append(result)
        except CoindexError as problem:
            error = [type(problem).__name__, problem.code, problem.exit_code, problem.line]
    shown = [str(warning.message) for warning in caught if isinstance(warning.message, DataWarning)]
    usage = os.environ["RAY_USAGE_STATS_ENABLED"]
    print(json.dumps({"found": found, "error": error, "warnings": shown, "usage": usage}))
"""


def test_a_cluster_on_this_machine(tmp_path: Path) -> None:
    """Order, warnings, errors and lost items are as with local processes; Ray prints nothing and leaves no file."""
    (tmp_path / "script.py").write_text(SCRIPT)
    before = set(Path("/tmp").glob("coindex-ray-*"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    found = result["found"]
    assert found[:11] == [number * number for number in range(11)]
    assert "its worker died 3 times" in found[11]
    assert found[12:] == [144, 169, 196]
    assert result["error"] == ["FormatError", "invalid-line", 2, 7]
    assert result["warnings"] == ["three"]
    assert result["usage"] == "0"
    wait_until(lambda: set(Path("/tmp").glob("coindex-ray-*")) <= before)
    assert not (Path.home() / ".ray").exists()


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with start_nodes(tmp_path_factory.mktemp("nodes") / "gate") as nodes:
        yield nodes


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2,000 texts, the second half of which waits for the gate, and their shards as one process writes them."""
    folder = tmp_path_factory.mktemp("texts")
    write_texts(folder / "texts.json", NUMBER, dict.fromkeys(range(NUMBER // 2, NUMBER), "WAIT"))
    (folder / "gate").touch()
    command = [*COMMAND, "resolve", str(folder / "texts.json"), "-o", str(folder / "out"), *OPTIONS, "2500"]
    subprocess.run(command, env=make_environment(folder / "gate"), check=True, capture_output=True)
    return folder


@contextmanager
def start(nodes: Nodes, input: Path, out: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Start a run on the cluster; it is killed if the test fails."""
    ray = ("--engine", "ray", "--address", nodes.address)
    command = [*COMMAND, "resolve", str(input), "-o", str(out), *OPTIONS, *more, *ray]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=nodes.environment, stdout=pipe, stderr=pipe, text=True) as work:
        try:
            yield work
        finally:
            work.kill()


def wait_for_shards(out: Path, number: int, work: subprocess.Popen[str]) -> None:
    """Wait until the manifest has a header and so many shards."""
    manifest = out / "manifest.jsonl"
    wait_until(lambda: manifest.exists() and manifest.read_bytes().count(b"\n") > number, work)


def read_parts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("part-*")}


def test_a_node_dies_and_another_joins(nodes: Nodes, texts: Path, tmp_path: Path) -> None:
    gate = Path(nodes.environment["TRAP_GATE"])
    with start(nodes, texts / "texts.json", tmp_path / "out", "2500", "--jobs", "0") as work:
        wait_for_shards(tmp_path / "out", 8, work)  # almost all whose documents do not wait
        nodes.tell("kill")
        nodes.tell("add")
        gate.touch()
        out, err = work.communicate()
    gate.unlink()
    assert (work.returncode, out) == (0, ""), err
    assert err == f"{NUMBER:,} documents in {len(read_parts(texts / 'out'))} shards done\n"
    assert read_parts(tmp_path / "out") == read_parts(texts / "out")
    ids = [row["id"] for row in read_rows(tmp_path / "out")]
    assert ids == [f"doc{number}" for number in range(NUMBER)]


def test_the_driver_is_killed_and_the_run_resumes(nodes: Nodes, texts: Path, tmp_path: Path) -> None:
    gate = Path(nodes.environment["TRAP_GATE"])
    with start(nodes, texts / "texts.json", tmp_path / "out", "2500", "--jobs", "2") as work:
        wait_for_shards(tmp_path / "out", 8, work)
        work.send_signal(signal.SIGKILL)
    gate.touch()
    with start(nodes, texts / "texts.json", tmp_path / "out", "2500", "--jobs", "2") as work:
        _, err = work.communicate()
    gate.unlink()
    assert work.returncode == 0, err
    assert "done before (--overwrite repeats them)" in err
    assert read_parts(tmp_path / "out") == read_parts(texts / "out")
    assert not list((tmp_path / "out").glob(".part-*"))


def test_a_document_that_kills_its_workers(nodes: Nodes, tmp_path: Path) -> None:
    write_texts(tmp_path / "texts.json", 24, {13: "POISON"})
    with start(nodes, tmp_path / "texts.json", tmp_path / "out", "300", "--jobs", "2") as work:
        out, err = work.communicate()
    assert (work.returncode, out) == (1, ""), err
    (line,) = (tmp_path / "out/errors.jsonl").read_text().splitlines()
    assert (json.loads(line)["id"], json.loads(line)["code"]) == ("doc13", "process-died")
    write_texts(tmp_path / "others.json", 24)
    environment = make_environment(tmp_path)
    command = [*COMMAND, "resolve", str(tmp_path / "others.json"), "-o", str(tmp_path / "expected"), *OPTIONS, "300"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert read_rows(tmp_path / "out") == [row for row in read_rows(tmp_path / "expected") if row["id"] != "doc13"]


def test_all_commands_give_the_same(nodes: Nodes, tmp_path: Path) -> None:
    """What they print and write on Ray is the same as in one process, to the last byte, with relative paths too."""
    for name in ("here", "ray"):
        write_corpora(tmp_path / name)
    ray = ("--engine", "ray", "--address", nodes.address)
    script = Path(__file__).parents[1] / "engine_commands.py"
    command = [sys.executable, "-W", "ignore", str(script), str(tmp_path / "ray"), *ray]
    with subprocess.Popen(command, env=nodes.environment, stdout=subprocess.PIPE) as work:
        expected = run_commands(tmp_path / "here")
        out, _ = work.communicate()
    result = json.loads(out.splitlines()[-1])
    assert [name for name in expected | result if result.get(name) != expected.get(name)] == []
    assert [name for name in map(" ".join, COMMANDS) if not expected[name].startswith("0\n")] == []


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_no_cluster_at_the_address(scheme: str) -> None:
    with socket.socket() as held:  # a port that nobody listens to
        held.bind(("127.0.0.1", 0))
        address = f"{scheme}127.0.0.1:{held.getsockname()[1]}"
        command = [*COMMAND, "stats", "examples/garden.conllu", "--engine", "ray", "--address", address]
        root = Path(__file__).parents[2]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: cannot connect to Ray at {address}: ")
    assert len(done.stderr.splitlines()) == 1


def test_options_of_workers() -> None:
    with pytest.raises(CoindexError, match="add --engine ray"):
        Workers(2, address="auto")
    with pytest.raises(UnknownNameError, match="did you mean ray"):
        Workers(2, "rai")  # type: ignore[arg-type]
    assert Workers(3, "ray").count() == 3
    assert not Workers(1, "ray").are_here
    done = run("stats", "examples/garden.conllu", "--address", "auto")
    assert (done.code, "--engine ray" in done.err) == (2, True)


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = run("stats", "examples/garden.conllu", "--engine", "ray", "--jobs", "2")
    assert (done.code, "pip install 'coindex[ray]'" in done.err) == (2, True)
