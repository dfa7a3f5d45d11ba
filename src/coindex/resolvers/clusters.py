"""From groups of mentions to a document with entities, and back; where each link came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..document import Document, Entity, Mention, mention_order

BY = "by"
"""The mention attribute that names the resolver, or the step of it, that put the mention into its entity."""
SCORE = "score"
"""The mention attribute with the probability of that link, for resolvers that give one."""


def with_clusters(doc: Document, clusters: Iterable[Iterable[Mention]]) -> Document:
    """The document with these entities and no others, named e1, e2 … in reading order."""
    ordered = [tuple(sorted(cluster, key=mention_order)) for cluster in clusters]
    ordered.sort(key=lambda mentions: mention_order(mentions[0]))
    entities = tuple(Entity(f"e{number}", mentions) for number, mentions in enumerate(ordered, 1))
    return doc.replace(entities=entities, bridges=(), split_antecedents=(), shared_ids=False)


def linked(mention: Mention, by: str, score: float | None = None) -> Mention:
    """The mention with its provenance: after what an earlier step said, if one did."""
    before = mention.attributes.get(BY)
    attributes = {**mention.attributes, BY: f"{before}+{by}" if before else by}
    if score is not None:
        attributes[SCORE] = f"{score:.4f}"
    return replace(mention, attributes=attributes)


def without_entities(doc: Document) -> Document:
    """The document as raw input: no entities, no relations between them."""
    return doc.replace(entities=(), bridges=(), split_antecedents=(), shared_ids=False)


def given_mentions(doc: Document, *, singletons: bool = True) -> Document:
    """Each mention an entity of its own, stripped of all that tells about its entity; a span stands once.

    Without `singletons`, only mentions of entities that have several.
    """
    once: dict[tuple[int, ...], Mention] = {}
    for entity in doc.entities:
        if singletons or not entity.is_singleton:
            for mention in entity.mentions:
                once.setdefault(mention.positions, Mention(mention.layer, mention.positions, mention.head))
    return with_clusters(doc, ((mention,) for mention in once.values()))
