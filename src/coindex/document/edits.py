"""Named edits: pure functions from a document to a changed one, for annotators, scripts and edit logs.

A mention is identified by the id of its entity and its positions. An edit that does not fit the document raises
EditError. Relations follow: when a mention moves, its bridges and split antecedents move with it; relations that lose
one of their ends are removed.

Entities are in the order of their first mention, then of their ids; relations are in the order of their anaphors. An
edit touches only what it changes: other entities and sentences stay the same objects, except when an empty node is
inserted or removed, which renumbers everything after it.
"""

from __future__ import annotations

import difflib
import operator
from bisect import insort
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import count
from types import EllipsisType
from typing import Any, get_args

from ..errors import EditError, quote
from .documents import Document
from .entities import Bridge, Entity, Kind, Mention, SplitAntecedent, mention_order
from .tokens import Multiword, Sentence, Token, Tokens, extra_columns

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

Positions = tuple[int, ...]
Address = tuple[str, Positions]
"""Identifies a mention in an edit: the id of its entity, and its positions."""


def entity_order(entity: Entity) -> tuple[Any, ...]:
    """Return the sort key of an entity: its first mention in reading order, then its id."""
    return (*mention_order(entity.mentions[0]), entity.id) if entity.mentions else (-1,)


def bridge_order(bridge: Bridge) -> tuple[Any, ...]:
    return (*mention_order(bridge.anaphor), bridge.entity, bridge.antecedent, bridge.relation or "")


def split_order(split: SplitAntecedent) -> tuple[Any, ...]:
    return (*mention_order(split.anaphor), split.entity)


def canonical(doc: Document) -> Document:
    """Return the document with entities and relations in the order that edits keep; call it before the first edit.

    After that, undoing edits returns a document that is equal to this one in the order of its parts too.
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
    raise EditError(f"the document has no entity {quote(str(id))}; {hint}", code="unknown-entity")


def find_mention(doc: Document, entity: Entity, positions: Iterable[int]) -> Mention:
    wanted = check_positions(doc, positions)
    for mention in entity.mentions:
        if mention.positions == wanted:
            return mention
    raise EditError(
        f"the entity {quote(entity.id)} has no mention at {show(wanted)}; "
        "a mention is named by its entity and all its positions",
        code="unknown-mention",
    )


def check_positions(doc: Document, positions: Iterable[int]) -> Positions:
    """Return the positions sorted, each once; raise EditError if there are none or one is outside the document."""
    try:
        chosen = sorted({operator.index(position) for position in positions})
    except TypeError as error:
        raise EditError(
            f"positions are whole numbers, not {quote(repr(positions))}", code="invalid-positions"
        ) from error
    if not chosen:
        raise EditError("a mention without positions; give it at least one", code="invalid-positions")
    if chosen[0] < 0 or chosen[-1] >= len(doc.tokens):
        wrong = chosen[0] if chosen[0] < 0 else chosen[-1]
        raise EditError(
            f"position {wrong} is not in the document; it has the positions 0 to {len(doc.tokens) - 1}",
            code="invalid-positions",
        )
    return tuple(chosen)


def check_head(head: int | None, positions: Positions) -> None:
    if head is not None and head not in positions:
        raise EditError(
            f"head {head} is not a position of the mention at {show(positions)}; choose one of these",
            code="invalid-head",
        )


def show(positions: Positions) -> str:
    return quote(", ".join(map(str, positions)))[1:-1]


def fresh_id(doc: Document) -> str:
    """Return the first unused id of e1, e2, …; prefixed with the document's id if ids are shared.

    Without the prefix, a new entity could accidentally be the same as one of another document.
    """
    prefix = f"{doc.id}_" if doc.shared_ids and doc.id else ""
    used = {entity.id for entity in doc.entities}
    return next(id for number in count(1) if (id := f"{prefix}e{number}") not in used)


def new_entity_id(doc: Document, id: str | None) -> str:
    """Return the id for a new entity: the given one, which must be unused, or a fresh one."""
    if id is None:
        return fresh_id(doc)
    if not id:
        raise EditError("an empty entity id; give it at least one character", code="invalid-entity-id")
    if has_entity(doc, id):
        raise EditError(
            f"the document already has an entity {quote(id)}; choose another id, or merge the two",
            code="duplicate-entity-id",
        )
    return id


def with_mention(entity: Entity, mention: Mention) -> Entity:
    """Return the entity with a mention added in order; two mentions at the same positions raise EditError."""
    if any(other.positions == mention.positions for other in entity.mentions):
        raise EditError(
            f"the entity {quote(entity.id)} already has a mention at {show(mention.positions)}; "
            "change or remove that one",
            code="duplicate-mention",
        )
    mentions = list(entity.mentions)
    insort(mentions, mention, key=mention_order)
    return replace(entity, mentions=tuple(mentions))


def without_mention(entity: Entity, mention: Mention) -> Entity | None:
    """Return the entity without a mention; None if it was the last one."""
    rest = tuple(other for other in entity.mentions if other is not mention)
    return replace(entity, mentions=rest) if rest else None


def revise(
    doc: Document,
    changes: Mapping[str, Entity | None],
    *,
    anaphors: Mapping[Address, tuple[str, Mention] | None] | None = None,
    renamed: Mapping[str, str | None] | None = None,
) -> Document:
    """Return the document with some entities replaced (None removes one) and its relations updated.

    `anaphors` maps mentions to their new place, `renamed` entities to their new id; relations with None at an end are
    dropped, as are those that now lead from an entity to itself or are duplicates.
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
    keys = {bridge_key(bridge) for bridge in kept}
    for bridge in touched:
        place = _place(bridge, anaphors, renamed)
        antecedent = renamed.get(bridge.antecedent, bridge.antecedent)
        if place is None or antecedent is None or place[0] == antecedent:
            continue
        new = Bridge(place[1], place[0], antecedent, bridge.relation)
        if bridge_key(new) not in keys:
            keys.add(bridge_key(new))
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
    """Return the key by which two bridges are the same; it does not include their relation."""
    return bridge.entity, bridge.anaphor.positions, bridge.antecedent


