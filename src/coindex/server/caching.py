"""A bounded cache for the threads of a server."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentCache(Generic[K, V]):
    """Keep the values used last, at most `most` of them.

    `cachetools.cached` needs one function and one cache for the whole process. Here a cache belongs to a store or a
    server, and the function that makes a value is a closure of the call.
    """

    def __init__(self, most: int) -> None:
        self._kept: LRUCache[K, V] = LRUCache(most)
        self._lock = Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, which must determine it; call `make` if it is not kept.

        `make` runs without the lock, so two threads may both call it; both get the value that was stored first.
        """
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        made = make()
        with self._lock:
            return self._kept.setdefault(key, made)

    def __len__(self) -> int:
        return len(self._kept)
