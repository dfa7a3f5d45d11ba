"""Mentions and entities in order, each once: what standoff formats have in common."""

from __future__ import annotations

from collections.abc import Iterable

from ..document import Entity, Mention, mention_order


def distinct(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions in reading order, only the first of those at the same positions."""
    by_positions: dict[tuple[int, ...], Mention] = {}
    for mention in mentions:
        by_positions.setdefault(mention.positions, mention)
    return tuple(sorted(by_positions.values(), key=mention_order))


def in_order(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities in the order of their first mentions, then of their ids."""
    return tuple(sorted(entities, key=lambda entity: (*mention_order(entity.mentions[0]), entity.id)))
