"""Layers: append operations, read the document at any revision, undo and redo without limit.

Clients send operations; the log of a layer stores them as steps, with their revisions and inverse edits.

Undo and redo are two stacks. Each step stores only their tops after it (`undo_next`, `redo_next`); the entry below the
top is found at the step before it, so the stacks have no limit and are never searched.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

from cachetools import LRUCache
from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from ..document import Document
from ..document.edit_log import Edit, apply, apply_all, inverse
from ..document.edits import canonical
from ..errors import CoindexError, EditError
from ..server.accounts import clean_name
from ..server.database import Database, Store, to_json
from .models import Layer, LayerKind, OperationKind, OperationRow, Snapshot
from .packing import pack, unpack

MOST_EDITS = 20_000
"""The maximum in one operation, for example when all occurrences of a name are marked."""
MOST_SEQUENCE = 2**53
"""The largest integer that JavaScript represents exactly."""
_KEYS = {"sequence", "kind", "edits"}


@dataclass(frozen=True, slots=True)
class Operation:
    """Edits that are done and undone together; an undo or redo has none.

    The client numbers its operations: an operation that is sent again with the same number counts once.
    """

    sequence: int
    edits: tuple[Edit, ...] = ()
    kind: OperationKind = "edit"

    def __post_init__(self) -> None:
        if (self.kind == "edit") != bool(self.edits):
            raise EditError(
                "invalid operation: kind 'edit' requires edits; 'undo' and 'redo' must have none",
                code="invalid-operation",
            )
        if len(self.edits) > MOST_EDITS:
            raise EditError(
                f"{len(self.edits)} edits in one operation; send at most {MOST_EDITS}", code="limit-exceeded"
            )

    def to_json(self) -> dict[str, Any]:
        return {"sequence": self.sequence, "kind": self.kind, "edits": [edit.to_json() for edit in self.edits]}

    @classmethod
    def from_json(cls, data: object) -> Operation:
        """Parse an operation from JSON data; raise an EditError for anything invalid."""
        if not isinstance(data, dict) or not data.keys() <= _KEYS or "sequence" not in data:
            raise EditError(
                f"{reprlib.repr(data)} is not an operation; expected an object with sequence, kind and edits",
                code="invalid-operation",
            )
        sequence, kind, edits = data["sequence"], data.get("kind", "edit"), data.get("edits", [])
        if type(sequence) is not int or not 0 <= sequence < MOST_SEQUENCE:
            raise EditError(
                f"invalid sequence {reprlib.repr(sequence)}; expected a whole number from 0", code="invalid-operation"
            )
        if kind not in ("edit", "undo", "redo"):
            raise EditError(f"invalid kind {reprlib.repr(kind)}; expected edit, undo or redo", code="invalid-operation")
        if not isinstance(edits, list):
            raise EditError("invalid operation: edits must be a list", code="invalid-operation")
        return cls(sequence, tuple(map(Edit.from_json, edits)), kind)


class OperationError(EditError):
    """An invalid operation of a batch; nothing of the batch was stored."""

    def __init__(self, sequence: int, error: CoindexError) -> None:
        super().__init__(f"operation {sequence}: {error}", code=error.code)
        self.sequence = sequence

    def json_fields(self) -> dict[str, object]:
        return {"sequence": self.sequence}


@dataclass(frozen=True, slots=True)
class Step:
    """An operation with its place in the log."""

    revision: int
    sequence: int
    kind: OperationKind
    edits: tuple[Edit, ...]
    inverse: tuple[Edit, ...]
    undo_next: int
    redo_next: int
    target: int | None = None

    @classmethod
    def of(cls, row: OperationRow) -> Step:
        edits, back = (tuple(map(Edit.from_json, many)) for many in (row.edits, row.inverse))
        kind: OperationKind = row.kind  # type: ignore[assignment]  # only steps are stored
        return cls(row.revision, row.sequence, kind, edits, back, row.undo_next, row.redo_next, row.target)

    def values(self, layer: int, client: str, user: int | None) -> dict[str, Any]:
        """Return the row of the log by column."""
        return {
            "layer_id": layer,
            "revision": self.revision,
            "client": client,
            "sequence": self.sequence,
            "kind": self.kind,
            "edits": [edit.to_json() for edit in self.edits],
            "inverse": [edit.to_json() for edit in self.inverse],
            "target": self.target,
            "undo_next": self.undo_next,
            "redo_next": self.redo_next,
            "user_id": user,
        }

    def to_json(self) -> dict[str, Any]:
        """Return what a client needs to follow the log."""
        return {
            "revision": self.revision,
            "sequence": self.sequence,
            "kind": self.kind,
            "edits": [edit.to_json() for edit in self.edits],
            "can_undo": self.undo_next > 0,
            "can_redo": self.redo_next > 0,
        }


def step_for(
    session: Session, layer: int, doc: Document, operation: Operation, new: Sequence[Step], head: int
) -> tuple[Step, Document]:
    """Return the step of an operation after the head and the new steps, and the document after it."""
    log = _Log(session, layer, head, new)
    try:
        if operation.kind == "undo":
            return _undo(log, operation.sequence, doc)
        if operation.kind == "redo":
            return _redo(log, operation.sequence, doc)
        return edit_step(log.next, operation, doc)
    except CoindexError as error:
        raise OperationError(operation.sequence, error) from error


def revert_since(session: Session, layer: int, doc: Document, *, since: int, head: int) -> tuple[Step, Document]:
    """Return a step that reverts everything after a revision; its negative number differs from all client numbers."""
    rows = session.scalars(
        select(OperationRow)
        .where(OperationRow.layer_id == layer, OperationRow.revision > since, OperationRow.revision <= head)
        .order_by(OperationRow.revision.desc())
    )
    edits = tuple(edit for row in rows for edit in Step.of(row).inverse)
    return _edit(head + 1, -(head + 1), edits, doc)


class _Log:
    """The steps of a layer, including those that are not stored yet."""

    def __init__(self, session: Session, layer: int, head: int, new: Sequence[Step]) -> None:
        self._session = session
        self._layer = layer
        self._head = head
        self._new = new
        self.next = head + len(new) + 1
        """The revision of the next step."""

    def at(self, revision: int) -> Step:
        if revision > self._head:
            return self._new[revision - self._head - 1]
        return Step.of(self._session.get_one(OperationRow, (self._layer, revision)))

    def tops(self, revision: int) -> tuple[int, int]:
        """Return the tops of the undo and redo stacks after a revision."""
        if revision == 0:
            return 0, 0
        step = self.at(revision)
        return step.undo_next, step.redo_next


def edit_step(revision: int, operation: Operation, doc: Document) -> tuple[Step, Document]:
    """Return the step of an edit operation, which does not depend on the log."""
    return _edit(revision, operation.sequence, operation.edits, doc)


def _edit(revision: int, sequence: int, edits: tuple[Edit, ...], doc: Document) -> tuple[Step, Document]:
    to_json([edit.to_json() for edit in edits])  # refuse what cannot be stored
    back: list[Edit] = []
    for edit in edits:
        back[:0] = inverse(doc, edit)
        doc = apply(doc, edit)
    return Step(revision, sequence, "edit", edits, tuple(back), undo_next=revision, redo_next=0), doc


def _undo(log: _Log, sequence: int, doc: Document) -> tuple[Step, Document]:
    top, _ = log.tops(log.next - 1)
    if not top:
        raise EditError("nothing to undo", code="nothing-to-change")
    gone = log.at(top)
    below, _ = log.tops(top - 1)
    step = Step(log.next, sequence, "undo", gone.inverse, gone.edits, below, log.next, target=top)
    return step, apply_all(doc, step.edits)


def _redo(log: _Log, sequence: int, doc: Document) -> tuple[Step, Document]:
    _, top = log.tops(log.next - 1)
    if not top:
        raise EditError("nothing to redo", code="nothing-to-change")
    gone = log.at(top)
    _, below = log.tops(top - 1)
    step = Step(log.next, sequence, "redo", gone.inverse, gone.edits, log.next, below, target=top)
    return step, apply_all(doc, step.edits)


# These statements run for every edit. Selecting table columns costs half as much as selecting mapped attributes.
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
    """Return the current revision of a layer."""
    head: int | None = session.scalar(_HEAD, {"layer": layer})
    if head is None:
        raise _make_missing_error(layer)
    return head


def add_steps(session: Session, layer: int, head: int, steps: Sequence[Step], client: str, user: int | None) -> bool:
    """Store the steps; return False if the head has moved in the meantime."""
    row = session.execute(_LOCKED, {"layer": layer}).first()
    if row is None:
        raise _make_missing_error(layer)
    revision, is_closed, name = row
    if is_closed:
        raise CoindexError(f"{name!r} is finished; reopen it to make changes", code="wrong-state")
    if revision != head:
        return False
    session.execute(_ADD, [step.values(layer, client, user) for step in steps])
    session.execute(_MOVE, {"layer": layer, "head": steps[-1].revision})
    return True


def was_sent(session: Session, layer: int, client: str, operations: Sequence[Operation]) -> bool:
    """Return whether an operation of the batch, or a later one, is already stored."""
    first = operations[0].sequence
    return session.scalar(_SENT_ONE, {"layer": layer, "client": client, "first": first}) is not None


def find_sent(session: Session, layer: int, client: str, operations: Sequence[Operation]) -> list[Step]:
    """Return the steps of operations that are already stored because their acknowledgement was lost."""
    rows = session.scalars(_SENT_ROWS, {"layer": layer, "client": client, "first": operations[0].sequence}).all()
    if len(rows) > len(operations):
        raise EditError(
            f"the client {client!r} has already sent later operations; send operations in increasing order",
            code="invalid-operation",
        )
    for row, operation in zip(rows, operations, strict=False):
        sent = [edit.to_json() for edit in operation.edits]
        same = (row.sequence, row.kind) == (operation.sequence, operation.kind)
        if not same or (operation.kind == "edit" and row.edits != sent):
            raise EditError(
                f"operation {operation.sequence} of {client!r} is already stored with other content; use a new number",
                code="invalid-operation",
            )
    return [Step.of(row) for row in rows]


def _make_missing_error(layer: int) -> CoindexError:
    return CoindexError(f"layer {layer} does not exist; it may have been deleted", code="not-found")


Key = tuple[int, int]
"""A layer and a revision of it, whose document never changes."""
CACHED_TOKENS = 2_000_000
"""The maximum number of tokens of all cached documents, about ten novels."""


def replay(session: Session, layer: int, revision: int, *, known: tuple[int, Document] | None = None) -> Document:
    """Return the document at a revision; `known` is an earlier revision to start from."""
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
            f"layer {layer} is damaged: {len(steps)} operations after revision {start} do not reach {revision}; "
            "restore a backup",
            code="damaged-layer",
        )
    for edits in steps:
        doc = apply_all(doc, map(Edit.from_json, edits))
    return doc


def _snapshot(session: Session, layer: int, revision: int) -> tuple[int, Document]:
    row = session.execute(
        select(Snapshot.revision, Snapshot.content)
        .where(Snapshot.layer_id == layer, Snapshot.revision <= revision)
        .order_by(Snapshot.revision.desc())
        .limit(1)
    ).first()
    if row is None:
        raise CoindexError(f"layer {layer} is damaged: it has no snapshot; restore a backup", code="damaged-layer")
    return row[0], unpack(row[1])


class Cache:
    """A cache of the last used documents by layer, limited by tokens; it keeps the newest revision of each layer.

    A document with more tokens than the limit fills the whole cache.
    """

    def __init__(self, tokens: int = CACHED_TOKENS) -> None:
        self._lock = Lock()
        self._kept: LRUCache[int, tuple[int, Document]] = LRUCache(
            tokens, getsizeof=lambda kept: min(len(kept[1].tokens), tokens)
        )

    def before(self, layer: int, revision: int) -> tuple[int, Document] | None:
        """Return the cached revision and document of the layer, if it is not newer than `revision`."""
        with self._lock:
            state = self._kept.get(layer)
            return None if state is None or state[0] > revision else state

    def at(self, layer: int, revision: int) -> Document | None:
        """Return the cached document of the layer at exactly this revision."""
        state = self.before(layer, revision)
        return state[1] if state is not None and state[0] == revision else None

    def put(self, layer: int, revision: int, doc: Document) -> None:
        with self._lock:
            state = self._kept.get(layer)
            if state is None or state[0] <= revision:
                self._kept[layer] = revision, doc


SNAPSHOT_EVERY = 200
CLIENT = 64
"""The maximum length of a client id."""


@dataclass(frozen=True, slots=True)
class Appended:
    """The result of an append: the new revision of the layer and the stored steps."""

    revision: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The layer has changed since the revision that the client knew; nothing was stored."""

    base: int
    revision: int


