"""Resolving into shards: the same bytes whoever writes them, runs that resume, documents that fail set aside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from command import run
from engine_runs import COMMAND, make_environment, read_rows, write_texts
from waiting import wait_until

TRAP = ("-r", "trap + are-baseline", "--to", "json", "--shard-words", "200")


def resolve(input: Path, output: Path, *more: str, gate: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What the command does in a process of its own, which knows the resolver `trap`."""
    command = [*COMMAND, "resolve", str(input), "-o", str(output), *TRAP, *more]
    environment = make_environment(gate or input)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shards of 60 texts, written by one process."""
    folder = tmp_path_factory.mktemp("shards")
    write_texts(folder / "texts.json", 60)
    done = resolve(folder / "texts.json", folder / "out")
    assert (done.returncode, done.stderr) == (0, "60 documents in 7 shards done\n")
    return folder


def test_shards_have_all_documents_in_order(expected: Path) -> None:
    rows = read_rows(expected / "out")
    assert [row["id"] for row in rows] == [f"doc{number}" for number in range(60)]
    header, *records = map(json.loads, (expected / "out/manifest.jsonl").read_text().splitlines())
    assert header["words"] == 200
    assert header["settings"]["resolver"] == "trap + are-baseline"
    assert [record["file"] for record in records] == [f"part-0000{number}.json" for number in range(7)]
    assert sum(record["documents"] for record in records) == 60
    assert all(record["bytes"] == (expected / "out" / record["file"]).stat().st_size for record in records)
    assert all(record["words"] >= 200 for record in records[:-1])


def test_workers_write_the_same_bytes(expected: Path, tmp_path: Path) -> None:
    done = resolve(expected / "texts.json", tmp_path / "out", "--jobs", "2", "--log-json")
    assert done.returncode == 0
    *_, last, _ = done.stderr.splitlines()
    log = json.loads(last)
    assert (log["documents"], log["failed"], log["finished"]) == (60, 0, True)
    for path in sorted((expected / "out").iterdir()):
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
def test_documents_that_fail_are_set_aside(expected: Path, tmp_path: Path) -> None:
    write_texts(tmp_path / "texts.json", 60, {17: "POISON", 44: "WRONG"})
    done = resolve(tmp_path / "texts.json", tmp_path / "out", "--jobs", "2")
    assert done.returncode == 1, done.stderr
    assert done.stderr.endswith("58 documents in 7 shards done, 2 failed (see errors.jsonl)\n")
    poison, wrong = map(json.loads, (tmp_path / "out/errors.jsonl").read_text().splitlines())
    assert (poison["number"], poison["id"], poison["code"]) == (17, "doc17", "process-died")
    assert "signal 9" in poison["reason"]
    assert (wrong["number"], wrong["id"], wrong["reason"]) == (44, "doc44", "ValueError: a wrong word")
    rows = read_rows(tmp_path / "out")
    assert rows == [row for row in read_rows(expected / "out") if row["id"] not in ("doc17", "doc44")]
    again = resolve(tmp_path / "texts.json", tmp_path / "out", "--jobs", "2")
    assert again.returncode == 1
    assert again.stderr.endswith("7 done before (--overwrite repeats them), 2 failed (see errors.jsonl)\n")


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_resumes(expected: Path, tmp_path: Path, jobs: str) -> None:
    write_texts(tmp_path / "texts.json", 60, dict.fromkeys(range(30, 60), "WAIT"))
    out, gate = tmp_path / "out", tmp_path / "gate"
    command = [*COMMAND, "resolve", str(tmp_path / "texts.json"), "-o", str(out), *TRAP, "--jobs", jobs]
    manifest = out / "manifest.jsonl"
    with subprocess.Popen(command, env=make_environment(gate), stderr=subprocess.PIPE, text=True) as work:
        wait_until(lambda: manifest.exists() and manifest.read_bytes().count(b"\n") >= 3, work)
        work.send_signal(signal.SIGKILL)
    before = manifest.read_text()
    with manifest.open("a") as file:
        file.write('{"shard": 7, "fi')  # as if it had died while writing
    gate.touch()
    done = resolve(tmp_path / "texts.json", out, "--jobs", jobs, gate=gate)
    assert done.returncode == 0, done.stderr
    assert "done before" in done.stderr
    assert manifest.read_text().startswith(before)
    assert [row["id"] for row in read_rows(out)] == [f"doc{number}" for number in range(60)]
    assert read_rows(out)[:30] == read_rows(expected / "out")[:30]
    assert not list(out.glob(".part-*"))


def test_another_input_needs_another_folder(expected: Path, tmp_path: Path) -> None:
    texts, out = expected / "texts.json", expected / "out"
    other = ("-r", "are-baseline", "--to", "json", "--shard-words", "200")
    assert run("resolve", texts, "-o", out, *other).code == 2  # another resolver
    (tmp_path / "mine").touch()
    refused = run("resolve", texts, "-o", tmp_path, *other)
    assert (refused.code, "empty folder" in refused.err) == (2, True)
    assert run("resolve", "-", "-o", tmp_path / "out", *other, input=b"Ann.").code == 2
    assert run("resolve", texts, *other).code == 2  # no folder


def test_a_shard_that_is_gone_is_written_again(expected: Path, tmp_path: Path) -> None:
    texts, out = expected / "texts.json", tmp_path / "out"
    options = ("-r", "are-baseline", "--to", "json", "--shard-words", "200")
    assert run("resolve", texts, "-o", out, *options).code == 0
    kept = {path.name: path.read_bytes() for path in out.glob("part-*")}
    (out / "part-00002.json").unlink()
    (out / "part-00004.json").write_text("half")
    done = run("resolve", texts, "-o", out, *options)
    assert (done.code, "2 shards done, 5 done before" in done.err) == (0, True)
    assert {path.name: path.read_bytes() for path in out.glob("part-*")} == kept
    changed = run("resolve", texts, "-o", out, *options[:-1], "100", "--overwrite")
    assert (changed.code, len(list(out.glob("part-*")))) == (0, 12)


def test_each_problem_of_all_documents_is_listed(expected: Path, tmp_path: Path) -> None:
    done = run("resolve", expected / "texts.json", "-r", "sieves", "-o", tmp_path / "out", "--shard-words", "900")
    assert done.code == 2  # nothing was resolved
    lines = (tmp_path / "out/errors.jsonl").read_text().splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["missing-layer"] * 60


def test_only_one_run_at_a_time(expected: Path, tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with (expected / "out/manifest.jsonl").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = resolve(expected / "texts.json", expected / "out")
    assert (done.returncode, "another run" in done.stderr) == (2, True)
