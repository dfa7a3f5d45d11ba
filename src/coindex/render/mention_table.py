"""Tabulate mentions, one row each: the columns of the CSV format and of the pandas frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..document.documents import Document
from ..document.entities import Entity, Mention, link_source
from ..document.naming import entity_name

Value = str | int | float | bool | None
Row = dict[str, Value]

COLUMNS = (
    "document",
    "sentence",
    "entity",
    "mention",
    "text",
    "start_char",
    "end_char",
    "start",
    "end",
    "spans",
    "head",
    "head_text",
    "head_upos",
    "name",
    "type",
    "kind",
    "is_zero",
    "is_singleton",
    "antecedent",
    "by",
    "score",
    "type_probability",
    "number",
    "gender",
    "animacy",
)
"""The columns. Positions, sentences, mentions and characters count from 0; ends are exclusive."""


def mention_rows(docs: Iterable[Document]) -> Iterator[Row]:
    """Yield a row for each mention, in reading order; a document without an id is named by its number."""
    for number, doc in enumerate(docs, 1):
        names = {entity.id: entity_name(entity) for entity in doc.entities}
        places = {id(mention): at for entity in doc.entities for at, mention in enumerate(entity.mentions)}
        for mention, entity in doc.mentions():
            yield {
                "document": doc.id or f"document_{number}",
                **_row(doc, mention, entity, places[id(mention)]),
                "name": names[entity.id],
            }


def _row(doc: Document, mention: Mention, entity: Entity, index: int) -> Row:
    head = mention.head_token
    return {
        "sentence": doc.sentence_index(mention.start),
        "entity": entity.id,
        "mention": index,
        "text": mention.text,
        "start_char": mention.start_char,
        "end_char": mention.end_char,
        "start": mention.start,
        "end": mention.end,
        "spans": " ".join(f"{start}-{end}" for start, end in mention.spans),
        "head": mention.head,
        "head_text": None if head is None else head.form,
        "head_upos": None if head is None or head.upos == "_" else head.upos,
        "type": entity.type,
        "kind": entity.kind,
        "is_zero": mention.is_zero,
        "is_singleton": entity.is_singleton,
        "antecedent": index - 1 if index else None,
        "by": link_source(mention),
        "score": mention.score,
        "type_probability": entity.type_probability,
        **{name: entity.attributes.get(name) for name in ("number", "gender", "animacy")},
    }
