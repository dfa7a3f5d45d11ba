"""Convert entities to the strings in MISC, word by word."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ...document import Document, Entity, Mention, Span
from ..losses import self_crossing
from .brackets import IN_FIELD, IN_LIST, Fields, Header, encode_other

Annotation = dict[str, str]
"""The annotation of a word: Bridge, Entity, SplitAnte, as far as present."""

_PLAIN_ID = re.compile(r"[^\s()|=\[\]<>:,%-]+")
_SPACE = re.compile(r"\s")  # of ids that are not encoded
_NUMBERED = re.compile(r".*_\d+")


def header_for(doc: Document, header: Header | None) -> Header:
    """Return the fields that the document needs: those it was read with, and head and other if they are missing."""
    if header is None:
        return Header()
    fields = list(header.fields)
    if doc.shared_ids:  # GRP would make ids local
        fields[header.id_index] = "eid"
    mentions = [mention for entity in doc.entities for mention in entity.mentions]
    needs_head = "head" not in fields and any(m.head is not None for m in mentions)
    known = {*fields, "etype"} - {"eid", "GRP", "head", "other"}  # which cannot contain attributes of that name
    needs_other = "other" not in fields and (
        any(not known.issuperset(m.attributes) for m in mentions) or any(e.kind == "event" for e in doc.entities)
    )
    if "etype" not in fields and any(entity.type for entity in doc.entities):
        fields.insert(header.id_index + 1, "etype")
    after = fields.index("etype") + 1 if "etype" in fields else header.id_index + 1
    if needs_head:
        fields.insert(after, "head")
    if needs_other:
        fields.insert(fields.index("head") + 1 if "head" in fields else after, "other")
    return Header(tuple(fields))


def entity_names(doc: Document, header: Header, number: int, kept: Container[str] = ()) -> dict[str, str]:
    """Return the id that each entity is written with: encoded for the format, and unique in the file if necessary.

    Ids that are local to a document become corpus-wide by a number: the first document keeps its ids,
    the entities of the n-th get "_n". Ids in `kept` were read from this format, so they need no encoding.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    local = header.shared_ids and not doc.shared_ids
    suffix = ""
    if local and (number > 1 or any(_NUMBERED.fullmatch(entity.id) for entity in doc.entities)):
        suffix = f"_{number}"
    for entity in doc.entities:
        name = entity.id
        if suffix or name not in kept:
            name = _encode_id(name, header)
        while name + suffix in taken:
            name += "x"
        taken.add(name + suffix)
        names[entity.id] = name + suffix
    return names


def _encode_id(id: str, header: Header) -> str:
    name = id if _PLAIN_ID.fullmatch(id) else _SPACE.sub("_", IN_LIST.encode(id).replace("%", "."))
    return "e" + name if header.shared_ids and not name[:1].isalpha() else name


def find_changed_positions(was: Document, doc: Document) -> set[int]:
    """Return the words whose annotation may differ between two versions of a document with the same tokens."""
    old, new = {id(entity) for entity in was.entities}, {id(entity) for entity in doc.entities}
    changed = [entity for entity in was.entities if id(entity) not in new]
    changed += [entity for entity in doc.entities if id(entity) not in old]
    positions = {p for entity in changed for mention in entity.mentions for p in mention.positions}
    if (was.bridges, was.split_antecedents) != (doc.bridges, doc.split_antecedents):
        relations = was.bridges + doc.bridges + was.split_antecedents + doc.split_antecedents
        positions.update(relation.anaphor.start for relation in relations)
    return positions


