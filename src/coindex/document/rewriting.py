"""From one document to another over the same words, by named edits."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import EditError
from .documents import Document
from .edit_log import Edit, apply_all
from .entities import Mention
from .undo import repairs

Marks = dict[tuple[str, tuple[int, ...]], Mention]


def edits_between(doc: Document, wanted: Document) -> list[Edit]:
    """The edits that make `wanted` of a document whose words and empty nodes are the same; none where both agree.

    Mentions that both have stay untouched, so that edits made elsewhere in between are kept.
    """
    if doc.tokens != wanted.tokens:
        raise EditError("the two documents have other words or empty nodes; expected the same in both")
    steps = list(_mention_edits(_marks(doc), _marks(wanted)))
    return [*steps, *repairs(apply_all(doc, steps), wanted)]


def _marks(doc: Document) -> Marks:
    return {(entity.id, mention.positions): mention for entity in doc.entities for mention in entity.mentions}


def _mention_edits(now: Marks, then: Marks) -> Iterator[Edit]:
    """New mentions first, so that an entity that keeps none of its old ones lives on."""
    for (entity, positions), mention in then.items():
        old = now.get((entity, positions))
        where = {"entity": entity, "positions": positions}
        if old is None:
            yield Edit("add_mention", {**where, "head": mention.head, "attributes": mention.attributes})
            continue
        if old.head != mention.head:
            yield Edit("set_head", {**where, "head": mention.head})
        if old.attributes != mention.attributes:
            yield Edit("set_attributes", {**where, "attributes": mention.attributes})
    for entity, positions in now:
        if (entity, positions) not in then:
            yield Edit("remove_mention", {"entity": entity, "positions": positions})
