"""JSON Lines with everything a document contains: one object per document, read back without loss.

docs/notes/json.md describes the keys to users. Computed keys (texts, names) are written for other programs and
ignored when read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..document import (
    Bridge,
    Document,
    Entity,
    Mention,
    Multiword,
    Sentence,
    Span,
    SplitAntecedent,
    Token,
    Tokens,
    mention_order,
)
from ..document.entities import BY, SCORE
from ..document.naming import entity_name, representative
from ..document.tokens import Extra, extra_columns
from ..errors import quote
from .corefud.lines import STANDARD, problem_of
from .detection import JSON_VERSION
from .losses import FEATURES
from .records import Record, document_name, records
from .registry import Format
from .sink import Sink
from .source import Source

VERSION = 1
COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""The UD columns of a token; columns without a value are omitted."""


def score_text(score: float) -> str:
    """Return the score of a link as the value of an attribute, as resolvers write it."""
    return f"{score:.4f}"


class WrongField(Exception):  # noqa: N818 - caught by the reader, which reports it with its line
    """A value that does not fit the schema."""

    def __init__(self, found: str, expected: str, fragment: str = "") -> None:
        super().__init__(found)
        self.found = found
        self.expected = expected
        self.fragment = fragment


class Fields:
    """The values of a JSON object, with its path in the document."""

    def __init__(self, record: dict[str, Any], path: str) -> None:
        self.values = record
        self.path = path

    def wrong(self, found: str, expected: str, fragment: str = "") -> WrongField:
        return WrongField(f"{found} in {self.path}", expected, fragment)

    def _odd(self, key: str, expected: str) -> WrongField:
        if key not in self.values:
            return self.wrong(f"no {key!r}", expected)
        return self.wrong(f"{_format_value(self.values[key])} for {key!r}", expected, key)

    def has(self, key: str) -> bool:
        return self.values.get(key) is not None

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is not None and not isinstance(value, str):
            raise self._odd(key, "a string")
        return value

    def need(self, key: str) -> str:
        value = self.text(key)
        if value is None:
            raise self._odd(key, "a string")
        return value

    def flag(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self._odd(key, "true or false")
        return value

    def number(self, key: str, *, most: int) -> int:
        value = self.values.get(key)
        if type(value) is not int or not 0 <= value <= most:
            raise self._odd(key, f"a whole number from 0 to {most}")
        return value

    def real(self, key: str) -> float | None:
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e15:
            raise self._odd(key, "a number")
        return float(value) if math.isfinite(value) else None

    def numbers(self, key: str) -> list[int]:
        value = self.values.get(key)
        if not isinstance(value, list) or not all(type(number) is int and number >= 0 for number in value):
            raise self._odd(key, "a list of whole numbers from 0")
        return value

    def strings(self, key: str) -> dict[str, str]:
        value = self.values.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            raise self._odd(key, "an object of strings")
        return dict(value)

    def string_list(self, key: str) -> list[str]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self._odd(key, "a list of strings")
        return value

    def record(self, key: str) -> Fields:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self._odd(key, "an object")
        return Fields(value, f"{key} of {self.path}")

    def records(self, key: str) -> list[Fields]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
            raise self._odd(key, "a list of objects")
        prefix = "" if self.path == "the document" else f"{self.path}."
        return [Fields(record, f"{prefix}{key}[{number}]") for number, record in enumerate(value)]


def _format_value(value: object) -> str:
    try:
        return quote(json.dumps(value, ensure_ascii=False))
    except (RecursionError, ValueError):
        return "something nested"


FIT = "tokens in order that are in 'text' as their offsets say"


def read_tokens(fields: Fields) -> Tokens:
    """Return the tokens with the text between them."""
    text = fields.need("text")
    records = fields.records("tokens")
    groups = _multiwords(fields, len(records))
    inside = {at for group in groups for at in range(group.start, group.end)}
    ids = _ids(fields, records)
    tokens = [
        _read_token(record, id, hidden=at in inside) for at, (record, id) in enumerate(zip(records, ids, strict=True))
    ]
    pieces = _surface(fields, records, tokens, groups, inside)
    after = _spaces(fields, text, pieces)
    for at, space in after.items():
        if at not in inside:
            tokens[at] = tokens[at]._replace(space=space)
    multiwords = [replace(group, space=after[group.start]) for group in groups]
    prefix = text[: pieces[0][1][0]] if pieces else text
    return Tokens(tokens, multiwords=multiwords, prefix=prefix)


def _ids(fields: Fields, records: list[Fields]) -> list[str]:
    """Return the ids: as written, otherwise the next number in the sentence."""
    starts = {value for record in fields.records("sentences") if type(value := record.values.get("start")) is int}
    ids, number = [], 0
    for position, token_record in enumerate(records):
        number = 1 if position in starts else number + 1
        id = token_record.text("id") or str(number)
        if "." in id:
            number -= 1
        ids.append(id)
    return ids


def _read_token(fields: Fields, id: str, *, hidden: bool) -> Token:
    columns = {name: value for name in COLUMNS if (value := fields.text(name)) is not None}
    space = fields.text("space") if hidden or "." in id else None
    extra = _extra(fields)
    return Token(id, fields.need("form"), space=" " if space is None else space, extra=extra, **columns)


def _extra(fields: Fields) -> Extra:
    values = fields.strings("extra")
    if values and (wrong := problem_of([*STANDARD, *values])):
        raise fields.wrong(f"{wrong} in 'extra'", "names without spaces that are not columns of CoNLL-U", "extra")
    return extra_columns(values)


def _multiwords(fields: Fields, size: int) -> list[Multiword]:
    groups = []
    before = 0
    for record in fields.records("multiwords"):
        start, end = record.number("start", most=size), record.number("end", most=size)
        if not before <= start < end:
            raise record.wrong(f"the multiword token {start} to {end}", "spans of tokens in order, without overlap")
        extra = _extra(record)
        groups.append(Multiword(start, end, record.need("form"), record.text("misc") or "_", extra=extra))
        before = end
    return groups


def _surface(
    fields: Fields, records: list[Fields], tokens: list[Token], groups: list[Multiword], inside: set[int]
) -> list[tuple[int, Span, str]]:
    """Yield the visible pieces of the text in order: first position, characters, form."""
    first = {group.start: group for group in groups}
    pieces = []
    for position, (record, token) in enumerate(zip(records, tokens, strict=True)):
        group = first.get(position)
        if group is None and (position in inside or token.is_empty):
            continue
        form = token.form if group is None else group.form
        start = record.number("start_char", most=10**15)
        pieces.append((position, (start, start + len(form)), form))
    return pieces


def _spaces(fields: Fields, text: str, pieces: list[tuple[int, Span, str]]) -> dict[int, str]:
    """Return the text after each piece, by its first position."""
    after: dict[int, str] = {}
    at = 0
    for index, (position, (start, end), form) in enumerate(pieces):
        if start < at or text[start:end] != form:
            raise fields.wrong(f"the token {position}, which is not at character {start} of the text,", FIT)
        following = pieces[index + 1][1][0] if index + 1 < len(pieces) else len(text)
        after[position] = text[end:following]
        at = end
    return after


SPAN = "a half-open span of tokens, counted from 0"


def read(source: Source) -> Iterator[Document]:
    """Read the documents of a file, one per line."""
    seen: set[str] = set()
    for line, record in records(source):
        if record.get(JSON_VERSION) != VERSION:
            found = f"version {record[JSON_VERSION]!r}"[:80] if JSON_VERSION in record else f"no key {JSON_VERSION!r}"
            source.problem(
                line,
                found,
                f'"{JSON_VERSION}": {VERSION}',
                "write the file with this version of coindex",
                code="unknown-version",
                fragment=JSON_VERSION,
            )
            continue
        try:
            doc = record_document(record)
        except WrongField as wrong:
            source.problem(
                line,
                wrong.found,
                wrong.expected,
                "fix it, or write the document again",
                code="invalid-json-value",
                fragment=wrong.fragment,
            )
            continue
        document_name(source, line, doc.id, seen)
        yield doc


def record_document(record: Record) -> Document:
    """Return the document of a JSON object."""
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
        bridges=tuple(_read_bridge(doc, record) for record in fields.records("bridging")),
        split_antecedents=tuple(_read_split(doc, record) for record in fields.records("split_antecedents")),
    )


