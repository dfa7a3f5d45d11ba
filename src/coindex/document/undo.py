"""How each edit is undone: by other edits, so that a log of them stays a log of edits.

Each has its own inverse for the mentions; what then still differs in entities and relations is repaired for
all in one way, since an edit may remove relations in several places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import edits
from .changes import bridge_key, find_entity, find_mention
from .documents import Document
from .edit_log import Edit, apply, apply_all
from .entities import Entity, Mention
from .zeros import grown, shrunk


def inverse(doc: Document, edit: Edit) -> tuple[Edit, ...]:
    """The edits that undo an edit of this document: applied one after the other to `apply(doc, edit)`."""
    after = apply(doc, edit)
    undo = _INVERSES.get(edit.name)
    steps = list(undo(doc, **edit.arguments)) if undo is not None else []
    steps += repairs(apply_all(after, steps), doc)
    return tuple(steps)


def _edit(name: str, /, **arguments: Any) -> Edit:
    return Edit(name, arguments)


def _mention(doc: Document, entity: str, positions: Iterable[int]) -> Mention:
    return find_mention(doc, find_entity(doc, entity), positions)


def _undo_add(doc: Document, /, positions: list[int], entity: str | None = None, **_: Any) -> Iterator[Edit]:
    id = edits.fresh_id(doc) if entity is None else entity
    yield _edit("remove_mention", entity=id, positions=positions)


def _undo_remove(doc: Document, /, entity: str, positions: list[int]) -> Iterator[Edit]:
    old = _mention(doc, entity, positions)
    yield _edit("add_mention", positions=old.positions, entity=entity, head=old.head, attributes=old.attributes)


def _undo_resize(doc: Document, /, entity: str, positions: list[int], new_positions: list[int]) -> Iterator[Edit]:
    old = _mention(doc, entity, positions)
    yield _edit("resize_mention", entity=entity, positions=new_positions, new_positions=old.positions)
    if old.head is not None and old.head not in new_positions:
        yield _edit("set_head", entity=entity, positions=old.positions, head=old.head)


def _undo_head(doc: Document, /, entity: str, positions: list[int], **_: Any) -> Iterator[Edit]:
    old = _mention(doc, entity, positions)
    yield _edit("set_head", entity=entity, positions=positions, head=old.head)


def _undo_attributes(doc: Document, /, entity: str, positions: list[int], **_: Any) -> Iterator[Edit]:
    old = _mention(doc, entity, positions)
    yield _edit("set_attributes", entity=entity, positions=positions, attributes=old.attributes)


def _undo_link(doc: Document, /, entity: str, positions: list[int], to: str) -> Iterator[Edit]:
    if len(find_entity(doc, entity)) > 1:
        yield _edit("link", entity=to, positions=positions, to=entity)
    else:
        yield _edit("unlink", entity=to, positions=positions, new_id=entity)


def _undo_split(doc: Document, /, entity: str, new_id: str | None = None, **_: Any) -> Iterator[Edit]:
    yield _edit("merge", into=entity, other=edits.fresh_id(doc) if new_id is None else new_id)


def _undo_merge(doc: Document, /, into: str, other: str) -> Iterator[Edit]:
    moved = [mention.positions for mention in find_entity(doc, other).mentions]
    yield _edit("split", entity=into, mentions=moved, new_id=other)


def _undo_rename(doc: Document, /, entity: str, new_id: str) -> Iterator[Edit]:
    yield _edit("rename_entity", entity=new_id, new_id=entity)


def _undo_insert_zero(
    doc: Document, /, after: int | None = None, before: int | None = None, **_: Any
) -> Iterator[Edit]:
    position = before if after is None else after + 1
    yield _edit("remove_zero", position=position)


def _undo_remove_zero(doc: Document, /, position: int) -> Iterator[Edit]:
    zero = doc.tokens[position]
    first = doc.sentence_at(position).start == position
    place = {"before": position} if first else {"after": position - 1}
    columns = {name: value for name, value in zero._asdict().items() if name not in ("id", "extra")}
    if zero.extra:
        columns["extra"] = dict(zero.extra)
    yield _edit("insert_zero", **place, **columns)
    for entity in doc.entities:
        for mention in entity.mentions:
            yield from _regrow(entity, mention, position)


def _regrow(entity: Entity, mention: Mention, position: int) -> Iterator[Edit]:
    """What the mention needs when the empty node it had, or did not have, is put in again."""
    between = Mention(mention.layer, *shrunk(mention, position))
    now, head = grown(between, position)
    if now != mention.positions:
        yield _edit("resize_mention", entity=entity.id, positions=now, new_positions=mention.positions)
    if head != mention.head:
        yield _edit("set_head", entity=entity.id, positions=mention.positions, head=mention.head)


_INVERSES: dict[str, Callable[..., Iterator[Edit]]] = {
    "add_mention": _undo_add,
    "remove_mention": _undo_remove,
    "resize_mention": _undo_resize,
    "set_head": _undo_head,
    "set_attributes": _undo_attributes,
    "link": _undo_link,
    "unlink": _undo_split,
    "split": _undo_split,
    "merge": _undo_merge,
    "rename_entity": _undo_rename,
    "insert_zero": _undo_insert_zero,
    "remove_zero": _undo_remove_zero,
}


def repairs(doc: Document, wanted: Document) -> Iterator[Edit]:
    """Edits that give the entities the types, kinds, attributes and relations of another document."""
    now = {entity.id: entity for entity in doc.entities}
    for entity in wanted.entities:
        other = now[entity.id]
        if other is entity:
            continue
        if (other.type, other.kind, other.attributes) != (entity.type, entity.kind, entity.attributes):
            yield _edit(
                "set_entity",
                entity=entity.id,
                type=entity.type,
                kind=entity.kind,
                attributes=entity.attributes,
            )
    yield from _repair_bridges(doc, wanted)
    yield from _repair_splits(doc, wanted)


def _repair_bridges(doc: Document, wanted: Document) -> Iterator[Edit]:
    now = {bridge_key(bridge): bridge.relation for bridge in doc.bridges}
    then = {bridge_key(bridge): bridge.relation for bridge in wanted.bridges}
    for key, relation in now.items():
        if key not in then or then[key] != relation:
            entity, positions, antecedent = key
            yield _edit("remove_bridge", entity=entity, positions=positions, antecedent=antecedent)
    for key, relation in then.items():
        if key not in now or now[key] != relation:
            entity, positions, antecedent = key
            arguments = {"positions": positions, "antecedent": antecedent, "relation": relation}
            yield _edit("add_bridge", entity=entity, **arguments)


def _repair_splits(doc: Document, wanted: Document) -> Iterator[Edit]:
    now = {(split.entity, split.anaphor.positions): split.antecedents for split in doc.split_antecedents}
    then = {(split.entity, split.anaphor.positions): split.antecedents for split in wanted.split_antecedents}
    for entity, positions in now:
        if (entity, positions) not in then:
            yield _edit("remove_split_antecedent", entity=entity, positions=positions)
    for (entity, positions), antecedents in then.items():
        if now.get((entity, positions)) != antecedents:
            yield _edit("set_split_antecedent", entity=entity, positions=positions, antecedents=antecedents)
