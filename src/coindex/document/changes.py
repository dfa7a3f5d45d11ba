"""What the named edits are made of: finding, checking, exchanging entities, and keeping relations in step.

Entities stand in the order of their first mention, then of their ids; relations in the order of their
anaphors. An edit moves only what it touches, and never looks at the mentions of other entities.
"""

from __future__ import annotations

import difflib
import operator
from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from ..errors import EditError, quote
from .documents import Document
from .entities import Bridge, Entity, Mention, SplitAntecedent, mention_order

Positions = tuple[int, ...]
Address = tuple[str, Positions]
"""How an edit names a mention: the id of its entity, and its positions."""


def entity_order(entity: Entity) -> tuple[Any, ...]:
    """By the first mention in reading order, then by id."""
    return (*mention_order(entity.mentions[0]), entity.id) if entity.mentions else (-1,)


def bridge_order(bridge: Bridge) -> tuple[Any, ...]:
    return (*mention_order(bridge.anaphor), bridge.entity, bridge.antecedent, bridge.relation or "")


def split_order(split: SplitAntecedent) -> tuple[Any, ...]:
    return (*mention_order(split.anaphor), split.entity)


def canonical(doc: Document) -> Document:
    """The document with everything in the order that edits keep: to bring in before the first of many edits.

    From there on, edits that are undone give a document that is equal to this one, not only in meaning.
    """
    entities = []
    for entity in doc.entities:
        mentions = tuple(sorted(entity.mentions, key=mention_order))
        entities.append(entity if mentions == entity.mentions else replace(entity, mentions=mentions))
    return doc.replace(
        entities=tuple(sorted(entities, key=entity_order)),
        bridges=tuple(sorted(doc.bridges, key=bridge_order)),
        split_antecedents=tuple(sorted(doc.split_antecedents, key=split_order)),
    )


def has_entity(doc: Document, id: str) -> bool:
    return any(entity.id == id for entity in doc.entities)


def find_entity(doc: Document, id: str) -> Entity:
    for entity in doc.entities:
        if entity.id == id:
            return entity
    ids = [entity.id for entity in doc.entities]
    near = difflib.get_close_matches(str(id), ids, n=3)
    hint = f"did you mean {' or '.join(map(quote, near))}?" if near else f"it has {len(ids)} entities"
    raise EditError(f"the document has no entity {quote(str(id))}; {hint}")


def find_mention(doc: Document, entity: Entity, positions: Iterable[int]) -> Mention:
    wanted = check_positions(doc, positions)
    for mention in entity.mentions:
        if mention.positions == wanted:
            return mention
    raise EditError(
        f"the entity {quote(entity.id)} has no mention at {show(wanted)}; "
        "a mention is named by its entity and all its positions"
    )


def check_positions(doc: Document, positions: Iterable[int]) -> Positions:
    """The positions sorted, each once; none, or one outside the document, is an error."""
    try:
        found = sorted({operator.index(position) for position in positions})
    except TypeError as error:
        raise EditError(f"positions are whole numbers, not {quote(repr(positions))}") from error
    if not found:
        raise EditError("a mention without positions; give it at least one")
    if found[0] < 0 or found[-1] >= len(doc.tokens):
        wrong = found[0] if found[0] < 0 else found[-1]
        raise EditError(f"position {wrong} is not in the document; it has the positions 0 to {len(doc.tokens) - 1}")
    return tuple(found)


def check_head(head: int | None, positions: Positions) -> None:
    if head is not None and head not in positions:
        raise EditError(f"head {head} is not a position of the mention at {show(positions)}; choose one of these")


def show(positions: Positions) -> str:
    return quote(", ".join(map(str, positions)))[1:-1]


def fresh_id(doc: Document) -> str:
    """The first of e1, e2, … that no entity has; with the document's id before it where ids are shared.

    Without that, a new entity would by accident be an old one of another document.
    """
    prefix = f"{doc.id}_" if doc.shared_ids and doc.id else ""
    used = {entity.id for entity in doc.entities}
    return next(id for number in count(1) if (id := f"{prefix}e{number}") not in used)


def new_entity_id(doc: Document, id: str | None) -> str:
    """The id for a new entity: the given one if nobody has it, else a fresh one."""
    if id is None:
        return fresh_id(doc)
    if not id:
        raise EditError("an empty entity id; give it at least one character")
    if has_entity(doc, id):
        raise EditError(f"the document already has an entity {quote(id)}; choose another id, or merge the two")
    return id


