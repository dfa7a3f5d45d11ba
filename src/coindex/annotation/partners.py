"""Entities of several annotators that mean the same, as far as one can tell: so that they get one colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..document import Document


def shared_numbers(docs: Sequence[Document]) -> list[dict[str, int]]:
    """A number for each entity of each version, from 1 in reading order.

    An entity gets the number of the one that shares most mentions with it, if none of its own document shares more.
    """
    owners: dict[tuple[int, ...], int] = {}
    last = 0
    found: list[dict[str, int]] = []
    for doc in docs:
        shares = []
        for order, entity in enumerate(doc.entities):
            numbers = Counter(owners[mention.positions] for mention in entity.mentions if mention.positions in owners)
            shares += [(-many, order, number, entity.id) for number, many in numbers.items()]
        mine: dict[str, int] = {}
        for _, _, number, id in sorted(shares):
            if id not in mine and number not in mine.values():
                mine[id] = number
        for entity in doc.entities:
            if entity.id not in mine:
                last += 1
                mine[entity.id] = last
            for mention in entity.mentions:
                owners.setdefault(mention.positions, mine[entity.id])
        found.append(mine)
    return found