def _columns(fields: Fields) -> tuple[str, ...]:
    names = fields.string_list("columns")
    if names and (wrong := problem_of(names)):
        raise fields.wrong(
            f"{wrong} in 'columns'", "the name of each column once, FORM among them, without spaces", "columns"
        )
    return tuple(names)


def _sentences(doc: Document, fields: Fields) -> tuple[Sentence, ...]:
    """Return the sentences, which must cover all tokens in order, or none."""
    sentences: list[Sentence] = []
    at = 0
    for record in fields.records("sentences"):
        start, end = record.number("start", most=len(doc.tokens)), record.number("end", most=len(doc.tokens))
        if start != at or start > end:
            raise record.wrong(f"the sentence {start} to {end} after {at}", "sentences that follow each other, from 0")
        comments = tuple(record.string_list("comments"))
        sentences.append(Sentence(doc.tokens, start, end, record.text("id"), record.text("speaker"), comments))
        at = end
    if sentences and at < len(doc.tokens):
        raise fields.wrong(f"sentences up to {at} of {len(doc.tokens)} tokens", "sentences that cover all tokens")
    return tuple(sentences)


def _entities(doc: Document, fields: Fields) -> tuple[Entity, ...]:
    entities: dict[str, Entity] = {}
    for one in fields.records("entities"):
        id = one.text("id")
        if id is None or id in entities:
            found = "no 'id'" if id is None else f"duplicate id {quote(id)}"
            raise one.wrong(found, "a unique id", id or "")
        kind = one.text("kind") or "entity"
        if kind not in ("entity", "event"):
            raise one.wrong(f"the kind {quote(kind)}", "entity or event", kind)
        mentions = tuple(_read_mention(doc, mention) for mention in one.records("mentions"))
        if not mentions:
            raise one.wrong("no mentions", "at least one mention")
        if len({mention.positions for mention in mentions}) < len(mentions):
            raise one.wrong("duplicate span", "each mention once")
        in_order = tuple(sorted(mentions, key=mention_order))
        if in_order != mentions:
            raise one.wrong(
                "mentions that are not in reading order",
                "the earlier mention first; of two with the same start, the longer one",
            )
        entities[id] = Entity(id, mentions, one.text("type"), kind, one.strings("attributes"))  # type: ignore[arg-type]  # checked above
    return tuple(entities.values())


