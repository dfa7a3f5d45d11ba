"""Projects whose documents share entities: an id means the same entity in all layers of one annotator."""

from __future__ import annotations

from dataclasses import replace

from ..document import Document
from .models import LayerKind, Project

SHARED = "shared_entities"
"""The setting of a project."""
UNSHARED: tuple[LayerKind, ...] = ("assessment", "key", "suggestion")
"""Kinds of layers that stand for themselves in such a project too."""


def shares_entities(project: Project) -> bool:
    return project.settings.get(SHARED) is True


def sharing(doc: Document, name: str) -> Document:
    """The document with ids for a whole project: those that meant something in it alone get its name before them."""
    if doc.shared_ids:
        return doc
    ids = {entity.id: f"{doc.id or name}_{entity.id}" for entity in doc.entities}
    return doc.replace(
        id=doc.id or name,
        entities=tuple(replace(entity, id=ids[entity.id]) for entity in doc.entities),
        bridges=tuple(
            replace(one, entity=ids[one.entity], antecedent=ids.get(one.antecedent, one.antecedent))
            for one in doc.bridges
        ),
        split_antecedents=tuple(
            replace(one, entity=ids[one.entity], antecedents=tuple(ids.get(id, id) for id in one.antecedents))
            for one in doc.split_antecedents
        ),
        shared_ids=True,
    )
