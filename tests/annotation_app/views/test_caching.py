"""Caches of the server: bounded, shared by threads, never out of date."""

from __future__ import annotations

from threading import Barrier, Thread

from coindex.annotation_app.layers import Cache
from coindex.document import Document
from coindex.server.caching import RecentCache


def words(number: int) -> Document:
    return Document.from_text(" ".join(["word"] * number))


def test_the_values_used_last_are_kept() -> None:
    cache: RecentCache[str, str] = RecentCache(2)
    made: list[str] = []

    def ask(key: str) -> str:
        return cache.get(key, lambda: made.append(key) or key.upper())

    assert [ask(key) for key in "abacab"] == list("ABACAB")
    assert made == ["a", "b", "c", "b"], "c displaced b, which was used before a"
    assert len(cache) == 2


def test_threads_that_make_the_same_value_get_the_same_object() -> None:
    cache: RecentCache[str, object] = RecentCache(2)
    both = Barrier(2)
    found: list[object] = []

    def make() -> object:
        both.wait(60)
        return object()

    threads = [Thread(target=lambda: found.append(cache.get("key", make))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert found[0] is found[1]


def test_documents_are_kept_up_to_a_number_of_tokens() -> None:
    cache = Cache(tokens=10)
    for layer in (1, 2):
        cache.put(layer, 0, words(4))
    assert cache.at(1, 0) is not None
    cache.put(3, 0, words(4))
    assert [cache.at(layer, 0) is not None for layer in (1, 2, 3)] == [True, False, True]
    cache.put(4, 0, words(50))
    assert [cache.at(layer, 0) is not None for layer in (1, 3, 4)] == [False, False, True], "a long one is kept alone"


def test_an_older_revision_never_replaces_a_newer_one() -> None:
    cache = Cache()
    cache.put(1, 5, words(5))
    cache.put(1, 4, words(4))
    assert cache.at(1, 4) is None
    assert cache.before(1, 4) is None
    newest = cache.before(1, 9)
    assert newest is not None
    assert (newest[0], len(newest[1].tokens)) == (5, 5)
