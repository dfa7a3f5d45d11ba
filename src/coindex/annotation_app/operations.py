"""Operations of annotators, and the steps that they are in a layer's log.

Steps: operations as they stand in the log, with their revisions and what undoes them.

What can be undone and done again are two stacks. Each step stores only their tops after it (`undo_next`,
`redo_next`); what lies below is found at the step before the one on top, so neither has a limit or is searched.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..document import Document
from ..document.edit_log import Edit, apply, apply_all, inverse
from ..errors import CoindexError, EditError
from ..server.database import to_json
from .models import OperationKind, OperationRow

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