def annotate(
    doc: Document, header: Header, names: dict[str, str], only: Container[int] | None = None
) -> dict[int, Annotation]:
    """Return the annotation of each word, or `only` of some.

    Opening brackets come first, the longest mention first, then closing ones, inner before outer; if mentions cross,
    closing ones come before those that stay open."""
    opening: dict[int, list[tuple[int, int, str]]] = {}
    closing: dict[int, list[tuple[int, int, str]]] = {}
    number = 0
    starts = [sentence.start for sentence in doc.sentences]
    for entity in doc.entities:
        entity = _in_sentences(entity, starts)
        marked = event_mention(entity)
        written = _parts(entity)
        interleaved = {id(mention) for pair in _find_interleaved(written) for mention in pair}
        for mention, parts in written:
            if only is not None and not any(position in only for position in mention.positions):
                number += 1
                continue
            is_marked = mention is marked
            if id(mention) in interleaved:  # its head may be a word that the reader finds in the other mention
                mention = replace(mention, head=None)
            for index, (start, end) in enumerate(parts, 1):
                number += 1
                label = names[entity.id] + (f"[{index}/{len(parts)}]" if len(parts) > 1 else "")
                bracket = "(" + _content(label, mention, entity, header, says_event=is_marked)
                if end - start == 1:
                    bracket += ")"
                else:
                    closing.setdefault(end - 1, []).append((-start, -number, label + ")"))
                opening.setdefault(start, []).append((-end, number, bracket))
    values = {}
    for position in opening.keys() | closing.keys():
        opened, closed = sorted(opening.get(position, ())), sorted(closing.get(position, ()))
        # an id after an opening bracket that is not closed here would be read as part of it
        is_open = bool(closed) and any(bracket[-1] != ")" for _, _, bracket in opened)
        brackets = closed + opened if is_open else opened + closed
        values[position] = {"Entity": "".join(bracket for _, _, bracket in brackets)}
    _add_relations(doc, names, values, starts)
    return values


def _in_sentences(entity: Entity, starts: list[int]) -> Entity:
    """Return the entity with each mention limited to one sentence, because brackets cannot cross a boundary."""
    mentions = [_in_sentence(mention, starts) for mention in entity.mentions]
    if all(new is old for new, old in zip(mentions, entity.mentions, strict=True)):
        return entity
    by_positions = {mention.positions: mention for mention in mentions}
    by_positions |= {
        mention.positions: mention for mention in entity.mentions
    }  # rather than one that was shortened to this
    kept = dict.fromkeys(mention.positions for mention in mentions)
    return replace(entity, mentions=tuple(by_positions[positions] for positions in kept))


def _in_sentence(mention: Mention, starts: list[int]) -> Mention:
    """Return the part of a mention in the sentence of its head, otherwise in its first sentence."""
    positions = mention.positions
    if len(positions) == 1 or bisect_right(starts, positions[0]) == bisect_right(starts, positions[-1]):
        return mention
    index = bisect_right(starts, mention.start if mention.head is None else mention.head)
    return replace(mention, positions=tuple(p for p in positions if bisect_right(starts, p) == index))


def count_loose(doc: Document) -> int:
    """Count relations to entities that do not exist: their names could become those of other entities."""
    ids = {entity.id for entity in doc.entities}
    bridges = sum(not ids >= {bridge.entity, bridge.antecedent} for bridge in doc.bridges)
    return bridges + sum(not ids >= {split.entity, *split.antecedents} for split in doc.split_antecedents)


def _add_relations(doc: Document, names: dict[str, str], values: dict[int, Annotation], starts: list[int]) -> None:
    for bridge in doc.bridges:
        if not names.keys() >= {bridge.entity, bridge.antecedent}:
            continue
        item = f"{names[bridge.antecedent]}<{names[bridge.entity]}"
        if bridge.relation:
            item += ":" + IN_LIST.encode(bridge.relation)
        _append(values, _in_sentence(bridge.anaphor, starts).start, "Bridge", [item])
    for split in doc.split_antecedents:
        items = [f"{names[id]}<{names[split.entity]}" for id in split.antecedents if names.keys() >= {id, split.entity}]
        if items:
            _append(values, _in_sentence(split.anaphor, starts).start, "SplitAnte", items)


def _append(values: dict[int, Annotation], position: int, name: str, items: Iterable[str]) -> None:
    at_word = values.setdefault(position, {})
    at_word[name] = ",".join(([at_word[name]] if name in at_word else []) + list(items))


def event_mention(entity: Entity) -> Mention | None:
    """Return the mention whose attribute `kind` is replaced to mark an event, if all mentions have this attribute."""
    if entity.kind == "event" and all("kind" in mention.attributes for mention in entity.mentions):
        return entity.mentions[0]
    return None


