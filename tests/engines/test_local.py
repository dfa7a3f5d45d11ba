"""Work on several processes: in order, lazily, with errors where they belong, and quiet when interrupted."""

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from coindex.engines import Workers, map_documents
from coindex.engines.scheduling import PREFETCH
from coindex.errors import CoindexError, DataWarning, FormatError, MissingExtraError, Problem, UnknownNameError
from waiting import wait_for_group


def square(number: int) -> int:
    return number * number


def process(_: object) -> int:
    return os.getpid()


def fail_at_three(number: int) -> int:
    if number == 3:
        raise FormatError(Problem("a.conllu", 7, "a three", "no three", "count on", code="invalid-line"))
    return number


def fail_in_other_ways(number: int) -> int:
    if number:
        raise UnknownNameError("metric", "mucc", ["muc"])
    raise MissingExtraError("pandas", "pandas")


def die(_: object) -> None:
    os._exit(3)


def die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_once(number: int, folder: Path) -> int:
    if number == 3 and not (folder / "died").exists():
        (folder / "died").touch()
        os._exit(1)
    return number


def warn_about(number: int) -> int:
    warnings.warn(DataWarning(f"number {number}"), stacklevel=1)
    return number


def make_lambda(_: int) -> object:
    return lambda: None


@pytest.mark.parametrize(("jobs", "chunk"), [(1, 1), (2, 1), (2, 3), (3, 50)])
def test_results_come_in_order(jobs: int, chunk: int) -> None:
    assert list(map_documents(square, range(20), jobs, chunk=chunk)) == [n * n for n in range(20)]


def test_nothing_to_do() -> None:
    assert list(map_documents(square, [], 2)) == []


def test_other_processes_do_the_work() -> None:
    pids = set(map_documents(process, range(8), 2))
    assert os.getpid() not in pids
    assert len(pids) <= 2
    assert set(map_documents(process, range(2), 1)) == {os.getpid()}


def test_items_are_taken_only_as_fast_as_they_are_worked_on() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = map_documents(square, items(), 2)
    assert [next(results), next(results)] == [0, 1]
    assert len(taken) <= 2 * PREFETCH + 2
    results.close()  # type: ignore[attr-defined]


def test_an_error_comes_where_its_result_would() -> None:
    results = map_documents(fail_at_three, range(9), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(FormatError, match=r"a\.conllu:7: a three; expected no three; count on") as caught:
        next(results)
    assert caught.value.problem.line == 7


@pytest.mark.parametrize(("number", "kind"), [(0, MissingExtraError), (1, UnknownNameError)])
def test_errors_with_own_arguments_reach_the_main_process(number: int, kind: type[CoindexError]) -> None:
    with pytest.raises(kind, match=r"pip install 'coindex\[pandas\]'" if number == 0 else "did you mean muc"):
        list(map_documents(fail_in_other_ways, [number], 2))


def test_a_process_that_dies_is_reported() -> None:
    with pytest.raises(CoindexError, match=r"its worker died 3 times: ended with code 3.*use fewer jobs") as caught:
        list(map_documents(die, range(3), 2))
    assert caught.value.code == "process-died"


@pytest.mark.parametrize("chunk", [1, 4])
def test_an_item_that_ends_its_worker_does_not_harm_others(chunk: int) -> None:
    results = map_documents(die_at_three, range(9), 2, chunk=chunk, on_lost=lambda item, reason: -item)
    assert list(results) == [0, 1, 2, -3, 4, 5, 6, 7, 8]


def test_a_worker_that_dies_once_is_replaced(tmp_path: Path) -> None:
    work = partial(die_once, folder=tmp_path)
    assert list(map_documents(work, range(6), 2, chunk=2)) == list(range(6))


def test_warnings_reach_the_main_process() -> None:
    with pytest.warns(DataWarning) as caught:
        assert list(map_documents(warn_about, [1, 2], 2)) == [1, 2]
    assert [str(warning.message) for warning in caught] == ["number 1", "number 2"]


def test_results_before_an_error_in_the_same_chunk_are_kept() -> None:
    results = map_documents(fail_at_three, range(9), 2, chunk=9)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(FormatError):
        next(results)


def test_results_that_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="cannot be sent to another process"):
        list(map_documents(make_lambda, [1], 2))


def test_numbers_of_jobs() -> None:
    assert Workers(0).count() == os.cpu_count()
    assert Workers(3).count() == 3
    with pytest.raises(CoindexError, match="the number of jobs cannot be -1; use 1 or more"):
        map_documents(square, [1], -1)


SCRIPT = """
import sys, time
from coindex.engines import map_documents
def items():
    print("begun", flush=True)
    while True:
        yield 0.05
if __name__ == "__main__":
    try:
        for _ in map_documents(time.sleep, items(), 2):
            print("one", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
"""


def test_an_interrupt_while_a_thread_begins_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Thread, "start", start)
    with pytest.raises(KeyboardInterrupt):
        list(map_documents(square, range(5), 2))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are a thing of Unix")
@pytest.mark.parametrize("lines", [["begun"], ["begun", "one"]], ids=["while processes begin", "in the middle"])
def test_interrupts_leave_no_traces(tmp_path: Path, lines: list[str]) -> None:
    script = tmp_path / "work.py"
    script.write_text(SCRIPT)
    work = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert work.stdout is not None
    for line in lines:
        assert work.stdout.readline() == line + "\n"
    os.killpg(work.pid, signal.SIGINT)  # as Ctrl-C does: to all of them
    out, err = work.communicate()
    assert err == "", err
    assert out.endswith("interrupted\n")
    assert work.returncode == 130
    wait_for_group(work.pid)
