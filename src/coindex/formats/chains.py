"""Mentions and entities in order, each once: what standoff formats have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..document import Document, Entity, Mention, mention_order
from .source import Source


def distinct(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions in reading order, only the first of those at the same positions."""
    by_positions: dict[tuple[int, ...], Mention] = {}
    for mention in mentions:
        by_positions.setdefault(mention.positions, mention)
    return tuple(sorted(by_positions.values(), key=mention_order))


def each_once(mentions: Sequence[Mention], source: Source) -> tuple[Mention, ...]:
    """The mentions of an entity in reading order; those at the positions of another are left out and counted."""
    unique = distinct(mentions)
    if len(unique) < len(mentions):
        source.count("mentions given twice in one entity", len(mentions) - len(unique))
    return unique


def ordered_mentions(doc: Document) -> list[tuple[Mention, Entity]]:
    """All mentions in reading order, those at the same words by the ids of their entities.

    A file does not keep the order of the entities, so it must not decide.
    """
    return sorted(doc.mentions(), key=lambda pair: (*mention_order(pair[0]), pair[1].id))


def in_order(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities in the order of their first mentions, then of their ids."""
    return tuple(sorted(entities, key=lambda entity: (*mention_order(entity.mentions[0]), entity.id)))