def _read_mention(doc: Document, fields: Fields) -> Mention:
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


def _read_bridge(doc: Document, fields: Fields) -> Bridge:
    entity = fields.need("entity")
    return Bridge(_read_anaphor(doc, entity, fields), entity, fields.need("antecedent"), fields.text("relation"))


def _read_split(doc: Document, fields: Fields) -> SplitAntecedent:
    entity = fields.need("entity")
    return SplitAntecedent(_read_anaphor(doc, entity, fields), entity, tuple(fields.string_list("antecedents")))


def _read_anaphor(doc: Document, id: str, fields: Fields) -> Mention:
    if fields.has("anaphor"):
        return _read_mention(doc, fields.record("anaphor"))
    mentions: Any = next((entity.mentions for entity in doc.entities if entity.id == id), ())
    if not mentions:
        raise fields.wrong(f"the entity {quote(id)}, which does not exist", "the id of an entity of the document")
    return mentions[fields.number("mention", most=len(mentions) - 1)]  # type: ignore[no-any-return]


JsonObject = dict[str, Any]
Entities = dict[str, Entity]


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write one line per document; a file with a single document is one JSON object."""
    for doc in docs:
        sink.stream.write(json.dumps(document_record(doc), ensure_ascii=False) + "\n")


def document_record(doc: Document) -> JsonObject:
    """Return the document as a JSON object."""
    entities = {entity.id: entity for entity in doc.entities}
    return {
        JSON_VERSION: VERSION,
        **_drop_empty(
            id=doc.id,
            language=doc.language,
            genre=doc.genre,
            topic=doc.topic,
            subtopic=doc.subtopic,
            shared_ids=doc.shared_ids,
            meta=dict(doc.meta),
            columns=list(doc.columns),
        ),
        "text": doc.text,
        "sentences": [_sentence(doc, sentence) for sentence in doc.sentences],
        "tokens": _tokens(doc),
        **_drop_empty(multiwords=[_multiword(multiword) for multiword in doc.tokens.multiwords]),
        "entities": [_entity(doc, entity) for entity in doc.entities],
        **_drop_empty(
            bridging=[_bridge(doc, bridge, entities) for bridge in doc.bridges],
            split_antecedents=[_split(doc, split, entities) for split in doc.split_antecedents],
        ),
    }


def _drop_empty(**values: Any) -> JsonObject:
    """Return the values that are not empty."""
    return {name: value for name, value in values.items() if not (value is None or value is False or value in ({}, []))}


def _sentence(doc: Document, sentence: Sentence) -> JsonObject:
    places = {"start": sentence.start, "end": sentence.end}
    if sentence.start < sentence.end:
        places |= {"start_char": sentence.start_char, "end_char": sentence.end_char}
    return {
        **places,
        **_drop_empty(id=sentence.id, speaker=sentence.speaker, comments=list(sentence.comments)),
    }


def _tokens(doc: Document) -> list[JsonObject]:
    """Return the tokens; ids and spaces are written only if they do not follow from the order and the text."""
    inside = {at for multiword in doc.tokens.multiwords for at in range(multiword.start, multiword.end)}
    starts = {sentence.start for sentence in doc.sentences}
    records, number = [], 0
    for position, token in enumerate(doc.tokens):
        number = 1 if position in starts else number + 1
        hidden = position in inside or token.is_empty
        records.append(_token(doc, position, token, expected=str(number), hidden=hidden))
        if token.is_empty:
            number -= 1
    return records


def _token(doc: Document, position: int, token: Token, *, expected: str, hidden: bool) -> JsonObject:
    return {
        **_drop_empty(id=None if token.id == expected else token.id),
        "form": token.form,
        "start_char": doc.tokens.start_char(position),
        "end_char": doc.tokens.end_char(position),
        **{name: value for name in COLUMNS if (value := getattr(token, name)) != "_"},
        **_drop_empty(space=token.space if hidden and token.space != " " else None, extra=dict(token.extra)),
    }


def _multiword(multiword: Multiword) -> JsonObject:
    misc, extra = None if multiword.misc == "_" else multiword.misc, dict(multiword.extra)
    return {
        "start": multiword.start,
        "end": multiword.end,
        "form": multiword.form,
        **_drop_empty(misc=misc, extra=extra),
    }


def _entity(doc: Document, entity: Entity) -> JsonObject:
    best = {}
    if entity.mentions:
        best = {"representative": {"mention": representative(entity), "text": entity_name(entity)}}
    return {
        "id": entity.id,
        **_drop_empty(type=entity.type),
        "kind": entity.kind,
        **best,
        **_drop_empty(attributes=dict(entity.attributes)),
        "mentions": [_mention(doc, mention, index) for index, mention in enumerate(entity.mentions)],
    }


def _mention(doc: Document, mention: Mention, index: int | None) -> JsonObject:
    head = mention.head_token
    attributes = dict(mention.attributes)
    score = mention.score
    if score is not None and score_text(score) == attributes[SCORE]:
        del attributes[SCORE]  # otherwise it stays an attribute, so that it is read back unchanged
    antecedent = index - 1 if index else None
    spans = mention.char_spans
    return {
        "text": mention.text,
        "start_char": mention.start_char,
        "end_char": mention.end_char,
        **_drop_empty(char_spans=[list(span) for span in spans] if len(spans) > 1 else None),
        "start": mention.start,
        "end": mention.end,
        **_drop_empty(positions=None if mention.is_contiguous else list(mention.positions)),
        "sentence": doc.sentence_index(mention.start),
        **_drop_empty(head=mention.head, head_text=None if head is None else head.form, is_zero=mention.is_zero),
        **_drop_empty(
            by=attributes.pop(BY, None), link=_drop_empty(antecedent=antecedent, score=score), attributes=attributes
        ),
    }


def _bridge(doc: Document, bridge: Bridge, entities: Entities) -> JsonObject:
    anaphor = _anaphor(doc, entities.get(bridge.entity), bridge.anaphor)
    return {
        "entity": bridge.entity,
        **anaphor,
        "antecedent": bridge.antecedent,
        **_drop_empty(relation=bridge.relation),
    }


def _split(doc: Document, split: SplitAntecedent, entities: Entities) -> JsonObject:
    anaphor = _anaphor(doc, entities.get(split.entity), split.anaphor)
    return {"entity": split.entity, **anaphor, "antecedents": list(split.antecedents)}


def _anaphor(doc: Document, entity: Entity | None, anaphor: Mention) -> JsonObject:
    """Return the index of the anaphor in its entity, or the mention itself if the entity does not have it."""
    if entity is not None and anaphor in entity.mentions:
        return {"mention": entity.mentions.index(anaphor)}
    return {"anaphor": _mention(doc, anaphor, None)}


FORMAT = Format(
    name="json",
    summary="JSON objects, one per document: offsets in characters and tokens, names, types, scores of links",
    carries=frozenset(FEATURES),
    read=read,
    write=write,
)
