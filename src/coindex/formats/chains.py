"""From pointers and markables to entities: the part that standoff formats have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from ..document import Entity, Mention, mention_order

Item = TypeVar("Item", bound=Hashable)


class Chains(Generic[Item]):
    """Disjoint sets of items that grow together as links are added."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._parent: dict[Item, Item] = {item: item for item in items}

    def __contains__(self, item: object) -> bool:
        return item in self._parent

    def find(self, item: Item) -> Item:
        """The item that stands for the whole set."""
        parent = self._parent
        parent.setdefault(item, item)
        while parent[item] != item:
            parent[item] = item = parent[parent[item]]
        return item

    def join(self, one: Item, other: Item) -> None:
        self._parent[self.find(other)] = self.find(one)

    def __iter__(self) -> Iterator[list[Item]]:
        """The sets, in the order of their first items."""
        groups: dict[Item, list[Item]] = {}
        for item in list(self._parent):
            groups.setdefault(self.find(item), []).append(item)
        return iter(groups.values())


def distinct(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions in reading order, only the first of those at the same positions."""
    by_positions: dict[tuple[int, ...], Mention] = {}
    for mention in mentions:
        by_positions.setdefault(mention.positions, mention)
    return tuple(sorted(by_positions.values(), key=mention_order))


def in_order(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities in the order of their first mentions, then of their ids."""
    return tuple(sorted(entities, key=lambda entity: (*mention_order(entity.mentions[0]), entity.id)))
