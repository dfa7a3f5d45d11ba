"""Bridging and split antecedents by their places in a layout, for whatever draws them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .layout import Layout

BRIDGE, SPLIT = "⇠", "⇐"
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Relation:
    """What a mention is understood through; an antecedent is an entity's index, or an id from elsewhere."""

    mention: int
    entity: int
    antecedents: tuple[int | str, ...]
    is_bridge: bool
    name: str | None = None


def relations(layout: Layout) -> list[Relation]:
    """All of them; mention and entity are indexes, UNKNOWN where the document does not have them."""
    doc = layout.doc
    entity_at = {entity.id: index for index, entity in enumerate(doc.entities)}
    mention_at = {(entity, mention.positions): at for at, (mention, entity) in enumerate(layout.mentions)}

    def place(entity: str, positions: tuple[int, ...]) -> tuple[int, int]:
        index = entity_at.get(entity, UNKNOWN)
        return mention_at.get((index, positions), UNKNOWN), index

    bridges = (
        Relation(
            *place(b.entity, b.anaphor.positions),
            (entity_at.get(b.antecedent, b.antecedent),),
            True,
            b.relation,
        )
        for b in doc.bridges
    )
    splits = (
        Relation(*place(s.entity, s.anaphor.positions), tuple(entity_at.get(id, id) for id in s.antecedents), False)
        for s in doc.split_antecedents
    )
    return [*bridges, *splits]


def arrows(layout: Layout, labels: Sequence[str], spell: Callable[[str], str]) -> dict[int, str]:
    """For each mention with relations what to write after it: "⇠3" for bridging, "⇐1+2" for a group."""
    found: dict[int, str] = defaultdict(str)
    for relation in relations(layout):
        names = [labels[one] if isinstance(one, int) else one for one in relation.antecedents]
        found[relation.mention] += (BRIDGE if relation.is_bridge else SPLIT) + spell("+".join(names))
    found.pop(UNKNOWN, None)
    return dict(found)
