"""Decisions at differences, kept in the log of the layer that they make: undo, redo and replay are those of the log.

A decision is an operation whose client says what was decided. One that changes nothing is stored as a mention put in
and taken out again, so that it can be undone as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from sqlalchemy import select

from ..document import Document
from ..document.edit_log import Edit
from ..document.edits import fresh_id
from .layers import Appended, Conflict
from .models import OperationRow
from .operations import Operation
from .store import Store

_CLIENT = "decision"
NOBODY = 0
"""The choice of none of the sources; they are counted from 1."""


def mark_of(difference: str) -> str:
    """A difference's id in few letters, since a client's name is short."""
    return hashlib.sha256(difference.encode()).hexdigest()[:20]


def decide(
    store: Store,
    layer: int,
    base: int,
    difference: str,
    choice: int,
    edits: Sequence[Edit],
    *,
    user: int,
    doc: Document,
) -> Appended | Conflict:
    """Append a decision made on the layer's document at `base`, with the edits that follow from it."""
    client = f"{_CLIENT} {mark_of(difference)} {choice}"
    operation = Operation(base, tuple(edits) or _nothing(doc))
    return store.layers.append(layer, base, [operation], client=client, user=user)


def step_back(store: Store, layer: int, base: int, *, user: int, again: bool = False) -> Appended | Conflict:
    """Undo the last step of the layer, decision or not; `again` does once more what was undone."""
    operation = Operation(base, kind="redo" if again else "undo")
    return store.layers.append(layer, base, [operation], client="decision undo", user=user)


def decisions(store: Store, layer: int, differences: Iterable[str]) -> dict[str, int]:
    """The choice for each difference that is decided now: what was undone does not count, later choices win."""
    with store.read() as session:
        columns = (OperationRow.revision, OperationRow.kind, OperationRow.target, OperationRow.client)
        query = select(*columns).where(OperationRow.layer_id == layer).order_by(OperationRow.revision)
        rows = session.execute(query).all()
    first: dict[int, int] = {}
    in_force: dict[int, str] = {}
    clients: dict[int, str] = {}
    for revision, kind, target, client in rows:
        first[revision] = revision if target is None else first[target]
        if kind == "edit":
            clients[revision] = client
        if kind == "undo":
            in_force.pop(first[revision], None)
        else:
            in_force[first[revision]] = clients[first[revision]]
    chosen: dict[str, int] = {}
    for _, client in sorted(in_force.items()):
        kind, _, rest = client.partition(" ")
        mark, _, choice = rest.partition(" ")
        if kind == _CLIENT and choice.isdigit():
            chosen[mark] = int(choice)
    return {id: chosen[mark] for id in differences if (mark := mark_of(id)) in chosen}


def _nothing(doc: Document) -> tuple[Edit, ...]:
    where = {"entity": fresh_id(doc), "positions": [0]}
    return Edit("add_mention", where), Edit("remove_mention", where)
