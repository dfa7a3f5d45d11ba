"""A union-find.

It is not `scipy.cluster.hierarchy.DisjointSet` because readers of formats need it: importing that takes 0.44 s of CPU
time on top of the 0.19 s of a reader, in every command that reads a file.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class Groups(Generic[Item]):
    """Disjoint groups of items that are merged as links are added; each item starts in its own group."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._parents: dict[Item, Item] = {item: item for item in items}

    def __contains__(self, item: object) -> bool:
        return item in self._parents

    def find(self, item: Item) -> Item:
        """Return the representative item of the group of an item; a new item is added as a group."""
        parents = self._parents
        parents.setdefault(item, item)
        while parents[item] != item:
            parents[item] = item = parents[parents[item]]  # paths are halved, so that they stay short
        return item

    def join(self, item: Item, other: Item) -> None:
        """Merge the groups of two items."""
        first = self.find(item)
        self._parents[self.find(other)] = first

    def __iter__(self) -> Iterator[list[Item]]:
        """Iterate over the groups in the order of their first items; items are in the order of insertion."""
        groups: dict[Item, list[Item]] = {}
        for item in list(self._parents):
            groups.setdefault(self.find(item), []).append(item)
        return iter(groups.values())
