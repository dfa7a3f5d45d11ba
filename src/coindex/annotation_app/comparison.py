"""Compare layers of one document."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from weakref import WeakKeyDictionary

from ..annotation.differences import Comparison, compare
from ..annotation.versions import on_same_words
from ..errors import CoindexError
from .layers import AnnotationStore
from .models import Layer
from .projects import Source

KEPT = 8
"""How many comparisons are kept in memory; whoever adjudicates asks for the same one again and again."""
MOST = 9
"""The most layers side by side: each has a digit on the keyboard."""
Key = tuple[Source, ...]
_lock = Lock()
_made: WeakKeyDictionary[AnnotationStore, OrderedDict[Key, Comparison]] = WeakKeyDictionary()


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
    key = tuple(sources)
    with _lock:
        kept = _made.setdefault(store, OrderedDict())
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    names = [source.name for source in sources]
    docs = [store.layers.document_at(source.layer, source.revision) for source in sources]
    made = compare(on_same_words(docs, names), names)
    with _lock:
        kept[key] = made
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return made
