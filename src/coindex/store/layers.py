"""Layers: append operations, read the document at any revision, undo and redo without limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..document import Document
from ..document.edits import canonical
from ..errors import CoindexError, EditError
from .database import Database
from .log import add_steps, head_of, sent_before, was_sent
from .models import Layer, LayerKind, OperationRow, Snapshot
from .names import clean_name
from .operations import Operation
from .packing import pack
from .replaying import Cache, replay
from .steps import Step, edit_step, step_for, taking_over

SNAPSHOT_EVERY = 200
CLIENT = 64
"""The most characters of a client's id."""


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did: the revision the layer is now at, and the steps that are stored."""

    revision: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody else appended after the revision that the client knew; nothing was stored."""

    base: int
    revision: int


@dataclass(frozen=True, slots=True)
class LayerState:
    """A layer's document and where its log has come to."""

    revision: int
    document: Document
    can_undo: bool
    can_redo: bool


class Layers:
    """The layers of a database."""

    def __init__(self, database: Database, *, snapshot_every: int = SNAPSHOT_EVERY) -> None:
        self._database = database
        self._snapshot_every = snapshot_every
        self._cache = Cache()

    def append(
        self,
        layer: int,
        base: int,
        operations: Sequence[Operation],
        *,
        client: str,
        user: int | None = None,
        take_over: bool = False,
    ) -> Appended | Conflict:
        """Store operations that were made on the document at revision `base`: all of them or none.

        What the client sent before counts once: an operation it numbered the same is acknowledged again.
        `take_over` undoes, as an operation of its own that can be undone too, what others appended since `base`.
        """
        _check_batch(operations, client)
        quick = self._append_at_once(layer, base, operations, client, user)
        if quick is not None:
            return quick
        while True:
            with self._database.read() as session:
                known, head = sent_before(session, layer, client, operations), head_of(session, layer)
                rest = operations[len(known) :]
                if not rest:
                    return Appended(known[-1].revision, tuple(known))
                at = known[-1].revision if known else base
                if at > head:
                    raise CoindexError(
                        f"layer {layer} is at revision {head}; {at} has not been yet; reload the document"
                    )
                if at < head and not take_over:
                    return Conflict(at, head)
                new, doc = self._prepare(session, layer, at, head, rest)
            with self._database.write() as session:
                if add_steps(session, layer, head, new, client, user):
                    break
        self._after_append(layer, head, new[-1].revision, doc)
        return Appended(new[-1].revision, (*known, *(step for step in new if step.sequence >= 0)))

    def _append_at_once(
        self, layer: int, base: int, operations: Sequence[Operation], client: str, user: int | None
    ) -> Appended | None:
        """The usual case in one transaction: edits of the document in memory, sent for the first time.

        None where it is not that, or does not fit: then the log has to be looked at first.
        """
        doc = self._cache.at(layer, base)
        if doc is None or any(operation.kind != "edit" for operation in operations):
            return None
        steps: list[Step] = []
        try:
            for operation in operations:
                step, doc = edit_step(base + len(steps) + 1, operation, doc)
                steps.append(step)
        except CoindexError:
            return None
        with self._database.write() as session:
            if was_sent(session, layer, client, operations):
                return None
            if not add_steps(session, layer, base, steps, client, user):
                return None
        self._after_append(layer, base, steps[-1].revision, doc)
        return Appended(steps[-1].revision, tuple(steps))

    def _prepare(
        self, session: Session, layer: int, at: int, head: int, rest: Sequence[Operation]
    ) -> tuple[list[Step], Document]:
        """The steps to store after the head; what does not fit raises EditError."""
        doc = self._replayed(session, layer, head)
        steps: list[Step] = []
        if at < head:
            step, doc = taking_over(session, layer, doc, since=at, head=head)
            steps.append(step)
        for operation in rest:
            step, doc = step_for(session, layer, doc, operation, steps, head)
            steps.append(step)
        return steps, doc

    def _after_append(self, layer: int, head: int, revision: int, doc: Document) -> None:
        self._cache.put(layer, revision, doc)
        every = self._snapshot_every
        if revision // every > head // every:  # in a transaction of its own: packing a novel takes a while
            snapshot = Snapshot(layer_id=layer, revision=revision, content=pack(doc))
            with self._database.write() as session:
                if session.get(Snapshot, (layer, revision)) is None:
                    session.add(snapshot)

    def state(self, layer: int) -> LayerState:
        """The document as it is now, and whether something can be undone or done again."""
        with self._database.read() as session:
            head = head_of(session, layer)
            doc = self._replayed(session, layer, head)
            last = session.get(OperationRow, (layer, head)) if head else None
        self._cache.put(layer, head, doc)
        return LayerState(head, doc, last is not None and last.undo_next > 0, last is not None and last.redo_next > 0)

    def document_at(self, layer: int, revision: int | None = None) -> Document:
        """The document at a revision, the newest if none is given."""
        with self._database.read() as session:
            head = head_of(session, layer)
            wanted = head if revision is None else revision
            if not 0 <= wanted <= head:
                raise CoindexError(f"layer {layer} has no revision {wanted}; it has 0 to {head}")
            return self._replayed(session, layer, wanted)

    def log(self, layer: int, since: int = 0) -> list[Step]:
        """What was appended after a revision."""
        with self._database.read() as session:
            rows = session.scalars(
                select(OperationRow)
                .where(OperationRow.layer_id == layer, OperationRow.revision > since)
                .order_by(OperationRow.revision)
            )
            return [Step.of(row) for row in rows]

    def _replayed(self, session: Session, layer: int, revision: int) -> Document:
        return replay(session, layer, revision, known=self._cache.before(layer, revision))


def add_layer(
    session: Session,
    document: int,
    start: Document,
    *,
    name: str,
    owner: int | None = None,
    kind: LayerKind = "annotation",
) -> Layer:
    """A new layer that begins with this document: revision 0 is its first snapshot."""
    layer = Layer(document_id=document, owner_id=owner, name=clean_name(name), kind=kind)
    session.add(layer)
    session.flush()
    session.add(Snapshot(layer_id=layer.id, revision=0, content=pack(canonical(start))))
    return layer


def _check_batch(operations: Iterable[Operation], client: str) -> None:
    if not client or len(client) > CLIENT or not client.isascii() or not client.isprintable():
        raise EditError(f"a client is named by 1 to {CLIENT} ASCII characters")
    numbers = [operation.sequence for operation in operations]
    if not numbers:
        raise EditError("no operations; send at least one")
    if any(first >= second for first, second in pairwise(numbers)):
        raise EditError("operations out of order; their sequence numbers must rise")
