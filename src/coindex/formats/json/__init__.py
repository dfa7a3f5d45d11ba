"""JSON with everything that a document says: one object a document, one document a line, read back whole."""

from __future__ import annotations

from ..losses import FEATURES
from ..registry import Format
from .reader import read
from .writer import write

__all__ = ["FORMAT", "detect", "read", "write"]


FORMAT = Format(
    name="json",
    summary="JSON objects, one a document: offsets in characters and tokens, names, types, scores of links",
    carries=frozenset(FEATURES),
    read=read,
    write=write,
)
