"""Layers: append operations, read the document at any revision, undo and redo without limit.

A layer's log in the database: where it has come to, what a client sent before, and steps put at its end.

These statements run with every edit of everybody, so they are made once and ask for columns, not for objects.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from ..document import Document
from ..document.edit_log import Edit, apply_all
from ..document.edits import canonical
from ..errors import CoindexError, EditError
from ..server.database import Database
from ..server.names import clean_name
from .models import Layer, LayerKind, OperationRow, Snapshot
from .operations import Operation, Step, edit_step, step_for, taking_over
from .packing import pack, unpack

# By their tables: what asks for an attribute of a class is answered with objects in mind, at twice the cost.
_LAYERS, _STEPS = Layer.metadata.tables["layers"].c, Layer.metadata.tables["operations"].c
_HEAD = select(_LAYERS.revision).where(_LAYERS.id == bindparam("layer"))
_LOCKED = _HEAD.add_columns(_LAYERS.is_closed, _LAYERS.name).with_for_update()
_SENT = (
    _STEPS.layer_id == bindparam("layer"),
    _STEPS.client == bindparam("client"),
    _STEPS.sequence >= bindparam("first"),
)
_SENT_ONE = select(_STEPS.revision).where(*_SENT).limit(1)
_SENT_ROWS = select(OperationRow).where(*_SENT).order_by(_STEPS.sequence)
_ADD = insert(Layer.metadata.tables["operations"])
_MOVE = (
    update(Layer.metadata.tables["layers"]).where(_LAYERS.id == bindparam("layer")).values(revision=bindparam("head"))
)


def head_of(session: Session, layer: int) -> int:
    """The revision that a layer is at."""
    head: int | None = session.scalar(_HEAD, {"layer": layer})
    if head is None:
        raise _missing(layer)
    return head


def add_steps(session: Session, layer: int, head: int, steps: Sequence[Step], client: str, user: int | None) -> bool:
    """Whether the steps are stored; not if somebody was faster and has moved the head on."""
    found = session.execute(_LOCKED, {"layer": layer}).first()
    if found is None:
        raise _missing(layer)
    revision, is_closed, name = found
    if is_closed:
        raise CoindexError(f"{name!r} is finished; open it again to go on", code="wrong-state")
    if revision != head:
        return False
    session.execute(_ADD, [step.values(layer, client, user) for step in steps])
    session.execute(_MOVE, {"layer": layer, "head": steps[-1].revision})
    return True


def was_sent(session: Session, layer: int, client: str, operations: Sequence[Operation]) -> bool:
    """Whether an operation of the batch, or a later one, is stored already."""
    first = operations[0].sequence
    return session.scalar(_SENT_ONE, {"layer": layer, "client": client, "first": first}) is not None


def sent_before(session: Session, layer: int, client: str, operations: Sequence[Operation]) -> list[Step]:
    """The first operations of the batch that are stored already, because their acknowledgement was lost."""
    rows = session.scalars(_SENT_ROWS, {"layer": layer, "client": client, "first": operations[0].sequence}).all()
    if len(rows) > len(operations):
        raise EditError(
            f"the client {client!r} has sent later operations already; it must not go back", code="invalid-operation"
        )
    for row, operation in zip(rows, operations, strict=False):
        sent = [edit.to_json() for edit in operation.edits]
        same = (row.sequence, row.kind) == (operation.sequence, operation.kind)
        if not same or (operation.kind == "edit" and row.edits != sent):
            raise EditError(
                f"operation {operation.sequence} of {client!r} is stored with other content; number it anew",
                code="invalid-operation",
            )
    return [Step.of(row) for row in rows]


def _missing(layer: int) -> CoindexError:
    return CoindexError(f"there is no layer {layer}; it may have been deleted", code="not-found")


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
            f"layer {layer}: {len(steps)} operations after {start}, not up to {revision}; restore a backup",
            code="damaged-layer",
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
        raise CoindexError(f"layer {layer} has no snapshot; restore a backup", code="damaged-layer")
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
                        f"layer {layer} is at revision {head}; {at} has not been yet; reload the document",
                        code="concurrent-change",
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
                raise CoindexError(f"layer {layer} has no revision {wanted}; it has 0 to {head}", code="not-found")
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
        raise EditError(f"a client is named by 1 to {CLIENT} ASCII characters", code="invalid-operation")
    numbers = [operation.sequence for operation in operations]
    if not numbers:
        raise EditError("no operations; send at least one", code="invalid-operation")
    if any(first >= second for first, second in pairwise(numbers)):
        raise EditError("operations out of order; their sequence numbers must rise", code="invalid-operation")
