"""Edits as data: stored in a log, sent over a network, applied by name, undone, and derived from two versions.

An edit is undone by other edits, so that a log remains a log of edits. Each edit has its own inverse for mentions;
remaining differences of entities and relations are repaired in one way for all edits, because an edit may remove
relations in several places.
"""

from __future__ import annotations

import reprlib  # keeps messages short, however deep or long the value
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import Parameter, signature
from typing import Any

from ..errors import EditError, UnknownNameError
from . import edits
from .documents import Document
from .edits import bridge_key, find_entity, find_mention, insert_position, remove_position
from .entities import Entity, Mention

EDITS: dict[str, Callable[..., Document]] = {
    function.__name__: function
    for function in (
        edits.add_mention,
        edits.remove_mention,
        edits.resize_mention,
        edits.set_head,
        edits.set_attributes,
        edits.set_entity,
        edits.link,
        edits.unlink,
        edits.merge,
        edits.split,
        edits.rename_entity,
        edits.insert_zero,
        edits.remove_zero,
        edits.add_bridge,
        edits.remove_bridge,
        edits.set_split_antecedent,
        edits.remove_split_antecedent,
    )
}


@dataclass(frozen=True, slots=True)
class Edit:
    """The name of an edit and its arguments as JSON values; tuples become lists."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", _plain(self.arguments))

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "arguments": self.arguments}

    @classmethod
    def from_json(cls, data: object) -> Edit:
        """Return the edit that `to_json` returned as JSON; its arguments are checked when it is applied."""
        if not isinstance(data, dict) or data.keys() != {"name", "arguments"}:
            raise EditError(f"{reprlib.repr(data)} is not an edit; expected a name and arguments", code="invalid-edit")
        if not isinstance(data["name"], str) or not isinstance(data["arguments"], dict):
            raise EditError(
                "an edit's name is a string and its arguments are an object with their names", code="invalid-edit"
            )
        return cls(data["name"], data["arguments"])


def apply(doc: Document, edit: Edit) -> Document:
    """Return the document after the edit; raise EditError if the edit does not fit the document."""
    function = EDITS.get(edit.name)
    if function is None:
        raise UnknownNameError("edit", edit.name, EDITS)
    _check_arguments(edit, _parameters(function))
    return function(doc, **edit.arguments)


def apply_all(doc: Document, steps: Iterable[Edit]) -> Document:
    """Return the document after all edits."""
    for edit in steps:
        doc = apply(doc, edit)
    return doc


def _plain(value: Any, depth: int = 3) -> Any:
    if depth and isinstance(value, Mapping):
        return {name: _plain(content, depth - 1) for name, content in value.items()}
    if depth and isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(content, depth - 1) for content in value]
    return value  # no argument is deeper than arguments, list of mentions, list of positions


# --- checks of arguments: a log or a web client may contain any JSON value


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_str(value: object) -> bool:
    return isinstance(value, str)


def _all(test: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _is_attributes(value: object) -> bool:
    return isinstance(value, dict) and all(_is_str(name) and _is_str(text) for name, text in value.items())


def _or_none(test: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or test(value)


_CHECKS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "str": ("a string", _is_str),
    "str | None": ("a string or null", _or_none(_is_str)),
    "str | EllipsisType | None": ("a string or null", _or_none(_is_str)),
    "Kind | EllipsisType": ("entity or event", _is_str),
    "int": ("a whole number", _is_int),
    "int | None": ("a whole number or null", _or_none(_is_int)),
    "Iterable[int]": ("a list of positions", _all(_is_int)),
    "Iterable[Iterable[int]]": ("a list of lists of positions", _all(_all(_is_int))),
    "Iterable[str]": ("a list of strings", _all(_is_str)),
    "Mapping[str, str]": ("names with strings", _is_attributes),
    "Mapping[str, str] | EllipsisType": ("names with strings", _is_attributes),
    "Mapping[str, str] | None": ("names with strings", _or_none(_is_attributes)),
}


@cache
def _parameters(function: Callable[..., Document]) -> Mapping[str, Parameter]:
    return {name: parameter for name, parameter in signature(function).parameters.items() if name != "doc"}


def _check_arguments(edit: Edit, parameters: Mapping[str, Parameter]) -> None:
    for name, value in edit.arguments.items():
        if name not in parameters:
            raise UnknownNameError(f"argument of {edit.name}", str(name), parameters)
        words, test = _CHECKS[parameters[name].annotation]
        if not test(value):
            raise EditError(f"{edit.name}: {name} is {reprlib.repr(value)}; expected {words}", code="invalid-edit")
    for name, parameter in parameters.items():
        if parameter.default is Parameter.empty and name not in edit.arguments:
            raise EditError(f"{edit.name} needs the argument {name}", code="invalid-edit")


def inverse(doc: Document, edit: Edit) -> tuple[Edit, ...]:
    """Return the edits that undo an edit of this document when they are applied in order to `apply(doc, edit)`."""
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
    """Return the edits that a mention needs after an empty node was inserted again, whether or not it contained it."""
    between = Mention(mention.layer, *remove_position(mention, position))
    now, head = insert_position(between, position)
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
    """Return the edits that give entities the types, kinds, attributes and relations of another document."""
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


Marks = dict[tuple[str, tuple[int, ...]], Mention]


def edits_between(doc: Document, wanted: Document) -> list[Edit]:
    """Return the edits that turn a document into `wanted`, which has the same tokens; none if both agree.

    Mentions that both have are not touched, so that edits made elsewhere in the meantime are kept.
    """
    if doc.tokens != wanted.tokens:
        raise EditError(
            "the documents have different words or empty nodes; expected the same tokens in both", code="different-text"
        )
    steps = list(_mention_edits(_marks(doc), _marks(wanted)))
    return [*steps, *repairs(apply_all(doc, steps), wanted)]


def _marks(doc: Document) -> Marks:
    return {(entity.id, mention.positions): mention for entity in doc.entities for mention in entity.mentions}


def _mention_edits(now: Marks, then: Marks) -> Iterator[Edit]:
    """Return edits that add mentions before those that remove some, so that an entity without old mentions is kept."""
    for (entity, positions), mention in then.items():
        old = now.get((entity, positions))
        where = {"entity": entity, "positions": positions}
        if old is None:
            yield Edit("add_mention", {**where, "head": mention.head, "attributes": mention.attributes})
            continue
        if old.head != mention.head:
            yield Edit("set_head", {**where, "head": mention.head})
        if old.attributes != mention.attributes:
            yield Edit("set_attributes", {**where, "attributes": mention.attributes})
    for entity, positions in now:
        if (entity, positions) not in then:
            yield Edit("remove_mention", {"entity": entity, "positions": positions})
