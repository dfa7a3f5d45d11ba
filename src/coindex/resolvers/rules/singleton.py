"""Make each given mention its own entity: the lower bound of scores with singletons (Cattan et al. 2021, Table 3)."""

from __future__ import annotations

from ...document import Document
from ..clusters import add_provenance, with_clusters
from ..resolver import Resolver, Step


def resolve(doc: Document) -> Document:
    """Return the document with one entity per mention."""
    pairs = doc.mentions()
    return with_clusters(
        doc,
        ([add_provenance(mention, "singleton")] for mention, _ in pairs),
        kinds=(entity.kind for _, entity in pairs),
    )


def make(*, mentions: str) -> Step:
    """Return the step; it has no options."""
    return resolve


RESOLVER = Resolver(
    name="singleton",
    kind="rules",
    summary="makes each given mention its own entity: the lower bound of scores that count singletons",
    make=make,
    needs=("mentions",),
    mentions=("given",),
    source="Cattan et al. 2021",
)
