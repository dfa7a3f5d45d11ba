"""Documents from a layer's log: the nearest snapshot before a revision, and the operations since."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..document import Document
from ..document.edit_log import Edit, apply_all
from ..errors import CoindexError
from .models import OperationRow, Snapshot
from .packing import unpack

Key = tuple[int, int]
"""A layer and a revision of it, whose document never changes."""
CACHED_TOKENS = 2_000_000
"""How many tokens the documents in memory may have together: some ten novels."""


def replay(session: Session, layer: int, revision: int, *, known: tuple[int, Document] | None = None) -> Document:
    """The document at a revision; `known` is an earlier one that need not be read again."""
    start, doc = known or _snapshot(session, layer, revision)
    if start == revision:
        return doc
    steps = session.scalars(
        select(OperationRow.edits)
        .where(OperationRow.layer_id == layer, OperationRow.revision > start, OperationRow.revision <= revision)
        .order_by(OperationRow.revision)
    ).all()
    if len(steps) != revision - start:
        raise CoindexError(
            f"layer {layer}: {len(steps)} operations after {start}, not up to {revision}; restore a backup"
        )
    for edits in steps:
        doc = apply_all(doc, map(Edit.from_json, edits))
    return doc


def _snapshot(session: Session, layer: int, revision: int) -> tuple[int, Document]:
    found = session.execute(
        select(Snapshot.revision, Snapshot.content)
        .where(Snapshot.layer_id == layer, Snapshot.revision <= revision)
        .order_by(Snapshot.revision.desc())
        .limit(1)
    ).first()
    if found is None:
        raise CoindexError(f"layer {layer} has no snapshot; restore a backup")
    return found[0], unpack(found[1])


class Cache:
    """The documents that were needed last, by layer; the newest revision of each."""

    def __init__(self, tokens: int = CACHED_TOKENS) -> None:
        self._most = tokens
        self._lock = Lock()
        self._size = 0
        self._kept: OrderedDict[int, tuple[int, Document]] = OrderedDict()

    def before(self, layer: int, revision: int) -> tuple[int, Document] | None:
        """The document of the layer if it is at this revision or an earlier one, with its revision."""
        with self._lock:
            found = self._kept.get(layer)
            if found is None or found[0] > revision:
                return None
            self._kept.move_to_end(layer)
            return found

    def at(self, layer: int, revision: int) -> Document | None:
        """The document of the layer if it is at this very revision."""
        found = self.before(layer, revision)
        return found[1] if found is not None and found[0] == revision else None

    def put(self, layer: int, revision: int, doc: Document) -> None:
        with self._lock:
            found = self._kept.get(layer)
            if found is not None and found[0] > revision:
                return
            self._size += len(doc.tokens) - (len(found[1].tokens) if found is not None else 0)
            self._kept[layer] = revision, doc
            self._kept.move_to_end(layer)
            while self._size > self._most and len(self._kept) > 1:
                _, (_, oldest) = self._kept.popitem(last=False)
                self._size -= len(oldest.tokens)
