"""What the page's script knows of a document, as JSON that no text can break."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from .entities import Mention
from .layout import Layout
from .markup import storable
from .naming import entity_name
from .provenance import link_source, other_attributes
from .relations import relations

# "</script>" or "<!--" in a string would end or upset the <script>; as \u escapes they are harmless.
_HARMLESS = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def script_data(layout: Layout, colours: Sequence[str], labels: Sequence[str]) -> str:
    """The document for the script of the page; page.js says what stands where."""
    attributes = _Table()
    sources: dict[str, int] = {}
    doc = layout.doc
    data = {
        "id": doc.id,
        "shared": doc.shared_ids,
        "tokens": len(doc.tokens),
        "entities": [
            [
                e.id,
                label,
                entity_name(e),
                colour,
                e.type,
                int(e.kind == "event"),
                attributes.row(e.attributes),
            ]
            for e, label, colour in zip(doc.entities, labels, colours, strict=True)
        ],
        "mentions": [
            [
                entity,
                mention.start,
                doc.sentence_index(mention.start) + 1,
                attributes.row(other_attributes(mention)),
                *_link(mention, sources),
            ]
            for mention, entity in layout.mentions
        ],
        "relations": [[r.mention, r.entity, r.antecedents, int(r.is_bridge), r.name] for r in relations(layout)],
        "attributes": attributes.rows,
        "sources": list(sources),
    }
    return embedded(data)


def embedded(data: Any) -> str:
    """Data as JSON to stand in a <script> of a page."""
    return _json(data).translate(_HARMLESS)


def packed(data: Any) -> str:
    """Data as compressed JSON with a full stop, for pages of large corpora: unpack.js has the other direction."""
    return base64.b64encode(zlib.compress(_json(data).encode(), 9)).decode() + "."


def _json(data: Any) -> str:
    return storable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def _link(mention: Mention, sources: dict[str, int]) -> list[float | None]:
    """Who linked the mention and how sure that is; nothing where neither is known, so that pages stay small."""
    source, score = link_source(mention), mention.score
    if source is None and score is None:
        return []
    number = -1 if source is None else sources.setdefault(source, len(sources))
    return [number, score]


class _Table:
    """Attributes that many mentions share, each set of them kept once."""

    def __init__(self) -> None:
        self.rows: list[dict[str, str]] = []
        self._seen: dict[tuple[tuple[str, str], ...], int] = {}

    def row(self, attributes: Mapping[str, str]) -> int:
        """The number of these attributes, -1 for none."""
        if not attributes:
            return -1
        key = tuple(attributes.items())
        if key not in self._seen:
            self._seen[key] = len(self.rows)
            self.rows.append({str(name): str(value) for name, value in key})
        return self._seen[key]
