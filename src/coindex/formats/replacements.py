"""The replacements of resolved text, with offsets in both texts: a JSON object per document. Write only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Unpack

from ..document import Document
from .registry import Format
from .resolved import OPTIONS, Options, resolve_texts
from .sink import Sink


def write(docs: Iterable[Document], sink: Sink, **options: Unpack[Options]) -> None:
    """Write one line per document: the text, the resolved text and the replacements in order."""
    for number, (doc, resolved) in enumerate(resolve_texts(docs, options), 1):
        record = {
            "id": doc.id or f"document_{number}",
            "text": doc.text,
            "resolved": resolved.text,
            "replacements": [replacement.record() for replacement in resolved.replacements],
        }
        sink.stream.write(json.dumps(record, ensure_ascii=False) + "\n")


FORMAT = Format(
    name="replacements",
    summary="the resolved text and a table of its replacements, with character offsets in both texts, as JSON lines",
    carries=frozenset({"spaces"}),
    write=write,
    write_options=OPTIONS,
)
