"""All partitions of a few things, to compare clever ways with: `from partitions import partitions`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def partitions(things: Sequence[Thing]) -> Iterator[list[list[Thing]]]:
    """Every way to part the things into groups."""
    if not things:
        yield []
        return
    first, *rest = things
    for found in partitions(rest):
        yield [[first], *found]
        for at, group in enumerate(found):
            yield [*found[:at], [first, *group], *found[at + 1 :]]
