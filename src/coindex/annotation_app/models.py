"""The tables of annotation: documents, layers with their logs, assignments, assessments."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import BigInteger, CheckConstraint, Float, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..server.database import Json, PackedJson, UtcTime, now
from ..server.models import NAME, NO_ID_TWICE, Base, to_table

AssignmentState = Literal["open", "started", "done", "returned"]
ASSIGNMENT_STATES: tuple[AssignmentState, ...] = get_args(AssignmentState)
LayerKind = Literal["annotation", "adjudication", "merge", "vote", "key", "suggestion", "assessment"]
LAYER_KINDS: tuple[LayerKind, ...] = get_args(LayerKind)
ReturnReason = Literal["handed back", "no activity", "late"]  # prose: ok - stored values
RETURNED_BY_USER: ReturnReason = "handed back"  # prose: ok - a stored value
AssessmentKind = Literal["tutorial", "assessment"]
ASSESSMENT_KINDS: tuple[AssessmentKind, ...] = get_args(AssessmentKind)
OperationKind = Literal["edit", "undo", "redo"]


class DocumentRow(Base):
    """A text as it was imported, with whatever annotation it had."""

    __tablename__ = "documents"
    __table_args__ = (UniqueConstraint("project_id", "name"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(to_table("projects.id"), index=True)
    name: Mapped[str] = mapped_column(String(NAME))
    content: Mapped[Any] = mapped_column(PackedJson, deferred=True)
    tokens: Mapped[int] = mapped_column(Integer)
    mentions: Mapped[int] = mapped_column(Integer)
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class Assignment(Base):
    """A document assigned to an annotator, with the layer that is created when they start."""

    __tablename__ = "assignments"
    __table_args__ = (UniqueConstraint("document_id", "user_id"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(to_table("documents.id"))
    user_id: Mapped[int] = mapped_column(to_table("users.id"), index=True)
    layer_id: Mapped[int | None] = mapped_column(to_table("layers.id", keep=True), index=True)
    state: Mapped[str] = mapped_column(String(20), default="open")
    deadline: Mapped[datetime | None] = mapped_column(UtcTime)
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)
    changed: Mapped[datetime] = mapped_column(UtcTime, default=now)
    reason: Mapped[str | None] = mapped_column(String(20))
    """Why it was returned, where that is known."""


class Layer(Base):
    """One annotation of one document, with the current revision of its log of operations."""

    __tablename__ = "layers"
    __table_args__ = (CheckConstraint("revision >= 0", name="revision"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(to_table("documents.id"), index=True)
    owner_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True), index=True)
    name: Mapped[str] = mapped_column(String(NAME))
    kind: Mapped[str] = mapped_column(String(20), default="annotation")
    revision: Mapped[int] = mapped_column(Integer, default=0)
    is_closed: Mapped[bool] = mapped_column(default=False)
    """Finished: nothing can be appended until it is reopened."""
    is_published: Mapped[bool] = mapped_column(default=False)
    """Viewers may see it."""
    origin: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """How it was created from other layers or by a program; `projects.Origin` reads it."""
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class OperationRow(Base):
    """One step of a layer's log. Rows are never changed."""

    __tablename__ = "operations"
    __table_args__ = (UniqueConstraint("layer_id", "client", "sequence"), NO_ID_TWICE)

    layer_id: Mapped[int] = mapped_column(to_table("layers.id"), primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    client: Mapped[str] = mapped_column(String(64))
    sequence: Mapped[int] = mapped_column(BigInteger)
    kind: Mapped[str] = mapped_column(String(8))
    edits: Mapped[list[Any]] = mapped_column(Json)
    inverse: Mapped[list[Any]] = mapped_column(Json)
    target: Mapped[int | None] = mapped_column(Integer)
    """The revision that an undo reverts or a redo repeats."""
    undo_next: Mapped[int] = mapped_column(Integer)
    """The revision that an undo after this step reverts; 0 for none."""
    redo_next: Mapped[int] = mapped_column(Integer)
    """The undo that a redo after this step reverts; 0 for none."""
    user_id: Mapped[int | None] = mapped_column(to_table("users.id", keep=True))
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class Snapshot(Base):
    """The whole document at a revision of a layer, to limit how many operations have to be replayed."""

    __tablename__ = "snapshots"

    layer_id: Mapped[int] = mapped_column(to_table("layers.id"), primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    content: Mapped[Any] = mapped_column(PackedJson)


class Assessment(Base):
    """A tutorial or an assessment: a document with a key.

    Only `is_open` changes: a new key is a new row, so an attempt keeps the key it was scored with.
    """

    __tablename__ = "assessments"

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(to_table("documents.id"), index=True)
    kind: Mapped[str] = mapped_column(String(20))
    key: Mapped[Any] = mapped_column(PackedJson, deferred=True)
    is_open: Mapped[bool] = mapped_column(default=True)
    """Whether new attempts can start."""
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)


class Attempt(Base):
    """Somebody's annotation of an assessment; scored once, when it is submitted."""

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("assessment_id", "user_id", "number"), NO_ID_TWICE)

    id: Mapped[int] = mapped_column(primary_key=True)
    assessment_id: Mapped[int] = mapped_column(to_table("assessments.id"))
    user_id: Mapped[int] = mapped_column(to_table("users.id"), index=True)
    layer_id: Mapped[int | None] = mapped_column(to_table("layers.id", keep=True), index=True)
    number: Mapped[int] = mapped_column(Integer)
    handed_in: Mapped[datetime | None] = mapped_column(UtcTime)
    score: Mapped[float | None] = mapped_column(Float)
    """Between 0 and 1, by the project's metric."""
    is_passed: Mapped[bool | None] = mapped_column()
    detail: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    """The metric, the pass mark, all scores and their signature."""
    created: Mapped[datetime] = mapped_column(UtcTime, default=now)