@dataclass(frozen=True, slots=True)
class LayerState:
    """The document of a layer at its current revision."""

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
        """Store operations on the document at revision `base`: all of them or none.

        Operations that the client has sent before count once and are acknowledged again. With `take_over`, a separate
        operation, which can be undone too, first reverts what others appended since `base`.
        """
        _check_batch(operations, client)
        quick = self._append_cached(layer, base, operations, client, user)
        if quick is not None:
            return quick
        while True:
            with self._database.read() as session:
                known, head = find_sent(session, layer, client, operations), head_of(session, layer)
                rest = operations[len(known) :]
                if not rest:
                    return Appended(known[-1].revision, tuple(known))
                at = known[-1].revision if known else base
                if at > head:
                    raise CoindexError(
                        f"layer {layer} is at revision {head} and has no revision {at} yet; reload the document",
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

    def _append_cached(
        self, layer: int, base: int, operations: Sequence[Operation], client: str, user: int | None
    ) -> Appended | None:
        """Handle the usual case in one transaction: new edits of the cached document.

        Return None in any other case, which needs a look at the log.
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
        """Return the steps to store after the head; raise EditError for invalid operations."""
        doc = self._replay(session, layer, head)
        steps: list[Step] = []
        if at < head:
            step, doc = revert_since(session, layer, doc, since=at, head=head)
            steps.append(step)
        for operation in rest:
            step, doc = step_for(session, layer, doc, operation, steps, head)
            steps.append(step)
        return steps, doc

    def _after_append(self, layer: int, head: int, revision: int, doc: Document) -> None:
        self._cache.put(layer, revision, doc)
        every = self._snapshot_every
        if revision // every > head // every:  # in a separate transaction, because packing a novel takes a while
            snapshot = Snapshot(layer_id=layer, revision=revision, content=pack(doc))
            with self._database.write() as session:
                if session.get(Snapshot, (layer, revision)) is None:
                    session.add(snapshot)

    def state(self, layer: int) -> LayerState:
        """Return the current document, and whether something can be undone or redone."""
        with self._database.read() as session:
            head = head_of(session, layer)
            doc = self._replay(session, layer, head)
            last = session.get(OperationRow, (layer, head)) if head else None
        self._cache.put(layer, head, doc)
        return LayerState(head, doc, last is not None and last.undo_next > 0, last is not None and last.redo_next > 0)

    def document_at(self, layer: int, revision: int | None = None) -> Document:
        """Return the document at a revision, by default the latest."""
        with self._database.read() as session:
            head = head_of(session, layer)
            wanted = head if revision is None else revision
            if not 0 <= wanted <= head:
                raise CoindexError(f"layer {layer} has no revision {wanted}; expected 0 to {head}", code="not-found")
            return self._replay(session, layer, wanted)

    def log(self, layer: int, since: int = 0) -> list[Step]:
        """Return the steps after a revision."""
        with self._database.read() as session:
            rows = session.scalars(
                select(OperationRow)
                .where(OperationRow.layer_id == layer, OperationRow.revision > since)
                .order_by(OperationRow.revision)
            )
            return [Step.of(row) for row in rows]

    def _replay(self, session: Session, layer: int, revision: int) -> Document:
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
    """Create a layer that starts with this document, as the snapshot of revision 0."""
    layer = Layer(document_id=document, owner_id=owner, name=clean_name(name), kind=kind)
    session.add(layer)
    session.flush()
    session.add(Snapshot(layer_id=layer.id, revision=0, content=pack(canonical(start))))
    return layer


def _check_batch(operations: Iterable[Operation], client: str) -> None:
    if not client or len(client) > CLIENT or not client.isascii() or not client.isprintable():
        raise EditError(
            f"invalid client id; expected 1 to {CLIENT} printable ASCII characters", code="invalid-operation"
        )
    numbers = [operation.sequence for operation in operations]
    if not numbers:
        raise EditError("no operations; send at least one", code="invalid-operation")
    if any(first >= second for first, second in pairwise(numbers)):
        raise EditError("operations out of order; sequence numbers must increase", code="invalid-operation")


class AnnotationStore(Store):
    """A store with layers."""

    def __init__(self, database: Database, *, snapshot_every: int = SNAPSHOT_EVERY) -> None:
        super().__init__(database)
        self.layers = Layers(database, snapshot_every=snapshot_every)


def open_store(place: str | Path, *, snapshot_every: int = SNAPSHOT_EVERY) -> AnnotationStore:
    """Open the store in an SQLite file, created on first use, or at postgresql://…, with the newest schema.

    >>> store = open_store("annotation.db")  # doctest: +SKIP
    """
    return AnnotationStore(Database(place), snapshot_every=snapshot_every)
