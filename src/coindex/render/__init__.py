"""Render documents for readers: HTML pages, terminal, Markdown, resolved text.

Importing this package adds the methods of `Document` for notebooks and resolved text; the modules that they need are
imported when they are called.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..document.documents import Document, Keep, register_renderers


def _resolved_text(doc: Document, *, keep: str | Iterable[Keep], **options: Any) -> str:
    from .resolved_text import parse_keep, resolved_text

    return resolved_text(doc, keep=parse_keep(keep) if isinstance(keep, str) else keep, **options)


def _html(doc: Document) -> str:
    from .html import document_fragment

    return document_fragment(doc)


register_renderers(resolved_text=_resolved_text, html=_html)
