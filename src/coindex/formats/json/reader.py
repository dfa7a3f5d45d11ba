"""Reads what the writer wrote, or what somebody made by the schema; computed keys (texts, names) are not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...document import Bridge, Document, Entity, Mention, Sentence, SplitAntecedent, mention_order
from ...document.entities import SCORE
from ...document.provenance import BY
from ...errors import quote
from ..corefud.columns import problem_of
from ..records import Record, document_name, records
from ..source import Source
from .fields import Fields, WrongField
from .schema import VERSION, VERSION_KEY, score_text
from .tokens import read_tokens

SPAN = "a span of tokens, counted from 0, with the end outside"


def read(source: Source) -> Iterator[Document]:
    """The documents of a file, one a line."""
    seen: set[str] = set()
    for line, record in records(source):
        if record.get(VERSION_KEY) != VERSION:
            found = f"version {record[VERSION_KEY]!r}"[:80] if VERSION_KEY in record else f"no key {VERSION_KEY!r}"
            source.problem(line, found, f'"{VERSION_KEY}": {VERSION}', "write the file with this version of coindex")
            continue
        try:
            doc = record_document(record)
        except WrongField as wrong:
            source.problem(line, wrong.found, wrong.expected, "mend it, or write the document anew")
            continue
        document_name(source, line, doc.id, seen)
        yield doc


def record_document(record: Record) -> Document:
    """The document of one JSON object."""
    fields = Fields(record, "the document")
    tokens = read_tokens(fields)
    doc = Document(
        tokens,
        id=fields.text("id"),
        language=fields.text("language"),
        genre=fields.text("genre"),
        topic=fields.text("topic"),
        subtopic=fields.text("subtopic"),
        shared_ids=fields.flag("shared_ids"),
        meta=fields.strings("meta"),
        columns=_columns(fields),
    )
    doc = doc.replace(sentences=_sentences(doc, fields))
    doc = doc.replace(entities=_entities(doc, fields))
    return doc.replace(
        bridges=tuple(_bridge(doc, one) for one in fields.records("bridging")),
        split_antecedents=tuple(_split(doc, one) for one in fields.records("split_antecedents")),
    )


def _columns(fields: Fields) -> tuple[str, ...]:
    names = fields.string_list("columns")
    if names and (wrong := problem_of(names)):
        raise fields.wrong(f"{wrong} in 'columns'", "the name of each column once, FORM among them, without spaces")
    return tuple(names)


def _sentences(doc: Document, fields: Fields) -> tuple[Sentence, ...]:
    """The sentences, one after the other over all tokens, or none."""
    sentences: list[Sentence] = []
    at = 0
    for one in fields.records("sentences"):
        start, end = one.number("start", most=len(doc.tokens)), one.number("end", most=len(doc.tokens))
        if start != at or start > end:
            raise one.wrong(f"the sentence {start} to {end} after {at}", "sentences that follow each other, from 0")
        comments = tuple(one.string_list("comments"))
        sentences.append(Sentence(doc.tokens, start, end, one.text("id"), one.text("speaker"), comments))
        at = end
    if sentences and at < len(doc.tokens):
        raise fields.wrong(f"sentences up to {at} of {len(doc.tokens)} tokens", "sentences that hold all tokens")
    return tuple(sentences)


def _entities(doc: Document, fields: Fields) -> tuple[Entity, ...]:
    entities: dict[str, Entity] = {}
    for one in fields.records("entities"):
        id = one.text("id")
        if id is None or id in entities:
            raise one.wrong("no 'id'" if id is None else f"the id {quote(id)} for the second time", "an id of its own")
        kind = one.text("kind") or "entity"
        if kind not in ("entity", "event"):
            raise one.wrong(f"the kind {quote(kind)}", "entity or event")
        mentions = tuple(_mention(doc, mention) for mention in one.records("mentions"))
        if not mentions:
            raise one.wrong("no mentions", "one mention at least")
        if len({mention.positions for mention in mentions}) < len(mentions):
            raise one.wrong("a span for the second time", "each mention once")
        in_order = tuple(sorted(mentions, key=mention_order))
        if in_order != mentions:
            raise one.wrong("mentions that are not in reading order", "the earlier first, of two the longer first")
        entities[id] = Entity(id, mentions, one.text("type"), kind, one.strings("attributes"))  # type: ignore[arg-type]  # checked above
    return tuple(entities.values())


def _mention(doc: Document, fields: Fields) -> Mention:
    positions = _positions(doc, fields)
    head = fields.number("head", most=len(doc.tokens) - 1) if fields.has("head") else None
    if head is not None and head not in positions:
        raise fields.wrong(f"the head {head}", "a position of the mention")
    attributes = fields.strings("attributes")
    if (by := fields.text("by")) is not None:
        attributes[BY] = by
    score = fields.record("link").real("score")
    if score is not None:
        attributes.setdefault(SCORE, score_text(score))
    return Mention(doc.tokens, positions, head, attributes)


def _positions(doc: Document, fields: Fields) -> tuple[int, ...]:
    if fields.has("positions"):
        positions = tuple(fields.numbers("positions"))
        if not positions or sorted(set(positions)) != list(positions) or positions[-1] >= len(doc.tokens):
            raise fields.wrong("positions that are not in order or not in the text", "positions of tokens from 0")
        return positions
    start, end = fields.number("start", most=len(doc.tokens)), fields.number("end", most=len(doc.tokens))
    if start >= end:
        raise fields.wrong(f"the mention {start} to {end}", SPAN)
    return tuple(range(start, end))


def _bridge(doc: Document, fields: Fields) -> Bridge:
    entity = fields.need("entity")
    return Bridge(_anaphor(doc, entity, fields), entity, fields.need("antecedent"), fields.text("relation"))


def _split(doc: Document, fields: Fields) -> SplitAntecedent:
    entity = fields.need("entity")
    return SplitAntecedent(_anaphor(doc, entity, fields), entity, tuple(fields.string_list("antecedents")))


def _anaphor(doc: Document, id: str, fields: Fields) -> Mention:
    if fields.has("anaphor"):
        return _mention(doc, fields.record("anaphor"))
    mentions: Any = next((entity.mentions for entity in doc.entities if entity.id == id), ())
    if not mentions:
        raise fields.wrong(f"the entity {quote(id)}, which is not there", "the id of an entity of the document")
    return mentions[fields.number("mention", most=len(mentions) - 1)]  # type: ignore[no-any-return]
