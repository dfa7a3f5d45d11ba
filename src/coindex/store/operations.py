"""Operations: what a client sends to a layer, one act of an annotator each."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import Any

from ..document.edit_log import Edit
from ..errors import EditError
from .models import OperationKind

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
            raise EditError("an operation of kind 'edit' has edits; 'undo' and 'redo' have none")
        if len(self.edits) > MOST_EDITS:
            raise EditError(f"{len(self.edits)} edits in one operation; at most {MOST_EDITS} go together")

    def to_json(self) -> dict[str, Any]:
        return {"sequence": self.sequence, "kind": self.kind, "edits": [edit.to_json() for edit in self.edits]}

    @classmethod
    def from_json(cls, data: object) -> Operation:
        """An operation from what `to_json` gave, or from anything else that JSON can say."""
        if not isinstance(data, dict) or not data.keys() <= _KEYS or "sequence" not in data:
            raise EditError(f"{reprlib.repr(data)} is not an operation; it has a sequence, a kind and edits")
        sequence, kind, edits = data["sequence"], data.get("kind", "edit"), data.get("edits", [])
        if type(sequence) is not int or not 0 <= sequence < MOST_SEQUENCE:
            raise EditError(f"the sequence {reprlib.repr(sequence)}; expected a whole number from 0")
        if kind not in ("edit", "undo", "redo"):
            raise EditError(f"the kind {reprlib.repr(kind)}; expected edit, undo or redo")
        if not isinstance(edits, list):
            raise EditError("an operation's edits are a list")
        return cls(sequence, tuple(map(Edit.from_json, edits)), kind)
