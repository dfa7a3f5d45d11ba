"""A writer is killed repeatedly during its work; every acknowledged operation is stored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import store_writer
from coindex.annotation_app.layers import open_store
from store_samples import small_project
from store_writer import operation

ALL = 10_000
KILLS_AT = (40, 1_300, 1_330, 2_900, 3_000, 5_200, 5_260, 7_400, 9_100, ALL)
"""The operations that the test waits for before each kill; the writer never stops by itself."""
WRITER = Path(store_writer.__file__)


def write_until(place: str, layer: int, revision: int) -> list[int]:
    """The revisions that a writer was told of, up to this one and to the kill that follows."""
    command = [sys.executable, str(WRITER), place, str(layer)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stderr is not None
        seen = b""
        while last_of(seen) < revision and (more := os.read(writer.stdout.fileno(), 4096)):
            seen += more
        writer.send_signal(signal.SIGKILL)
        seen += writer.stdout.read()
        assert writer.wait() == -signal.SIGKILL, writer.stderr.read()
    return whole_lines(seen)


def whole_lines(output: bytes) -> list[int]:
    """The numbers on whole lines; the last line may have been cut off."""
    return [int(line) for line in output.split(b"\n")[:-1]]


def last_of(output: bytes) -> int:
    return max(whole_lines(output[output.rfind(b"\n", 0, -1) + 1 :]), default=0)


def test_no_acknowledged_operation_is_lost(place: str) -> None:
    store = open_store(place)
    layer = small_project(store).layer
    store.close()
    last = 0
    for revision in KILLS_AT:
        told = write_until(place, layer, max(revision, last + 1))
        assert told[0] > last
        assert told[-1] >= revision
        last = check(place, layer, since=last, told=told[-1])
    store = open_store(place)
    log = store.layers.log(layer)
    assert len(log) >= ALL
    assert [step.edits for step in log] == [operation(revision).edits for revision in range(1, len(log) + 1)]
    store.close()


def check(place: str, layer: int, *, since: int, told: int) -> int:
    """Where the log has come to: all that was told is there, in order, and the document is what the log says."""
    store = open_store(place)
    log = store.layers.log(layer, since)
    assert [step.revision for step in log] == list(range(since + 1, since + len(log) + 1))
    assert log[-1].revision >= told
    assert [step.edits for step in log] == [operation(step.revision).edits for step in log]
    assert store.layers.document_at(layer).entities[0].type == f"t{log[-1].revision}"
    store.close()
    return log[-1].revision
