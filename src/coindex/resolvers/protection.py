"""No mention in code, web addresses and markup: the filter that every chain of resolvers ends with.

`coindex.document.protected` describes which tokens are protected and why.
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
    seen: set[tuple[int, ...]] = set()
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
        positions = mention.positions
        touched = [at for at in positions if at in protected]
        if touched:
            inner = [index for index, at in enumerate(positions) if at not in protected]
            positions = positions[inner[0] : inner[-1] + 1] if inner else ()
            if any(protected.get(at, "emphasis") not in INSIDE for at in positions):
                continue
            if not positions or positions in seen:
                continue
            head = mention.head if mention.head in positions else None
            mention = doc.mention(positions, head=head, attributes=mention.attributes)
        seen.add(positions)
        yield mention
