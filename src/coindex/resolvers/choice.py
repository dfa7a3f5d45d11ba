"""Which resolver to take where nobody named one. The one place to change when a better one comes."""

from __future__ import annotations

from typing import NamedTuple

from ..document import Document
from ..document.trees import Trees
from ..errors import CoindexError
from .languages import language_of

WITH_TREES = "sieves"
RAW = {"en": "are-baseline"}
"""By language, for documents that have no trees."""
ASSUMED = "en"
"""The language of a raw text that neither says nor shows its own."""


class Choice(NamedTuple):
    """A resolver, and the language that the document is taken to be in, where it matters."""

    resolver: str
    language: str | None


def choose(doc: Document, *, parsed: bool = False, language: str | None = None) -> Choice:
    """The resolver for a document; `parsed` says that a parser goes before, `language` what its user says."""
    if parsed or Trees(doc).has_trees:
        return Choice(WITH_TREES, language)
    code = language_of(doc.replace(language=doc.language or language)).code or ASSUMED
    if code not in RAW:
        raise CoindexError(
            f"{doc.id or 'document'}: language {code!r} and no dependency tree; expected a text in "
            f"{' or '.join(RAW)}, or trees; parse it with --parser 'spacy(MODEL)', say its language with --language "
            "if it is another, or name a resolver with -r"
        )
    return Choice(RAW[code], code)
