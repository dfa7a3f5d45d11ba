"""Layers: append operations, read the document at any revision, undo and redo without limit.

A layer's log in the database: where it has come to, what a client sent before, and steps put at its end.

These statements run with every edit of everybody, so they are made once and ask for columns, not for objects.

Operations of annotators, and the steps that they are in a layer's log.

Steps: operations as they stand in the log, with their revisions and what undoes them.

What can be undone and done again are two stacks. Each step stores only their tops after it (`undo_next`,
`redo_next`); what lies below is found at the step before the one on top, so neither has a limit or is searched.
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
"""In one operation, as when all places of a name are marked at once."""
MOST_SEQUENCE = 2**53
"""The largest whole number that JavaScript counts to."""
_KEYS = {"sequence", "kind", "edits"}


@dataclass(frozen=True, slots=True)
class Operation:
    """Edits that are done and undone together; an undo or redo brings none.

    The client numbers its operations: the same number sent again is the same operation and counts once.
    """

    sequence: int
    edits: tuple[Edit, ...] = ()
    kind: OperationKind = "edit"

    def __post_init__(self) -> None:
        if (self.kind == "edit") != bool(self.edits):
            raise EditError(
                "an operation of kind 'edit' has edits; 'undo' and 'redo' have none", code="invalid-operation"
            )
        if len(self.edits) > MOST_EDITS:
            raise EditError(
                f"{len(self.edits)} edits in one operation; at most {MOST_EDITS} go together", code="limit-exceeded"
            )

    def to_json(self) -> dict[str, Any]:
        return {"sequence": self.sequence, "kind": self.kind, "edits": [edit.to_json() for edit in self.edits]}

    @classmethod
    def from_json(cls, data: object) -> Operation:
        """An operation from what `to_json` gave, or from anything else that JSON can say."""
        if not isinstance(data, dict) or not data.keys() <= _KEYS or "sequence" not in data:
            raise EditError(
                f"{reprlib.repr(data)} is not an operation; it has a sequence, a kind and edits",
                code="invalid-operation",
            )
        sequence, kind, edits = data["sequence"], data.get("kind", "edit"), data.get("edits", [])
        if type(sequence) is not int or not 0 <= sequence < MOST_SEQUENCE:
            raise EditError(
                f"the sequence {reprlib.repr(sequence)}; expected a whole number from 0", code="invalid-operation"
            )
        if kind not in ("edit", "undo", "redo"):
            raise EditError(f"the kind {reprlib.repr(kind)}; expected edit, undo or redo", code="invalid-operation")
        if not isinstance(edits, list):
            raise EditError("an operation's edits are a list", code="invalid-operation")
        return cls(sequence, tuple(map(Edit.from_json, edits)), kind)


class OperationError(EditError):
    """An operation of a batch that does not fit; nothing of the batch was stored."""

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
        """The row of the log, column by column."""
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
        """What a client needs to follow the log."""
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
    """The step that an operation becomes after the head and the new steps, and the document after it."""
    log = _Log(session, layer, head, new)
    try:
        if operation.kind == "undo":
            return _undo(log, operation.sequence, doc)
        if operation.kind == "redo":
            return _redo(log, operation.sequence, doc)
        return edit_step(log.next, operation, doc)
    except CoindexError as error:
        raise OperationError(operation.sequence, error) from error


def taking_over(session: Session, layer: int, doc: Document, *, since: int, head: int) -> tuple[Step, Document]:
    """One step that takes back all that was appended after a revision; its own number is below all of the client's."""
    rows = session.scalars(
        select(OperationRow)
        .where(OperationRow.layer_id == layer, OperationRow.revision > since, OperationRow.revision <= head)
        .order_by(OperationRow.revision.desc())
    )
    edits = tuple(edit for row in rows for edit in Step.of(row).inverse)
    return _edit(head + 1, -(head + 1), edits, doc)


class _Log:
    """The steps of a layer, those included that are not stored yet."""

    def __init__(self, session: Session, layer: int, head: int, new: Sequence[Step]) -> None:
        self._session = session
        self._layer = layer
        self._head = head
        self._new = new
        self.next = head + len(new) + 1
        """The revision of the step to come."""

    def at(self, revision: int) -> Step:
        if revision > self._head:
            return self._new[revision - self._head - 1]
        return Step.of(self._session.get_one(OperationRow, (self._layer, revision)))

    def tops(self, revision: int) -> tuple[int, int]:
        """What could be undone and what could be done again after a revision."""
        if revision == 0:
            return 0, 0
        step = self.at(revision)
        return step.undo_next, step.redo_next


def edit_step(revision: int, operation: Operation, doc: Document) -> tuple[Step, Document]:
    """The step of an operation that is an edit: what the log says before it does not matter."""
    return _edit(revision, operation.sequence, operation.edits, doc)


def _edit(revision: int, sequence: int, edits: tuple[Edit, ...], doc: Document) -> tuple[Step, Document]:
    to_json([edit.to_json() for edit in edits])  # what cannot be stored is refused here, with its number
    back: list[Edit] = []
    for edit in edits:
        back[:0] = inverse(doc, edit)
        doc = apply(doc, edit)
    return Step(revision, sequence, "edit", edits, tuple(back), undo_next=revision, redo_next=0), doc


def _undo(log: _Log, sequence: int, doc: Document) -> tuple[Step, Document]:
    top, _ = log.tops(log.next - 1)
    if not top:
        raise EditError("nothing is left to undo", code="nothing-to-change")
    gone = log.at(top)
    below, _ = log.tops(top - 1)
    step = Step(log.next, sequence, "undo", gone.inverse, gone.edits, below, log.next, target=top)
    return step, apply_all(doc, step.edits)


def _redo(log: _Log, sequence: int, doc: Document) -> tuple[Step, Document]:
    _, top = log.tops(log.next - 1)
    if not top:
        raise EditError("nothing is left to redo", code="nothing-to-change")
    gone = log.at(top)
    _, below = log.tops(top - 1)
    step = Step(log.next, sequence, "redo", gone.inverse, gone.edits, log.next, below, target=top)
    return step, apply_all(doc, step.edits)


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
    """Keep the documents needed last, by layer, up to a number of tokens; of each layer the newest revision.

    A document with more tokens than that counts as if it filled the cache, so it is kept alone.
    """

    def __init__(self, tokens: int = CACHED_TOKENS) -> None:
        self._lock = Lock()
        self._kept: LRUCache[int, tuple[int, Document]] = LRUCache(
            tokens, getsizeof=lambda kept: min(len(kept[1].tokens), tokens)
        )

    def before(self, layer: int, revision: int) -> tuple[int, Document] | None:
        """The document of the layer if it is at this revision or an earlier one, with its revision."""
        with self._lock:
            found = self._kept.get(layer)
            return None if found is None or found[0] > revision else found

    def at(self, layer: int, revision: int) -> Document | None:
        """The document of the layer if it is at this very revision."""
        found = self.before(layer, revision)
        return found[1] if found is not None and found[0] == revision else None

    def put(self, layer: int, revision: int, doc: Document) -> None:
        with self._lock:
            found = self._kept.get(layer)
            if found is None or found[0] <= revision:
                self._kept[layer] = revision, doc


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
