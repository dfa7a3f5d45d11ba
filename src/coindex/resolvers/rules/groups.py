"""Mentions that belong together, joined two by two: a union-find."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Groups(Generic[T]):
    """Groups of things; each begins alone. A group keeps the order in which its members were added."""

    def __init__(self, members: Iterable[T] = ()) -> None:
        self._parents: dict[T, T] = {member: member for member in members}

    def __contains__(self, member: T) -> bool:
        return member in self._parents

    def add(self, member: T) -> None:
        self._parents.setdefault(member, member)

    def join(self, one: T, other: T) -> None:
        """Both in one group from now on; a member that is new is added."""
        self.add(one)
        self.add(other)
        first, second = self.root(one), self.root(other)
        if first != second:
            self._parents[second] = first

    def root(self, member: T) -> T:
        """The member that stands for the group."""
        parents = self._parents
        while parents[member] != member:
            parents[member] = parents[parents[member]]  # paths are halved, so that they stay short
            member = parents[member]
        return member

    def lists(self) -> list[list[T]]:
        """The groups, in the order of their first members."""
        found: dict[T, list[T]] = {}
        for member in self._parents:
            found.setdefault(self.root(member), []).append(member)
        return list(found.values())