def with_mention(entity: Entity, mention: Mention) -> Entity:
    """The entity with one mention more, in its place; two at the same positions are refused."""
    if any(other.positions == mention.positions for other in entity.mentions):
        raise EditError(
            f"the entity {quote(entity.id)} already has a mention at {show(mention.positions)}; "
            "change or remove that one"
        )
    mentions = list(entity.mentions)
    insort(mentions, mention, key=mention_order)
    return replace(entity, mentions=tuple(mentions))


def without_mention(entity: Entity, mention: Mention) -> Entity | None:
    """The entity with one mention less; None when it was the last."""
    rest = tuple(other for other in entity.mentions if other is not mention)
    return replace(entity, mentions=rest) if rest else None


def revise(
    doc: Document,
    changes: Mapping[str, Entity | None],
    *,
    anaphors: Mapping[Address, tuple[str, Mention] | None] | None = None,
    renamed: Mapping[str, str | None] | None = None,
) -> Document:
    """The document with some entities exchanged (None removes one), and the relations that follow from it.

    `anaphors` says where mentions went, `renamed` what became of entities; relations with None at an end are
    dropped, as are those that now go from an entity to itself or say the same twice.
    """
    entities = list(doc.entities)
    for id, new in changes.items():
        at = next((index for index, entity in enumerate(entities) if entity.id == id), None)
        if at is not None and new is not None and entity_order(entities[at]) == entity_order(new):
            entities[at] = new
            continue
        if at is not None:
            del entities[at]
        if new is not None:
            insort(entities, new, key=entity_order)
    return doc.replace(
        entities=tuple(entities),
        bridges=_follow_bridges(doc.bridges, anaphors or {}, renamed or {}),
        split_antecedents=_follow_splits(doc.split_antecedents, anaphors or {}, renamed or {}),
    )


def _follow_bridges(
    bridges: tuple[Bridge, ...],
    anaphors: Mapping[Address, tuple[str, Mention] | None],
    renamed: Mapping[str, str | None],
) -> tuple[Bridge, ...]:
    kept: list[Bridge] = []
    touched: list[Bridge] = []
    for bridge in bridges:
        moved = (bridge.entity, bridge.anaphor.positions) in anaphors
        is_touched = moved or bridge.entity in renamed or bridge.antecedent in renamed
        (touched if is_touched else kept).append(bridge)
    if not touched:
        return bridges
    said = {bridge_key(bridge) for bridge in kept}
    for bridge in touched:
        place = _place(bridge, anaphors, renamed)
        antecedent = renamed.get(bridge.antecedent, bridge.antecedent)
        if place is None or antecedent is None or place[0] == antecedent:
            continue
        new = Bridge(place[1], place[0], antecedent, bridge.relation)
        if bridge_key(new) not in said:
            said.add(bridge_key(new))
            insort(kept, new, key=bridge_order)
    return tuple(kept)


def _follow_splits(
    splits: tuple[SplitAntecedent, ...],
    anaphors: Mapping[Address, tuple[str, Mention] | None],
    renamed: Mapping[str, str | None],
) -> tuple[SplitAntecedent, ...]:
    kept: list[SplitAntecedent] = []
    touched: list[SplitAntecedent] = []
    for split in splits:
        moved = (split.entity, split.anaphor.positions) in anaphors
        is_touched = moved or split.entity in renamed or not renamed.keys().isdisjoint(split.antecedents)
        (touched if is_touched else kept).append(split)
    if not touched:
        return splits
    for split in touched:
        place = _place(split, anaphors, renamed)
        if place is None:
            continue
        members = dict.fromkeys(renamed.get(id, id) for id in split.antecedents)
        antecedents = tuple(id for id in members if id is not None and id != place[0])
        if len(antecedents) > 1:
            insort(kept, SplitAntecedent(place[1], place[0], antecedents), key=split_order)
    return tuple(kept)


def _place(
    relation: Bridge | SplitAntecedent,
    anaphors: Mapping[Address, tuple[str, Mention] | None],
    renamed: Mapping[str, str | None],
) -> tuple[str, Mention] | None:
    address = relation.entity, relation.anaphor.positions
    if address in anaphors:
        return anaphors[address]
    entity = renamed.get(relation.entity, relation.entity)
    return None if entity is None else (entity, relation.anaphor)


def bridge_key(bridge: Bridge) -> tuple[str, Positions, str]:
    """What makes two bridges the same; their relations do not."""
    return bridge.entity, bridge.anaphor.positions, bridge.antecedent
