"""From groups of mentions to a document with entities, and back; where each link came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count

from ..document import Document, Entity, Kind, Mention, mention_order
from ..document.entities import BY, SCORE

GIVEN = ("id", "anaphoric")
"""The mention attributes that are part of a task's input: its name, and whether ARE 2007 asks to resolve it."""


def with_clusters(
    doc: Document, clusters: Iterable[Iterable[Mention]], *, kinds: Iterable[Kind] | None = None
) -> Document:
    """The document with these entities and no others, named e1, e2 … in reading order.

    `kinds` says of each cluster whether it is an entity or an event; left out, a cluster is of the kind that its first
    mention has in the document.
    """
    ordered = [tuple(sorted(cluster, key=mention_order)) for cluster in clusters]
    if kinds is None:
        known = _known_kinds(doc)
        kinds = [known.get(mentions[0].positions, "entity") for mentions in ordered]
    pairs = sorted(zip(ordered, kinds, strict=True), key=lambda pair: mention_order(pair[0][0]))
    entities = tuple(Entity(f"e{number}", mentions, kind=kind) for number, (mentions, kind) in enumerate(pairs, 1))
    return doc.replace(entities=entities, bridges=(), split_antecedents=(), shared_ids=False)


def _known_kinds(doc: Document) -> dict[tuple[int, ...], Kind]:
    """The spans that are not of the ordinary kind."""
    return {
        mention.positions: entity.kind
        for entity in doc.entities
        if entity.kind != "entity"
        for mention in entity.mentions
    }


def free_ids(doc: Document) -> Iterator[str]:
    """Ids that no entity of the document has; nor one of another document, where ids are shared."""
    used = {entity.id for entity in doc.entities}
    prefix = f"{doc.id or ''}:" if doc.shared_ids else ""
    return (id for number in count(1) if (id := f"{prefix}e{number}") not in used)


def linked(mention: Mention, by: str, score: float | None = None) -> Mention:
    """The mention with its provenance: after what an earlier step said, if one did."""
    before = mention.attributes.get(BY)
    attributes = {**mention.attributes, BY: f"{before}+{by}" if before else by}
    if score is not None:
        attributes[SCORE] = f"{score:.4f}"
    return replace(mention, attributes=attributes)


def without_singletons(doc: Document) -> Document:
    """The document without entities of one mention, and without relations of those."""
    gone = {entity.id for entity in doc.entities if entity.is_singleton}
    splits = doc.split_antecedents
    return doc.replace(
        entities=tuple(entity for entity in doc.entities if entity.id not in gone),
        bridges=tuple(bridge for bridge in doc.bridges if not gone & {bridge.entity, bridge.antecedent}),
        split_antecedents=tuple(split for split in splits if not gone & {split.entity, *split.antecedents}),
    )


def without_singletons_of_all(docs: Iterable[Document]) -> Iterator[Document]:
    """The documents without entities that all of them together mention once; ids mean the same where they are shared.

    All documents are held until the last has come.
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
    """The document as raw input: no entities, no relations between them."""
    return doc.replace(entities=(), bridges=(), split_antecedents=(), shared_ids=False)


def given_mentions(doc: Document, *, singletons: bool = True) -> Document:
    """Each mention an entity of its own, stripped of all that tells about its entity but the kind.

    Kinds are part of the task where events and entities are to be resolved (ECB+). Of each kind a span stands once.
    Without `singletons`, only mentions of entities that have several.
    """
    once: dict[tuple[tuple[int, ...], Kind], Mention] = {}
    for entity in doc.entities:
        if singletons or not entity.is_singleton:
            for mention in entity.mentions:
                once.setdefault((mention.positions, entity.kind), _bare(mention))
    return with_clusters(doc, ((mention,) for mention in once.values()), kinds=(kind for _, kind in once))


def _bare(mention: Mention) -> Mention:
    kept = {name: mention.attributes[name] for name in GIVEN if name in mention.attributes}
    return Mention(mention.layer, mention.positions, mention.head, kept)
