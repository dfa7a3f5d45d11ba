"""Writing brat: the text, a T line a mention, an equivalence an entity; ids and heads are notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...document import Document, Entity, Mention, Span
from ..names import file_name
from ..sink import Sink
from ..surface import ordered_mentions, without_zeros
from ..text import has_words, text_beside
from .reader import HEAD_NOTE, ID_NOTE, LABEL, TYPE_NOTE, UNTYPED

_NO_LABEL = re.compile(r"[^\w.-]")
_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def write(docs: Iterable[Document], sink: Sink) -> None:
    for number, doc in enumerate(docs, 1):
        name = file_name(doc.id, f"doc{number}")
        with sink.file(f"{name}.txt") as out:
            out.write(text_beside(doc))
        with sink.file(f"{name}.ann") as out:
            out.writelines(f"{line}\n" for line in _lines(without_zeros(doc)))


def _lines(doc: Document) -> Iterator[str]:
    ids: dict[tuple[str, tuple[int, ...]], str] = {}
    notes: list[str] = []
    attributes: list[str] = []
    events: list[str] = []
    for mention, entity in ordered_mentions(doc):
        spans = list(_spans(mention, doc.text))
        if not spans:
            continue
        id = ids[entity.id, mention.positions] = f"T{len(ids) + 1}"
        label = _label(mention, entity)
        offsets = ";".join(f"{start} {end}" for start, end in spans)
        yield f"{id}\t{label} {offsets}\t{' '.join(doc.text[start:end] for start, end in spans)}"
        if entity.kind == "event":
            events.append(f"{label}:{id}")
        attributes += _attributes(mention, entity, id)
        if mention.head is not None:
            head = doc.tokens.start_char(mention.head), doc.tokens.end_char(mention.head)
            notes.append(f"{HEAD_NOTE} {id}\t{head[0]} {head[1]}")
    yield from (f"E{number}\t{event}" for number, event in enumerate(events, 1))
    for entity in doc.entities:
        members = [ids[key] for m in entity.mentions if (key := (entity.id, m.positions)) in ids]
        if len(members) > 1:
            yield f"*\tCoref {' '.join(members)}"
        if members:
            notes.append(f"{ID_NOTE} {members[0]}\t{_one_line(entity.id)}")
            if entity.type not in (None, _label(entity.mentions[0], entity)) or entity.type == UNTYPED:
                notes.append(f"{TYPE_NOTE} {members[0]}\t{_one_line(entity.type or '')}")
    yield from (f"A{number}\t{attribute}" for number, attribute in enumerate(attributes, 1))
    yield from (f"#{number}\t{note}" for number, note in enumerate(notes, 1))


def _spans(mention: Mention, text: str) -> Iterator[Span]:
    """The character spans, cut at line ends as brat does, without blanks around them."""
    for start, end in mention.char_spans:
        for line in _LINE.finditer(text, start, end):
            bare = line[0].strip()
            if has_words(bare):
                first = line.start() + line[0].index(bare)
                yield first, first + len(bare)


def _label(mention: Mention, entity: Entity) -> str:
    return _own_label(mention, entity) or _clean(entity.type or UNTYPED)


def _own_label(mention: Mention, entity: Entity) -> str:
    """The label that the mention was read with, where it is not the entity's type."""
    label = mention.attributes.get(LABEL, "")
    return label if entity.type is not None and label == _clean(label) else ""


def _clean(name: str) -> str:
    return _NO_LABEL.sub("_", name) or "_"


def _attributes(mention: Mention, entity: Entity, id: str) -> Iterator[str]:
    for name, value in mention.attributes.items():
        if name != LABEL or not _own_label(mention, entity):
            yield f"{_clean(name)} {id} {_one_line(value)}"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines()).replace("\t", " ")
