"""Compare layers of one document."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from ..annotation.differences import Comparison, compare
from ..annotation.versions import on_same_words
from ..errors import CoindexError
from ..server.caching import RecentCache
from .layers import AnnotationStore
from .models import Layer
from .projects import Source

KEPT = 8
"""How many comparisons are kept in memory; whoever adjudicates asks for the same one again and again."""
MOST = 9
"""The most layers side by side: each has a digit on the keyboard."""
_made: WeakKeyDictionary[AnnotationStore, RecentCache[tuple[Source, ...], Comparison]] = WeakKeyDictionary()


def sources_of(layers: Sequence[Layer]) -> tuple[Source, ...]:
    """Layers as they are now, each with a name of its own."""
    if not 2 <= len(layers) <= MOST:
        raise CoindexError(f"{len(layers)} layers; choose 2 to {MOST} to compare", code="invalid-input")
    names = [layer.name for layer in layers]
    return tuple(
        Source(layer.id, layer.revision, f"{layer.name} ({layer.id})" if names.count(layer.name) > 1 else layer.name)
        for layer in layers
    )


def compare_sources(store: AnnotationStore, sources: Sequence[Source]) -> Comparison:
    """Where these layers differ, at those revisions."""

    def make() -> Comparison:
        names = [source.name for source in sources]
        docs = [store.layers.document_at(source.layer, source.revision) for source in sources]
        return compare(on_same_words(docs, names), names)

    return _made.setdefault(store, RecentCache(KEPT)).get(tuple(sources), make)
