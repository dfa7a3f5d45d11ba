"""Loaded things are shared as long as somebody uses them."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from coindex.resolvers.sharing import share_loaded


class Loaded:
    def __init__(self, name: str) -> None:
        self.name = name


def test_what_is_used_is_not_loaded_again() -> None:
    names: list[str] = []

    @share_loaded(keep=1)
    def load(name: str) -> Loaded:
        names.append(name)
        return Loaded(name)

    first = load("a")
    load("b")
    assert load("a") is first
    assert names == ["a", "b"]
    del first
    load("b")
    gc.collect()
    load("a")
    assert names == ["a", "b", "b", "a"]


def test_threads_share_one_load() -> None:
    names: list[str] = []
    begin = Barrier(4)

    @share_loaded(keep=1)
    def load(name: str) -> Loaded:
        names.append(name)
        return Loaded(name)

    def work(_: int) -> Loaded:
        begin.wait()
        return load("a")

    with ThreadPoolExecutor(4) as threads:
        assert len(set(map(id, threads.map(work, range(4))))) == 1
    assert names == ["a"]
