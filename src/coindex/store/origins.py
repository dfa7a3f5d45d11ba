"""What a layer was made of and how: enough to make it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy.orm import Session

from ..document import Document
from .layers import add_layer
from .models import Layer, LayerKind
from .names import clean_name

Method = Literal["adjudication", "vote", "resolver", "second pass"]


@dataclass(frozen=True, slots=True)
class Source:
    """A layer at one of its revisions, whose document never changes."""

    layer: int
    revision: int
    name: str
    """What the layer was called, for people."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a layer came to be; `options` are what the method was told."""

    method: Method
    sources: tuple[Source, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        sources = [[source.layer, source.revision, source.name] for source in self.sources]
        return {"method": self.method, "sources": sources, "options": dict(self.options)}

    @classmethod
    def of(cls, layer: Layer) -> Origin | None:
        """The origin of a layer; None for one that somebody began with the text."""
        if layer.origin is None:
            return None
        sources = tuple(Source(*source) for source in layer.origin["sources"])
        return cls(layer.origin["method"], sources, layer.origin["options"])


def add_derived(
    session: Session, document: int, start: Document, origin: Origin, *, name: str, owner: int, kind: LayerKind
) -> Layer:
    """A new layer with the record of its origin; its first revision is what the method gave."""
    layer = add_layer(session, document, start, name=clean_name(name), owner=owner, kind=kind)
    layer.origin = origin.to_json()
    session.flush()
    return layer
