"""No mention in code, web addresses and markup: the filter that every chain of resolvers ends with.

`coindex.text.protected` describes which tokens are protected and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..document import Document, Entity, Mention

INSIDE = frozenset({"emphasis"})
"""Reasons for which a token may not stand at the edge of a mention, but inside it."""


def unprotected(doc: Document) -> Document:
    """The document without mentions that overlap protected tokens; those at the edges of a mention are cut off."""
    protected = doc.tokens.protected
    if not protected or not doc.entities:
        return doc
    seen = {m.positions for entity in doc.entities for m in entity.mentions if protected.keys().isdisjoint(m.positions)}
    entities = [
        replace(entity, mentions=mentions)
        for entity in doc.entities
        if (mentions := tuple(_free(doc, entity, protected, seen)))
    ]
    kept = {entity.id for entity in entities}
    return doc.replace(
        entities=tuple(entities),
        bridges=tuple(bridge for bridge in doc.bridges if {bridge.entity, bridge.antecedent} <= kept),
        split_antecedents=tuple(split for split in doc.split_antecedents if {split.entity, *split.antecedents} <= kept),
    )


def _free(doc: Document, entity: Entity, protected: Mapping[int, str], seen: set[tuple[int, ...]]) -> Iterator[Mention]:
    """The mentions of an entity that may stay, as far as they may; one that became equal to another is left out."""
    for mention in entity.mentions:
        if protected.keys().isdisjoint(mention.positions):
            yield mention
            continue
        free = [index for index, at in enumerate(mention.positions) if at not in protected]
        positions = mention.positions[free[0] : free[-1] + 1] if free else ()
        is_free = all(at not in protected or protected[at] in INSIDE for at in positions)
        if positions and is_free and positions not in seen:
            seen.add(positions)
            head = mention.head if mention.head in positions else None
            yield doc.mention(positions, head=head, attributes=mention.attributes)
