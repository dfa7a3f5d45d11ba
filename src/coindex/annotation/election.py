"""Which of several values most voters are for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value", bound=Hashable)


class Ballot(NamedTuple, Generic[Value]):
    """A vote for a value, and how far the voter is trusted where votes are equal."""

    value: Value
    trust: int


def elect(ballots: Iterable[Ballot[Value]], otherwise: Value) -> Value:
    """The value with most votes, of equal ones that with most trust; `otherwise` where even that is equal.

    >>> elect([Ballot("a", 1), Ballot("b", 2), Ballot("a", 1)], "")
    'a'
    >>> elect([Ballot("a", 1), Ballot("b", 2)], ""), elect([Ballot("a", 1), Ballot("b", 1)], "")
    ('b', '')
    """
    tally: dict[Value, tuple[int, int]] = {}
    for value, trust in ballots:
        votes, trusted = tally.get(value, (0, 0))
        tally[value] = votes + 1, trusted + trust
    best = max(tally.values(), default=None)
    winners = [value for value, found in tally.items() if found == best]
    return winners[0] if len(winners) == 1 else otherwise
