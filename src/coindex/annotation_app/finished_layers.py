"""The finished layers of a project, as versions: one layer a document under one name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..document import Document
from ..errors import CoindexError
from . import assignments, projects
from .layers import AnnotationStore
from .models import DocumentRow, Layer, OperationRow
from .projects import Origin, Source

VERSION_KINDS = ("annotation", "merge", "adjudication", "vote")
"""The kinds of layers that are somebody's or some method's answer; keys, tests and suggestions are not."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished layer, with when it was finished as far as the store knows."""

    layer: int
    document: int
    revision: int
    owner: int | None
    name: str
    kind: str
    at: datetime
    origin: Origin | None

    @property
    def source(self) -> Source:
        return Source(self.layer, self.revision, self.name)

    @property
    def is_second_pass(self) -> bool:
        """Whether somebody looked at suggestions after their own first pass, which is another layer."""
        return self.origin is not None and self.origin.method == "second pass"


@dataclass(frozen=True)
class Version:
    """The layers of one name and kind over the documents of a project."""

    kind: str
    name: str
    layers: Mapping[int, Finished] = field(default_factory=dict)
    """By the document's id."""

    @property
    def key(self) -> str:
        """What forms call it."""
        return f"{self.kind}:{self.name}"


def finished_layers(store: AnnotationStore, project: int) -> list[Finished]:
    """Every layer that is closed because it is done; what came back undone is not."""
    with store.read() as session:
        rows = projects.layers_of_project(session, project)
        given = {row.layer_id: row for row, _, _ in assignments.of_project(session, project)}
        last = _last_steps(session, project)
    found = []
    for layer, _ in rows:
        assignment = given.get(layer.id)
        is_done = layer.is_closed and (assignment is None or assignment.state == "done")
        if is_done and layer.kind in VERSION_KINDS:
            at = assignment.changed if assignment is not None else last.get(layer.id, layer.created)
            found.append(_finished(layer, at))
    return found


def _last_steps(session: Session, project: int) -> dict[int, datetime]:
    """The time of the last step of each layer."""
    query = (
        select(OperationRow.layer_id, func.max(OperationRow.created))
        .join(Layer, Layer.id == OperationRow.layer_id)
        .join(DocumentRow, DocumentRow.id == Layer.document_id)
        .where(DocumentRow.project_id == project)
        .group_by(OperationRow.layer_id)
    )
    return {row[0]: row[1] for row in session.execute(query)}


def _finished(layer: Layer, at: datetime) -> Finished:
    origin = Origin.of(layer)
    return Finished(layer.id, layer.document_id, layer.revision, layer.owner_id, layer.name, layer.kind, at, origin)


def blind_revisions(store: AnnotationStore, project: int) -> dict[int, int]:
    """For layers with a second pass the revision up to which their annotator had seen no suggestion."""
    found: dict[int, int] = {}
    with store.read() as session:
        rows = projects.layers_of_project(session, project)
    for layer, _ in rows:
        origin = Origin.of(layer)
        if origin is not None and origin.method == "second pass":
            (first,) = origin.sources
            found[first.layer] = min(first.revision, found.get(first.layer, first.revision))
    return found


def versions(layers: Iterable[Finished]) -> list[Version]:
    """The layers by kind and name; of two of one document the newer counts."""
    grouped: dict[tuple[str, str], dict[int, Finished]] = {}
    for layer in sorted(layers, key=lambda layer: layer.layer):
        grouped.setdefault((layer.kind, layer.name), {})[layer.document] = layer
    order = {kind: number for number, kind in enumerate(VERSION_KINDS)}
    names = sorted(grouped, key=lambda key: (order[key[0]], key[1]))
    return [Version(kind, name, grouped[kind, name]) for kind, name in names]


def common_documents(chosen: Sequence[Version]) -> list[int]:
    """The documents that all versions have, in one order."""
    found = set.intersection(*(set(version.layers) for version in chosen)) if chosen else set()
    if not found:
        names = ", ".join(version.name for version in chosen) or "nobody"
        raise CoindexError(
            f"no document was finished by all of {names}; choose others, or finish one", code="nothing-given"
        )
    return sorted(found)


def document_of(store: AnnotationStore, layer: Finished) -> Document:
    return store.layers.document_at(layer.layer, layer.revision)
