"""Render documents as HTML: a self-contained page, and a fragment for notebooks."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from ..document.documents import Document
from ..document.entities import Entity, Mention, link_source, other_attributes, percent
from ..document.naming import count, entity_name, labels, summarise_document
from .escaping import escape, storable
from .layout import Layout, Line, Open, Unit, relations
from .markup import Pen, colours, paragraphs
from .overview import Overview


def page_head(title: str, *, style: str, script: str = "") -> str:
    """Return the page up to the end of <head>; `script` is the script of the page, if any.

    The security policy allows only that script, and no downloads, even if text were not escaped correctly.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="coindex">\n<title>{escape(title)}</title>\n'
        f"<style>\n{style}</style>\n</head>\n"
    )


# "</script>" or "<!--" in a string would end or break the <script>; as \u escapes they are harmless.
_HARMLESS = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def script_data(layout: Layout, colours: Sequence[str], labels: Sequence[str]) -> str:
    """Return the data of a document for the script of the page; page.js describes the fields."""
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
    return embed_json(data)


def embed_json(data: Any) -> str:
    """Return data as JSON for a <script> of a page."""
    return _json(data).translate(_HARMLESS)


def pack_json(data: Any) -> str:
    """Return data as compressed JSON and a full stop, for pages of large corpora; unpack.js reads it."""
    return base64.b64encode(zlib.compress(_json(data).encode(), 9)).decode() + "."


def _json(data: Any) -> str:
    return storable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def _link(mention: Mention, sources: dict[str, int]) -> list[float | None]:
    """Return what linked the mention and with which confidence; empty if both are unknown, to keep pages small."""
    source, score = link_source(mention), mention.score
    if source is None and score is None:
        return []
    number = -1 if source is None else sources.setdefault(source, len(sources))
    return [number, score]


class _Table:
    """Attributes that many mentions share; each set of them is stored once."""

    def __init__(self) -> None:
        self.rows: list[dict[str, str]] = []
        self._seen: dict[tuple[tuple[str, str], ...], int] = {}

    def row(self, attributes: Mapping[str, str]) -> int:
        """Return the number of these attributes, -1 for none."""
        if not attributes:
            return -1
        key = tuple(attributes.items())
        if key not in self._seen:
            self._seen[key] = len(self.rows)
            self.rows.append({str(name): str(value) for name, value in key})
        return self._seen[key]


LONGEST_FRAGMENT = 3000  # words; a notebook stores every output in its file


def page(
    docs: Iterable[Document], *, title: str = "coindex", singletons: bool = True, overview: bool = True
) -> Iterator[str]:
    """Yield the pieces of a self-contained page of documents; only one document is in memory at a time.

    With `overview`, documents that share entities get an overview of these.
    """
    script = _resource("page.js")
    style = "".join(map(_resource, ("text.css", "page.css", "overview.css")))
    yield page_head(title, style=style, script=script) + (
        f'<body class="{"" if singletons else "no-singletons"}">\n'
        f'<header class="bar"><h1 dir="auto">{escape(title)}</h1><div id="tools"></div></header>\n'
        '<div class="columns">\n<main>\n'
    )
    seen = Overview()
    for number, doc in enumerate(docs):
        yield from _section(doc, number, seen)
    if not seen.names:
        yield '<p class="facts">No documents.</p>\n'
    if overview:
        yield from seen.html()
    yield f"</main>\n</div>\n<script>{script}</script>\n</body>\n</html>\n"


@cache
def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _section(doc: Document, number: int, seen: Overview) -> Iterator[str]:
    layout = Layout(doc)
    pen = Pen(layout, colours(doc), labels(doc))
    seen.add(doc, layout, list(pen.colours))
    language = f' lang="{escape(doc.language)}"' if doc.language else ""
    name = doc.id or f"document {number + 1}"
    yield (
        f'<section class="doc" id="d{number}" aria-labelledby="h{number}">\n'
        f'<h2 id="h{number}" dir="auto">{escape(name)}</h2>\n'
        f'<p class="facts">{escape(summarise_document(doc))}</p>\n<div class="text coindex"{language}>\n'
    )
    yield from paragraphs(layout.lines(), pen)
    data = script_data(layout, pen.colours, pen.labels)
    yield f'</div>\n<script type="application/json">{data}</script>\n</section>\n'


def document_fragment(doc: Document) -> str:
    """Return a document for a notebook cell, without script and with a style sheet that affects nothing else.

    Pointing at a mention highlights the other mentions of its entity. A long document is shortened.
    """
    layout = Layout(doc)
    names = [_title(entity) for entity in doc.entities]
    titles = [names[entity] + _provenance(mention) for mention, entity in layout.mentions]
    pen = Pen(layout, colours(doc), labels(doc), titles)
    lines, hidden = _select_lines(layout)
    language = f' lang="{escape(doc.language)}"' if doc.language else ""
    rest = f'<p class="facts">… {hidden:,} more words; write the document as HTML to see them</p>\n'
    text = "".join(paragraphs(lines, pen))
    return (
        f"<style>\n{_resource('text.css')}{_resource('fragment.css')}{_render_hover_rules(lines, doc)}</style>\n"
        f'<div class="coindex coindex-cell"{language}>\n'
        f'<p class="facts">{escape(" · ".join(filter(None, (doc.id, summarise_document(doc)))))}</p>\n'
        f'<div class="coindex-text">\n{text}</div>\n{rest if hidden else ""}</div>\n'
    )


def _select_lines(layout: Layout) -> tuple[list[Line], int]:
    """Return the first lines, as many as a notebook should show, and the number of units that are hidden."""
    lines: list[Line] = []
    shown = 0
    for line in layout.lines():
        if shown >= LONGEST_FRAGMENT:
            break
        lines.append(line)
        shown += sum(isinstance(piece, Unit) for piece in line.pieces)
    return lines, len(layout.units) - shown


def _title(entity: Entity) -> str:
    about = (entity.type, "event" if entity.kind == "event" else None, count(len(entity), "mention"))
    return f"{entity.id}: {entity_name(entity)} ({', '.join(filter(None, about))})"


def _provenance(mention: Mention) -> str:
    """Return a line with what linked the mention and with which confidence."""
    source, score = link_source(mention), mention.score
    parts = (source and f"by {source}", None if score is None else f"confidence {percent(score)}")
    return "\n" + ", ".join(filter(None, parts)) if any(parts) else ""


def _render_hover_rules(lines: list[Line], doc: Document) -> str:
    """Return a CSS rule for each entity that highlights it under the pointer, since scripts may not run."""
    marks = {piece.mark.entity for line in lines for piece in line.pieces if isinstance(piece, Open)}
    return "".join(
        f".coindex-cell:has(.e{n}:hover):not(:has(.e{n}:hover .m:hover:not(.e{n}))) .e{n}{{--tint:34%;--line:3px}}\n"
        for n in sorted(marks)
        if not doc.entities[n].is_singleton
    )
