"""Writes documents as JSON. Keys that say nothing are left out; what can be computed is there for those who read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ...document import Bridge, Document, Entity, Mention, Multiword, Sentence, SplitAntecedent, Token
from ...document.entities import BY, SCORE
from ...document.naming import entity_name, representative
from ..detection import JSON_VERSION
from ..sink import Sink
from .schema import COLUMNS, VERSION, score_text

Record = dict[str, Any]
Entities = dict[str, Entity]


def write(docs: Iterable[Document], sink: Sink) -> None:
    """One line a document; a single document makes a file that is one object."""
    for doc in docs:
        sink.stream.write(json.dumps(document_record(doc), ensure_ascii=False) + "\n")


def document_record(doc: Document) -> Record:
    """The document as what JSON can say."""
    entities = {entity.id: entity for entity in doc.entities}
    return {
        JSON_VERSION: VERSION,
        **_said(
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
        **_said(multiwords=[_multiword(multiword) for multiword in doc.tokens.multiwords]),
        "entities": [_entity(doc, entity) for entity in doc.entities],
        **_said(
            bridging=[_bridge(doc, bridge, entities) for bridge in doc.bridges],
            split_antecedents=[_split(doc, split, entities) for split in doc.split_antecedents],
        ),
    }


def _said(**values: Any) -> Record:
    """The values that say something."""
    return {name: value for name, value in values.items() if not (value is None or value is False or value in ({}, []))}


def _sentence(doc: Document, sentence: Sentence) -> Record:
    places = {"start": sentence.start, "end": sentence.end}
    if sentence.start < sentence.end:
        places |= {"start_char": sentence.start_char, "end_char": sentence.end_char}
    return {
        **places,
        **_said(id=sentence.id, speaker=sentence.speaker, comments=list(sentence.comments)),
    }


def _tokens(doc: Document) -> list[Record]:
    """The words; an id is written where it is not the next number, a space where the text does not show it."""
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


def _token(doc: Document, position: int, token: Token, *, expected: str, hidden: bool) -> Record:
    return {
        **_said(id=None if token.id == expected else token.id),
        "form": token.form,
        "start_char": doc.tokens.start_char(position),
        "end_char": doc.tokens.end_char(position),
        **{name: value for name in COLUMNS if (value := getattr(token, name)) != "_"},
        **_said(space=token.space if hidden and token.space != " " else None, extra=dict(token.extra)),
    }


def _multiword(multiword: Multiword) -> Record:
    misc, extra = None if multiword.misc == "_" else multiword.misc, dict(multiword.extra)
    return {"start": multiword.start, "end": multiword.end, "form": multiword.form, **_said(misc=misc, extra=extra)}


def _entity(doc: Document, entity: Entity) -> Record:
    best = {}
    if entity.mentions:
        best = {"representative": {"mention": representative(entity), "text": entity_name(entity)}}
    return {
        "id": entity.id,
        **_said(type=entity.type),
        "kind": entity.kind,
        **best,
        **_said(attributes=dict(entity.attributes)),
        "mentions": [_mention(doc, mention, index) for index, mention in enumerate(entity.mentions)],
    }


def _mention(doc: Document, mention: Mention, index: int | None) -> Record:
    head = mention.head_token
    attributes = dict(mention.attributes)
    score = mention.score
    if score is not None and score_text(score) == attributes[SCORE]:
        del attributes[SCORE]  # else it stands there too, so that it comes back as it was
    antecedent = index - 1 if index else None
    spans = mention.char_spans
    return {
        "text": mention.text,
        "start_char": mention.start_char,
        "end_char": mention.end_char,
        **_said(char_spans=[list(span) for span in spans] if len(spans) > 1 else None),
        "start": mention.start,
        "end": mention.end,
        **_said(positions=None if mention.is_contiguous else list(mention.positions)),
        "sentence": doc.sentence_index(mention.start),
        **_said(head=mention.head, head_text=None if head is None else head.form, is_zero=mention.is_zero),
        **_said(by=attributes.pop(BY, None), link=_said(antecedent=antecedent, score=score), attributes=attributes),
    }


def _bridge(doc: Document, bridge: Bridge, entities: Entities) -> Record:
    anaphor = _anaphor(doc, entities.get(bridge.entity), bridge.anaphor)
    return {"entity": bridge.entity, **anaphor, "antecedent": bridge.antecedent, **_said(relation=bridge.relation)}


def _split(doc: Document, split: SplitAntecedent, entities: Entities) -> Record:
    anaphor = _anaphor(doc, entities.get(split.entity), split.anaphor)
    return {"entity": split.entity, **anaphor, "antecedents": list(split.antecedents)}


def _anaphor(doc: Document, entity: Entity | None, anaphor: Mention) -> Record:
    """Which mention of the entity it is; the mention itself where the entity does not have it."""
    if entity is not None and anaphor in entity.mentions:
        return {"mention": entity.mentions.index(anaphor)}
    return {"anaphor": _mention(doc, anaphor, None)}
