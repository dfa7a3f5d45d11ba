"""The named edits: pure functions from a document to the next, for annotators, scripts and logs of edits.

A mention is named by the id of its entity and its positions. An edit that does not fit raises EditError.
Relations follow: when a mention moves, its bridges and split antecedents move with it; what has lost one of
its ends is removed. Entities and sentences that an edit does not touch stay the same objects, except when an
empty node is inserted or removed.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import EllipsisType
from typing import get_args

from ..errors import EditError, quote
from .changes import (
    bridge_order,
    canonical,
    check_head,
    check_positions,
    find_entity,
    find_mention,
    fresh_id,
    has_entity,
    new_entity_id,
    revise,
    show,
    split_order,
    with_mention,
    without_mention,
)
from .documents import Document
from .entities import Bridge, Entity, Kind, Mention, SplitAntecedent, mention_order
from .zeros import insert_zero, remove_zero

__all__ = [
    "add_bridge",
    "add_mention",
    "canonical",
    "fresh_id",
    "insert_zero",
    "link",
    "merge",
    "remove_bridge",
    "remove_mention",
    "remove_split_antecedent",
    "remove_zero",
    "rename_entity",
    "resize_mention",
    "set_attributes",
    "set_entity",
    "set_head",
    "set_split_antecedent",
    "split",
    "unlink",
]


def add_mention(
    doc: Document,
    positions: Iterable[int],
    *,
    entity: str | None = None,
    head: int | None = None,
    attributes: Mapping[str, str] | None = None,
) -> Document:
    """A mention more, of the entity of that id, made if there is none; without an id, of a new entity."""
    mention = Mention(doc.tokens, check_positions(doc, positions), head, dict(attributes or {}))
    check_head(head, mention.positions)
    if entity is not None and has_entity(doc, entity):
        return revise(doc, {entity: with_mention(find_entity(doc, entity), mention)})
    id = new_entity_id(doc, entity)
    return revise(doc, {id: Entity(id, (mention,))})


def remove_mention(doc: Document, entity: str, positions: Iterable[int]) -> Document:
    """A mention less; an entity without mentions goes too, and with it what pointed to it."""
    old = find_entity(doc, entity)
    mention = find_mention(doc, old, positions)
    rest = without_mention(old, mention)
    renamed = {entity: None} if rest is None else {}
    return revise(doc, {entity: rest}, anaphors={(entity, mention.positions): None}, renamed=renamed)


def resize_mention(doc: Document, entity: str, positions: Iterable[int], new_positions: Iterable[int]) -> Document:
    """The mention over other positions; its head stays if it is among them, else it has none."""
    old = find_entity(doc, entity)
    mention = find_mention(doc, old, positions)
    wanted = check_positions(doc, new_positions)
    head = mention.head if mention.head in wanted else None
    return _exchange(doc, old, mention, replace(mention, positions=wanted, head=head))


def set_head(doc: Document, entity: str, positions: Iterable[int], head: int | None) -> Document:
    """The mention with another head, or with None."""
    old = find_entity(doc, entity)
    mention = find_mention(doc, old, positions)
    check_head(head, mention.positions)
    return _exchange(doc, old, mention, replace(mention, head=head))


def set_attributes(doc: Document, entity: str, positions: Iterable[int], attributes: Mapping[str, str]) -> Document:
    """The mention with these attributes instead of those it had."""
    old = find_entity(doc, entity)
    mention = find_mention(doc, old, positions)
    return _exchange(doc, old, mention, replace(mention, attributes=dict(attributes)))


def _exchange(doc: Document, entity: Entity, mention: Mention, new: Mention) -> Document:
    rest = without_mention(entity, mention) or replace(entity, mentions=())
    anaphors = {(entity.id, mention.positions): (entity.id, new)}
    return revise(doc, {entity.id: with_mention(rest, new)}, anaphors=anaphors)


def set_entity(
    doc: Document,
    entity: str,
    *,
    type: str | EllipsisType | None = ...,
    kind: Kind | EllipsisType = ...,
    attributes: Mapping[str, str] | EllipsisType = ...,
) -> Document:
    """The entity with another type, kind or attributes; what is not given stays."""
    old = find_entity(doc, entity)
    if kind is not ... and kind not in get_args(Kind):
        raise EditError(f"{quote(str(kind))} is not a kind; an entity is one of {', '.join(get_args(Kind))}")
    new = replace(
        old,
        type=old.type if type is ... else type,
        kind=old.kind if kind is ... else kind,
        attributes=old.attributes if attributes is ... else dict(attributes),
    )
    return revise(doc, {entity: new})


def link(doc: Document, entity: str, positions: Iterable[int], to: str) -> Document:
    """The mention moved to another entity; if it was the last, what pointed to its entity follows it."""
    old, target = find_entity(doc, entity), find_entity(doc, to)
    mention = find_mention(doc, old, positions)
    if old is target:
        raise EditError(f"the mention at {show(mention.positions)} is already of {quote(to)}; link it to another")
    rest = without_mention(old, mention)
    return revise(
        doc,
        {entity: rest, to: with_mention(target, mention)},
        anaphors={(entity, mention.positions): (to, mention)},
        renamed={entity: to} if rest is None else {},
    )


def unlink(doc: Document, entity: str, positions: Iterable[int], *, new_id: str | None = None) -> Document:
    """The mention moved to a new entity of its own, of the same type and kind."""
    return split(doc, entity, [positions], new_id=new_id)


def merge(doc: Document, into: str, other: str) -> Document:
    """Two entities made one: `into` keeps what it says of itself, and takes the rest from `other`."""
    target, source = find_entity(doc, into), find_entity(doc, other)
    if target is source:
        raise EditError(f"{quote(into)} cannot be merged with itself; give two entities")
    both = {mention.positions for mention in target.mentions} & {mention.positions for mention in source.mentions}
    if both:
        raise EditError(
            f"{quote(into)} and {quote(other)} both have a mention at {show(min(both))}; remove one of the two first"
        )
    merged = replace(
        target,
        mentions=tuple(sorted(target.mentions + source.mentions, key=mention_order)),
        type=target.type if target.type is not None else source.type,
        attributes={**source.attributes, **target.attributes},
    )
    return revise(doc, {other: None, into: merged}, renamed={other: into})


def split(doc: Document, entity: str, mentions: Iterable[Iterable[int]], *, new_id: str | None = None) -> Document:
    """These mentions moved to a new entity of the same type and kind; some must stay."""
    old = find_entity(doc, entity)
    id = new_entity_id(doc, new_id)
    places = {mention.positions for mention in old.mentions}
    moved = {check_positions(doc, positions) for positions in mentions}
    for wrong in sorted(moved - places):
        find_mention(doc, old, wrong)  # says what is wrong with it
    rest = tuple(mention for mention in old.mentions if mention.positions not in moved)
    if not moved:
        raise EditError(f"no mentions to split off {quote(entity)}; name at least one")
    if not rest:
        raise EditError(f"nothing would be left of {quote(entity)}; leave a mention in it, or rename it")
    apart = tuple(mention for mention in old.mentions if mention.positions in moved)
    return revise(
        doc,
        {entity: replace(old, mentions=rest), id: Entity(id, apart, old.type, old.kind)},
        anaphors={(entity, mention.positions): (id, mention) for mention in apart},
    )


def rename_entity(doc: Document, entity: str, new_id: str) -> Document:
    """The entity under another id, in all relations too."""
    old = find_entity(doc, entity)
    new = replace(old, id=new_entity_id(doc, new_id))
    return revise(doc, {entity: new}, renamed={entity: new.id})


def add_bridge(
    doc: Document, entity: str, positions: Iterable[int], antecedent: str, *, relation: str | None = None
) -> Document:
    """The mention is understood through another entity; at most one bridge leads from it to each."""
    anaphor = find_mention(doc, find_entity(doc, entity), positions)
    if find_entity(doc, antecedent).id == entity:
        raise EditError(f"a bridge from {quote(entity)} to itself; give another antecedent")
    if _bridges(doc, entity, anaphor, antecedent):
        raise EditError(
            f"a bridge from {quote(entity)} at {show(anaphor.positions)} to {quote(antecedent)} exists; "
            "remove it first to change its relation"
        )
    bridges = list(doc.bridges)
    insort(bridges, Bridge(anaphor, entity, antecedent, relation), key=bridge_order)
    return doc.replace(bridges=tuple(bridges))


def remove_bridge(doc: Document, entity: str, positions: Iterable[int], antecedent: str) -> Document:
    """The bridge from the mention to that entity removed."""
    anaphor = find_mention(doc, find_entity(doc, entity), positions)
    gone = _bridges(doc, entity, anaphor, antecedent)
    if not gone:
        raise EditError(f"no bridge leads from {quote(entity)} at {show(anaphor.positions)} to {quote(antecedent)}")
    return doc.replace(bridges=tuple(bridge for bridge in doc.bridges if bridge not in gone))


def _bridges(doc: Document, entity: str, anaphor: Mention, antecedent: str) -> list[Bridge]:
    return [
        bridge
        for bridge in doc.bridges
        if (bridge.entity, bridge.antecedent) == (entity, antecedent) and bridge.anaphor.positions == anaphor.positions
    ]


def set_split_antecedent(doc: Document, entity: str, positions: Iterable[int], antecedents: Iterable[str]) -> Document:
    """The mention means these entities together, instead of those it meant before."""
    anaphor = find_mention(doc, find_entity(doc, entity), positions)
    members = tuple(dict.fromkeys(antecedents))
    if any(find_entity(doc, member).id == entity for member in members):
        raise EditError(f"{quote(entity)} among its own antecedents; give other entities")
    if len(members) < 2:
        raise EditError("a split antecedent of fewer than two entities; give two or more, or link the mention")
    splits = _other_splits(doc, entity, anaphor)
    insort(splits, SplitAntecedent(anaphor, entity, members), key=split_order)
    return doc.replace(split_antecedents=tuple(splits))


def remove_split_antecedent(doc: Document, entity: str, positions: Iterable[int]) -> Document:
    """The mention's split antecedent removed."""
    anaphor = find_mention(doc, find_entity(doc, entity), positions)
    rest = _other_splits(doc, entity, anaphor)
    if len(rest) == len(doc.split_antecedents):
        raise EditError(f"{quote(entity)} at {show(anaphor.positions)} has no split antecedent")
    return doc.replace(split_antecedents=tuple(rest))


def _other_splits(doc: Document, entity: str, anaphor: Mention) -> list[SplitAntecedent]:
    address = entity, anaphor.positions
    return [split for split in doc.split_antecedents if (split.entity, split.anaphor.positions) != address]
