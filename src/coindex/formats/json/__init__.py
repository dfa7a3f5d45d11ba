"""JSON with everything that a document says: one object a document, one document a line, read back whole."""

from __future__ import annotations

from ..losses import FEATURES
from ..records import top_keys
from ..registry import Format, Head, Role
from .reader import read
from .schema import VERSION_KEY
from .writer import write

__all__ = ["FORMAT", "detect", "read", "write"]


def detect(head: Head) -> Role:
    """An object whose first key is `coindex`, the version of the schema."""
    return "main" if top_keys(head.text)[:1] == [VERSION_KEY] else "no"


FORMAT = Format(
    name="json",
    summary="JSON objects, one a document: offsets in characters and tokens, names, types, scores of links",
    carries=frozenset(FEATURES),
    extensions=(".json", ".jsonl"),
    detect=detect,
    read=read,
    write=write,
)