Renumber = Callable[[Mention, int], tuple[tuple[int, ...], int | None]]


def insert_zero(
    doc: Document,
    *,
    after: int | None = None,
    before: int | None = None,
    form: str = "_",
    lemma: str = "_",
    upos: str = "_",
    xpos: str = "_",
    feats: str = "_",
    head: str = "_",
    deprel: str = "_",
    deps: str = "_",
    misc: str = "_",
    space: str = " ",
    extra: Mapping[str, str] | None = None,
) -> Document:
    """Insert an empty node after or before a position of the same sentence; it gets the next id there.

    It becomes part of the mentions that contain both its neighbours. The ids in `deps` are those after the edit.
    """
    if (after is None) == (before is None):
        raise EditError("an empty node goes after or before a position; give one of the two", code="invalid-empty-node")
    place = before if after is None else after
    assert place is not None
    neighbour = check_positions(doc, [place])[0]
    at = neighbour + (after is not None)
    index = _sentence_index(doc, neighbour)
    sentence = doc.sentences[index]
    word, number = _parts(doc.tokens[at - 1].id) if at > sentence.start else (0, 0)
    columns = (form, lemma, upos, xpos, feats, head, deprel, deps, misc, space, extra_columns(extra or {}))
    zero = Token(f"{word}.{number + 1}", *columns)
    words = _shift_empty_nodes(sentence, at, word, 1)
    words.insert(at - sentence.start, zero)
    return _rebuild(doc, index, words, by=1, at=at, renumber=insert_position)