def count_overwritten(doc: Document, header: Header) -> int:
    """Count entities and mentions whose type, kind or attributes are read differently from a file with these fields."""
    return sum(_has_other_type(entity) + _has_other_kind(entity) for entity in doc.entities) + sum(
        _loses_attributes(mention, entity, header)
        for entity in doc.entities
        for mention in entity.mentions
        if not isinstance(mention.attributes, Fields)  # as they were read from a file
    )


def _has_other_type(entity: Entity) -> bool:
    """Return whether the type is read differently: readers use that of the first mention with a type."""
    if entity.type:
        return (entity.mentions[0].attributes.get("etype") or entity.type) != entity.type
    made = (mention.attributes for mention in entity.mentions if not isinstance(mention.attributes, Fields))
    return entity.type == "" or any(values.get("etype") for values in made)


def _has_other_kind(entity: Entity) -> bool:
    """Return whether an attribute `kind` is overwritten, or read as that of an event."""
    if entity.kind == "event":
        return event_mention(entity) is not None
    attributes = (m.attributes for m in entity.mentions if not isinstance(m.attributes, Fields))
    return any(values.get("kind") == "event" for values in attributes)


def _loses_attributes(mention: Mention, entity: Entity, header: Header) -> bool:
    """Return whether an attribute is lost: one that repeats the entity, or is empty where the file has no place."""
    values = mention.attributes
    repeats = values.get("etype") == entity.type is not None or values.get("kind") == entity.kind == "event"
    own = ("", "etype", *(name for name in header.fields if name not in ("eid", "GRP", "head", "other")))
    return repeats or any(values.get(name) == "" for name in own)


def _content(label: str, mention: Mention, entity: Entity, header: Header, *, says_event: bool) -> str:
    rest = dict(mention.attributes)
    if entity.kind == "event" and (says_event or "kind" not in rest):
        rest["kind"] = "event"
    type_ = rest.pop("etype", "") or entity.type or ""
    values = []
    for name in header.fields:
        if name in ("eid", "GRP"):
            values.append(label)
        elif name == "etype":
            values.append(IN_FIELD.encode(type_))
        elif name == "head":
            known = mention.head is not None
            values.append(str(mention.positions.index(mention.head) + 1) if known else "")
        elif name != "other":
            values.append(IN_FIELD.encode(rest.pop(name, "")))
        else:
            values.append(name)
    if "other" in header.fields:
        values[header.fields.index("other")] = encode_other(rest)
    if (at := header.head_index) >= 0 and not values[at] and (label[-1] == "]" or any(values[at + 1 :])):
        values[at] = "0"  # udapi requires a number if a field follows or a part ends, and treats 0 as "not given"
    return "-".join(values).rstrip("-")


def _parts(entity: Entity) -> list[tuple[Mention, Sequence[Span]]]:
    """Return the mentions with the parts that are written: a mention that crosses another one word by word."""
    crossing = {id(mention) for mention in self_crossing(entity)} if len(entity) > 1 else ()
    return [
        (mention, [(p, p + 1) for p in mention.positions] if id(mention) in crossing else mention.spans)
        for mention in entity.mentions
    ]


def count_interleaved(doc: Document) -> int:
    """Count pairs of mentions of an entity whose parts a file cannot assign to the right one of them."""
    starts = [sentence.start for sentence in doc.sentences]
    return sum(sum(1 for _ in _find_interleaved(_parts(_in_sentences(entity, starts)))) for entity in doc.entities)


def _find_interleaved(written: list[tuple[Mention, Sequence[Span]]]) -> Iterator[tuple[Mention, Mention]]:
    """Yield the pairs of interleaved mentions: with equally many parts, neither of them within the other.

    A mention is within another one if it lies in a gap, or in a part that continues after it. Two mentions that are
    both written word by word never exchange parts, because the part numbers of the earlier one are always higher.
    """
    if len(written) == 1:
        return
    split = [(mention, parts) for mention, parts in written if len(parts) > 1]
    for number, (first, parts) in enumerate(split):
        places = [(start, end - 1) for start, end in parts]
        places += [(end, start) for (_, end), (start, _) in pairwise(parts)]
        for other, other_parts in split[number + 1 :]:
            if len(other_parts) != len(parts) or other.start >= first.end:
                continue
            if first.is_contiguous and other.is_contiguous:
                continue
            if not any(a <= other.start and other.end <= b for a, b in places):
                yield first, other
