"""A writer is killed in the middle of its work, again and again: every operation it was told is stored, is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from coindex.store import Store, open_store
from store_samples import small_project

AFTER = (3, 150, 20, 80, 1, 60, 10, 40, 5, 30)
"""How many operations the test waits for before each kill; the writer means to do thousands."""
WRITER = Path(__file__).with_name("writer.py")


def acknowledged(output: bytes) -> list[int]:
    """The numbers on whole lines; the last may have been cut off."""
    return [int(line) for line in output.split(b"\n")[:-1]]


def test_no_acknowledged_operation_is_lost(place: str) -> None:
    store = open_store(place)
    layer = small_project(store).layer
    store.close()
    last = 0
    for after in AFTER:
        with subprocess.Popen(
            [sys.executable, str(WRITER), place, str(layer), "10000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            assert writer.stderr is not None
            seen = b""
            while seen.count(b"\n") < after and (more := os.read(writer.stdout.fileno(), 4096)):
                seen += more
            writer.send_signal(signal.SIGKILL)
            seen += writer.stdout.read()
            assert writer.wait() == -signal.SIGKILL, writer.stderr.read()
        told = acknowledged(seen)
        assert len(told) >= after
        assert told[0] > last
        last = told[-1]
        check(place, layer, last)


def check(place: str, layer: int, last: int) -> None:
    """Everything up to the last acknowledged revision is there, and the log has no hole and no half."""
    store: Store = open_store(place)
    log = store.layers.log(layer)
    assert len(log) >= last
    assert [step.revision for step in log] == list(range(1, len(log) + 1))
    doc = store.layers.document_at(layer)
    assert doc.entities[0].type == str(len(log) - 1)
    store.close()