def remove_zero(doc: Document, position: int) -> Document:
    """Remove an empty node, also from longer mentions; a mention of this node alone has to be removed first."""
    at = check_positions(doc, [position])[0]
    index = _sentence_index(doc, at)
    sentence, zero = doc.sentences[index], doc.tokens[at]
    _check_removable(doc, at, sentence)
    words = _shift_empty_nodes(sentence, at + 1, _parts(zero.id)[0], -1)
    del words[at - sentence.start]
    return _rebuild(doc, index, words, by=-1, at=at, renumber=remove_position)


def insert_position(mention: Mention, at: int) -> tuple[tuple[int, ...], int | None]:
    """Return the positions and head of a mention after a token was inserted at a position."""
    positions, head = mention.positions, mention.head
    if at > positions[-1]:
        return positions, head
    moved_head = head if head is None or head < at else head + 1
    if at <= positions[0]:
        return tuple([position + 1 for position in positions]), moved_head
    moved = [position + (position >= at) for position in positions]
    if at in positions and at - 1 in positions:
        moved.append(at)
        moved.sort()
    return tuple(moved), moved_head


def remove_position(mention: Mention, at: int) -> tuple[tuple[int, ...], int | None]:
    """Return the positions and head of a mention after the token at a position was removed."""
    if at > mention.positions[-1]:
        return mention.positions, mention.head
    rest = tuple(position - (position > at) for position in mention.positions if position != at)
    head = mention.head
    if head is None or head == at:
        return rest, None
    return rest, head - (head > at)


def parents(token: Token) -> list[str]:
    """Return the ids of a token's parents in the basic tree and in DEPS."""
    ids = [] if token.head == "_" else [token.head]
    if token.deps != "_":
        ids += [arc.partition(":")[0] for arc in token.deps.split("|")]
    return ids


def _sentence_index(doc: Document, position: int) -> int:
    index = doc.sentence_index(position)
    if index < 0 or position >= doc.sentences[index].end:
        raise EditError(
            f"position {position} is in no sentence; an empty node belongs to one", code="invalid-empty-node"
        )
    return index


def _parts(id: str) -> tuple[int, int]:
    word, _, number = id.partition(".")
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in (word, number or "0")):
        raise EditError(
            f"the token id {quote(id)} is not a number like 3 or 3.1; number the sentence's tokens first",
            code="invalid-token-id",
        )
    return int(word), int(number or 0)


def _check_removable(doc: Document, at: int, sentence: Sentence) -> None:
    zero = doc.tokens[at]
    if not zero.is_empty:
        raise EditError(
            f"{quote(zero.form)} at {at} is a word of the text; only empty nodes can be removed",
            code="invalid-empty-node",
        )
    if len(sentence) == 1:
        raise EditError(
            f"the empty node at {at} is the only token of its sentence; a sentence cannot be empty",
            code="invalid-empty-node",
        )
    children = [token.id for token in sentence.tokens if token is not zero and zero.id in parents(token)]
    if children:
        raise EditError(
            f"the empty node {zero.id} is the parent of {', '.join(children)} in the tree; it must stay",
            code="empty-node-in-use",
        )
    for entity in doc.entities:
        seen: set[tuple[int, ...]] = set()
        for mention in entity.mentions:
            rest, _ = remove_position(mention, at)
            if not rest:
                raise EditError(
                    f"the empty node at {at} is a mention of {quote(entity.id)}; remove or resize the mention first",
                    code="empty-node-in-use",
                )
            if rest in seen:
                raise EditError(
                    f"without the empty node at {at} two mentions of {quote(entity.id)} would be identical; "
                    "remove one of them first",
                    code="duplicate-mention",
                )
            seen.add(rest)


def _shift_empty_nodes(sentence: Sentence, start: int, word: int, by: int) -> list[Token]:
    """Return the tokens of a sentence with the empty nodes of a word from `start` on renumbered, in DEPS too."""
    renamed: dict[str, str] = {}
    for token in sentence.layer[start : sentence.end]:
        parts = _parts(token.id)
        if parts[0] != word or not token.is_empty:
            break
        renamed[token.id] = f"{word}.{parts[1] + by}"
    if not renamed:
        return list(sentence.tokens)
    tokens = list(sentence.tokens)
    for index, token in enumerate(tokens):
        id = renamed.get(token.id, token.id) if sentence.start + index >= start else token.id
        if id != token.id or not renamed.keys().isdisjoint(parents(token)):
            head = renamed.get(token.head, token.head)
            tokens[index] = token._replace(id=id, head=head, deps=_rename_deps(token.deps, renamed))
    return tokens


