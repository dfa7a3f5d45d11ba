"""Every given mention alone: the floor under every number that counts singletons (Cattan et al. 2021, Table 3)."""

from __future__ import annotations

from ...document import Document
from ..clusters import linked, with_clusters
from ..resolver import Resolver, Step


def resolve(doc: Document) -> Document:
    """Each mention an entity of its own."""
    pairs = doc.mentions()
    return with_clusters(
        doc, ([linked(mention, "singleton")] for mention, _ in pairs), kinds=(entity.kind for _, entity in pairs)
    )


def make(*, mentions: str) -> Step:
    return resolve


RESOLVER = Resolver(
    name="singleton",
    kind="rules",
    summary="every given mention an entity of its own, the floor under scores that count singletons",
    make=make,
    needs=("mentions",),
    mentions=("given",),
    source="Cattan et al. 2021",
)
