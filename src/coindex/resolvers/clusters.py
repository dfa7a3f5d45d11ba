"""Convert clusters of mentions to entities of a document and back, and record the origin of links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count

from ..document import Document, Entity, Kind, Mention, mention_order
from ..document.entities import BY, SCORE

GIVEN = ("id", "anaphoric")
"""Mention attributes that belong to the input of a task: the id, and whether ARE 2007 asks for an antecedent."""


def with_clusters(
    doc: Document, clusters: Iterable[Iterable[Mention]], *, kinds: Iterable[Kind] | None = None
) -> Document:
    """Return the document with these clusters as its only entities, with the ids e1, e2 … in reading order.

    `kinds` gives the kind of each cluster, entity or event. By default, a cluster has the kind that its first mention
    has in the document.
    """
    ordered = [tuple(sorted(cluster, key=mention_order)) for cluster in clusters]
    if kinds is None:
        known = _map_kinds(doc)
        kinds = [known.get(mentions[0].positions, "entity") for mentions in ordered]
    pairs = sorted(zip(ordered, kinds, strict=True), key=lambda pair: mention_order(pair[0][0]))
    entities = tuple(Entity(f"e{number}", mentions, kind=kind) for number, (mentions, kind) in enumerate(pairs, 1))
    return doc.replace(entities=entities, bridges=(), split_antecedents=(), shared_ids=False)


def _map_kinds(doc: Document) -> dict[tuple[int, ...], Kind]:
    """Return the kinds of the spans that are not plain entities."""
    return {
        mention.positions: entity.kind
        for entity in doc.entities
        if entity.kind != "entity"
        for mention in entity.mentions
    }


def free_ids(doc: Document) -> Iterator[str]:
    """Yield ids that are not used in the document, nor in other documents if ids are shared."""
    used = {entity.id for entity in doc.entities}
    prefix = f"{doc.id or ''}:" if doc.shared_ids else ""
    return (id for number in count(1) if (id := f"{prefix}e{number}") not in used)


def add_provenance(mention: Mention, by: str, score: float | None = None) -> Mention:
    """Return the mention with its provenance, which is appended to that of earlier steps."""
    before = mention.attributes.get(BY)
    attributes = {**mention.attributes, BY: f"{before}+{by}" if before else by}
    if score is not None:
        attributes[SCORE] = f"{score:.4f}"
    return replace(mention, attributes=attributes)


def without_singletons(doc: Document) -> Document:
    """Return the document without singletons and their relations."""
    gone = {entity.id for entity in doc.entities if entity.is_singleton}
    splits = doc.split_antecedents
    return doc.replace(
        entities=tuple(entity for entity in doc.entities if entity.id not in gone),
        bridges=tuple(bridge for bridge in doc.bridges if not gone & {bridge.entity, bridge.antecedent}),
        split_antecedents=tuple(split for split in splits if not gone & {split.entity, *split.antecedents}),
    )


def without_singletons_of_all(docs: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents without entities that all of them together mention only unique.

    Equal ids in several documents are one entity if ids are shared. All documents are kept in memory until the last one
    has been read.
    """
    held = list(docs)
    sizes = Counter(entity.id for doc in held if doc.shared_ids for entity in doc.entities for _ in entity.mentions)
    for doc in held:
        if not doc.shared_ids:
            yield without_singletons(doc)
            continue
        kept = tuple(entity for entity in doc.entities if sizes[entity.id] > 1)
        yield doc.replace(entities=kept, bridges=(), split_antecedents=())


def without_entities(doc: Document) -> Document:
    """Return the document without entities and relations, as raw input."""
    return doc.replace(entities=(), bridges=(), split_antecedents=(), shared_ids=False)


def separate_mentions(doc: Document, *, singletons: bool = True) -> Document:
    """Return the document with one entity per mention, without attributes that reveal the original entity.

    The kind is kept, because it belongs to the input of tasks with events and entities (ECB+). Spans that occur twice
    with the same kind are kept unique. Without `singletons`, mentions of singleton entities are removed.
    """
    unique: dict[tuple[tuple[int, ...], Kind], Mention] = {}
    for entity in doc.entities:
        if singletons or not entity.is_singleton:
            for mention in entity.mentions:
                unique.setdefault((mention.positions, entity.kind), _bare(mention))
    return with_clusters(doc, ((mention,) for mention in unique.values()), kinds=(kind for _, kind in unique))


def _bare(mention: Mention) -> Mention:
    kept = {name: mention.attributes[name] for name in GIVEN if name in mention.attributes}
    return Mention(mention.layer, mention.positions, mention.head, kept)