def _rename_deps(deps: str, renamed: Mapping[str, str]) -> str:
    arcs = (arc.partition(":") for arc in deps.split("|"))
    return "|".join(renamed.get(id, id) + colon + relation for id, colon, relation in arcs)


def _rebuild(doc: Document, index: int, words: list[Token], *, at: int, by: int, renumber: Renumber) -> Document:
    """Return the document with the words of a sentence replaced and all positions from `at` on moved."""
    sentence = doc.sentences[index]
    tokens = Tokens(
        [*doc.tokens[: sentence.start], *words, *doc.tokens[sentence.end :]],
        multiwords=[_move_multiword(multiword, at, by) for multiword in doc.tokens.multiwords],
        prefix=doc.tokens.prefix,
    )

    reshaped = False  # only a mention that grew or shrank can change its place in the order

    def move_mention(mention: Mention) -> Mention:
        nonlocal reshaped
        positions, head = renumber(mention, at)
        reshaped = reshaped or len(positions) != len(mention.positions)
        return Mention(tokens, positions, head, mention.attributes)

    def move_entity(entity: Entity) -> Entity:
        mentions = tuple(move_mention(mention) for mention in entity.mentions)
        return Entity(entity.id, mentions, entity.type, entity.kind, entity.attributes)

    sentences = []
    for number, old in enumerate(doc.sentences):
        start, end = old.start + by * (number > index), old.end + by * (number >= index)
        sentences.append(Sentence(tokens, start, end, old.id, old.speaker, old.comments))
    new = doc.replace(
        tokens=tokens,
        sentences=tuple(sentences),
        entities=tuple(map(move_entity, doc.entities)),
        bridges=tuple(replace(bridge, anaphor=move_mention(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(s, anaphor=move_mention(s.anaphor)) for s in doc.split_antecedents),
    )
    return canonical(new) if reshaped else new


def _move_multiword(multiword: Multiword, at: int, by: int) -> Multiword:
    if at >= multiword.end:
        return multiword
    inside = at > multiword.start
    return replace(multiword, start=multiword.start if inside else multiword.start + by, end=multiword.end + by)


def add_mention(
    doc: Document,
    positions: Iterable[int],
    *,
    entity: str | None = None,
    head: int | None = None,
    attributes: Mapping[str, str] | None = None,
) -> Document:
    """Add a mention to the entity with an id, which is created if it does not exist; without an id, to a new entity."""
    mention = Mention(doc.tokens, check_positions(doc, positions), head, dict(attributes or {}))
    check_head(head, mention.positions)
    if entity is not None and has_entity(doc, entity):
        return revise(doc, {entity: with_mention(find_entity(doc, entity), mention)})
    id = new_entity_id(doc, entity)
    return revise(doc, {id: Entity(id, (mention,))})


def remove_mention(doc: Document, entity: str, positions: Iterable[int]) -> Document:
    """Remove a mention; an entity without mentions is removed too, with all relations to it."""
    old = find_entity(doc, entity)
    mention = find_mention(doc, old, positions)
    rest = without_mention(old, mention)
    renamed = {entity: None} if rest is None else {}
    return revise(doc, {entity: rest}, anaphors={(entity, mention.positions): None}, renamed=renamed)


def resize_mention(doc: Document, entity: str, positions: Iterable[int], new_positions: Iterable[int]) -> Document:
    """Change the positions of a mention; its head is removed if it is not among them."""
    old = find_entity(doc, entity)
    mention = find_mention(doc, old, positions)
    wanted = check_positions(doc, new_positions)
    head = mention.head if mention.head in wanted else None
    return _exchange(doc, old, mention, replace(mention, positions=wanted, head=head))


def set_head(doc: Document, entity: str, positions: Iterable[int], head: int | None) -> Document:
    """Set the head of a mention, or remove it with None."""
    old = find_entity(doc, entity)
    mention = find_mention(doc, old, positions)
    check_head(head, mention.positions)
    return _exchange(doc, old, mention, replace(mention, head=head))


def set_attributes(doc: Document, entity: str, positions: Iterable[int], attributes: Mapping[str, str]) -> Document:
    """Replace the attributes of a mention."""
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
    """Set the type, kind or attributes of an entity; arguments that are not given leave theirs unchanged."""
    old = find_entity(doc, entity)
    if kind is not ... and kind not in get_args(Kind):
        raise EditError(
            f"{quote(str(kind))} is not a kind; an entity is one of {', '.join(get_args(Kind))}", code="unknown-choice"
        )
    new = replace(
        old,
        type=old.type if type is ... else type,
        kind=old.kind if kind is ... else kind,
        attributes=old.attributes if attributes is ... else dict(attributes),
    )
    return revise(doc, {entity: new})


def link(doc: Document, entity: str, positions: Iterable[int], to: str) -> Document:
    """Move a mention to another entity; if it was the last one, relations to its old entity follow it."""
    old, target = find_entity(doc, entity), find_entity(doc, to)
    mention = find_mention(doc, old, positions)
    if old is target:
        raise EditError(
            f"the mention at {show(mention.positions)} already belongs to {quote(to)}; link it to another entity",
            code="nothing-to-change",
        )
    rest = without_mention(old, mention)
    return revise(
        doc,
        {entity: rest, to: with_mention(target, mention)},
        anaphors={(entity, mention.positions): (to, mention)},
        renamed={entity: to} if rest is None else {},
    )


def unlink(doc: Document, entity: str, positions: Iterable[int], *, new_id: str | None = None) -> Document:
    """Move a mention to a new entity of the same type and kind."""
    return split(doc, entity, [positions], new_id=new_id)


def merge(doc: Document, into: str, other: str) -> Document:
    """Merge two entities: `into` keeps its type and attributes, and takes those it lacks from `other`."""
    target, source = find_entity(doc, into), find_entity(doc, other)
    if target is source:
        raise EditError(f"{quote(into)} cannot be merged with itself; give two entities", code="nothing-to-change")
    both = {mention.positions for mention in target.mentions} & {mention.positions for mention in source.mentions}
    if both:
        raise EditError(
            f"{quote(into)} and {quote(other)} both have a mention at {show(min(both))}; remove one of the two first",
            code="duplicate-mention",
        )
    merged = replace(
        target,
        mentions=tuple(sorted(target.mentions + source.mentions, key=mention_order)),
        type=target.type if target.type is not None else source.type,
        attributes={**source.attributes, **target.attributes},
    )
    return revise(doc, {other: None, into: merged}, renamed={other: into})


def split(doc: Document, entity: str, mentions: Iterable[Iterable[int]], *, new_id: str | None = None) -> Document:
    """Move mentions to a new entity of the same type and kind; at least one must stay."""
    old = find_entity(doc, entity)
    id = new_entity_id(doc, new_id)
    places = {mention.positions for mention in old.mentions}
    moved = {check_positions(doc, positions) for positions in mentions}
    for wrong in sorted(moved - places):
        find_mention(doc, old, wrong)  # raises the error
    rest = tuple(mention for mention in old.mentions if mention.positions not in moved)
    if not moved:
        raise EditError(f"no mentions to split off {quote(entity)}; name at least one", code="nothing-to-change")
    if not rest:
        raise EditError(
            f"nothing would be left of {quote(entity)}; leave a mention in it, or rename it", code="empty-entity"
        )
    apart = tuple(mention for mention in old.mentions if mention.positions in moved)
    return revise(
        doc,
        {entity: replace(old, mentions=rest), id: Entity(id, apart, old.type, old.kind)},
        anaphors={(entity, mention.positions): (id, mention) for mention in apart},
    )


def rename_entity(doc: Document, entity: str, new_id: str) -> Document:
    """Change the id of an entity, in all relations too."""
    old = find_entity(doc, entity)
    new = replace(old, id=new_entity_id(doc, new_id))
    return revise(doc, {entity: new}, renamed={entity: new.id})


def add_bridge(
    doc: Document, entity: str, positions: Iterable[int], antecedent: str, *, relation: str | None = None
) -> Document:
    """Add a bridging relation from a mention to an entity; there is at most one for each pair."""
    anaphor = find_mention(doc, find_entity(doc, entity), positions)
    if find_entity(doc, antecedent).id == entity:
        raise EditError(f"a bridge from {quote(entity)} to itself; give another antecedent", code="invalid-bridge")
    if _bridges(doc, entity, anaphor, antecedent):
        raise EditError(
            f"a bridge from {quote(entity)} at {show(anaphor.positions)} to {quote(antecedent)} exists; "
            "remove it first to change its relation",
            code="duplicate-bridge",
        )
    bridges = list(doc.bridges)
    insort(bridges, Bridge(anaphor, entity, antecedent, relation), key=bridge_order)
    return doc.replace(bridges=tuple(bridges))


def remove_bridge(doc: Document, entity: str, positions: Iterable[int], antecedent: str) -> Document:
    """Remove the bridging relation from a mention to an entity."""
    anaphor = find_mention(doc, find_entity(doc, entity), positions)
    gone = _bridges(doc, entity, anaphor, antecedent)
    if not gone:
        raise EditError(
            f"no bridge leads from {quote(entity)} at {show(anaphor.positions)} to {quote(antecedent)}",
            code="unknown-bridge",
        )
    return doc.replace(bridges=tuple(bridge for bridge in doc.bridges if bridge not in gone))


def _bridges(doc: Document, entity: str, anaphor: Mention, antecedent: str) -> list[Bridge]:
    return [
        bridge
        for bridge in doc.bridges
        if (bridge.entity, bridge.antecedent) == (entity, antecedent) and bridge.anaphor.positions == anaphor.positions
    ]


def set_split_antecedent(doc: Document, entity: str, positions: Iterable[int], antecedents: Iterable[str]) -> Document:
    """Set the entities that a mention refers to as a group, instead of earlier ones."""
    anaphor = find_mention(doc, find_entity(doc, entity), positions)
    members = tuple(dict.fromkeys(antecedents))
    if any(find_entity(doc, member).id == entity for member in members):
        raise EditError(
            f"{quote(entity)} among its own antecedents; give other entities", code="invalid-split-antecedent"
        )
    if len(members) < 2:
        raise EditError(
            "a split antecedent of fewer than two entities; give two or more, or link the mention",
            code="invalid-split-antecedent",
        )
    splits = _other_splits(doc, entity, anaphor)
    insort(splits, SplitAntecedent(anaphor, entity, members), key=split_order)
    return doc.replace(split_antecedents=tuple(splits))


def remove_split_antecedent(doc: Document, entity: str, positions: Iterable[int]) -> Document:
    """Remove the split antecedent of a mention."""
    anaphor = find_mention(doc, find_entity(doc, entity), positions)
    rest = _other_splits(doc, entity, anaphor)
    if len(rest) == len(doc.split_antecedents):
        raise EditError(
            f"{quote(entity)} at {show(anaphor.positions)} has no split antecedent", code="unknown-split-antecedent"
        )
    return doc.replace(split_antecedents=tuple(rest))


def _other_splits(doc: Document, entity: str, anaphor: Mention) -> list[SplitAntecedent]:
    address = entity, anaphor.positions
    return [split for split in doc.split_antecedents if (split.entity, split.anaphor.positions) != address]
