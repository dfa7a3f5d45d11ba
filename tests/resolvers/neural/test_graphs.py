"""Graphs are loaded again in a forked process."""

import os

import pytest

from coindex.resolvers.neural import runtime
from coindex.resolvers.neural.runtime import WORDS, Sessions


@pytest.fixture
def forked(monkeypatch, tmp_path):
    """Graphs that another process has loaded."""
    monkeypatch.setattr(runtime, "_ABANDONED", [])
    monkeypatch.setattr(runtime, "_session", lambda path, threads: "old")
    sessions = Sessions(tmp_path, (WORDS,))
    assert sessions[WORDS] == "old"
    monkeypatch.setattr(os, "getpid", lambda: -1)
    return sessions


def test_they_are_loaded_once(forked, monkeypatch):
    loaded = []
    monkeypatch.setattr(runtime, "_session", lambda path, threads: loaded.append(path.name) or "new")
    assert [forked[WORDS], forked[WORDS]] == ["new", "new"]
    assert loaded == [WORDS]
    assert runtime._ABANDONED == [{WORDS: "old"}], "letting it go would wait for its threads"


def test_the_old_ones_are_never_given_out(forked, monkeypatch):
    seen = []

    def load(path, threads):
        seen.append(forked._process)  # what another thread would go by meanwhile
        raise MemoryError

    monkeypatch.setattr(runtime, "_session", load)
    for _ in range(2):
        with pytest.raises(MemoryError):
            forked[WORDS]
    assert -1 not in seen
