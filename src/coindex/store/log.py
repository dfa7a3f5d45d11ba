"""A layer's log in the database: where it has come to, what a client sent before, and steps put at its end.

These statements run with every edit of everybody, so they are made once and ask for columns, not for objects.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from ..errors import CoindexError, EditError
from .models import Layer, OperationRow
from .operations import Operation
from .steps import Step

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
        raise CoindexError(f"{name!r} is finished; open it again to go on")
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
        raise EditError(f"the client {client!r} has sent later operations already; it must not go back")
    for row, operation in zip(rows, operations, strict=False):
        sent = [edit.to_json() for edit in operation.edits]
        same = (row.sequence, row.kind) == (operation.sequence, operation.kind)
        if not same or (operation.kind == "edit" and row.edits != sent):
            raise EditError(
                f"operation {operation.sequence} of {client!r} is stored with other content; number it anew"
            )
    return [Step.of(row) for row in rows]


def _missing(layer: int) -> CoindexError:
    return CoindexError(f"there is no layer {layer}; it may have been deleted")
