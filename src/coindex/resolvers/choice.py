"""Which resolver to take where nobody named one. The one place to change when a better one comes."""

from __future__ import annotations

import unicodedata
import warnings
from typing import NamedTuple

from ..document import Document
from ..document.trees import Trees
from ..errors import CoindexError, CoindexWarning
from .languages import language_of

WITH_TREES = "sieves"
RAW = {"en": "are-baseline"}
"""By language, for documents that have no trees."""
ASSUMED = "en"
"""The language of a raw text in Latin letters that neither says nor shows its own."""
SAMPLE = 200
"""How many words are looked at for their letters."""


class Choice(NamedTuple):
    """A resolver, and the language that the document is taken to be in, where it matters."""

    resolver: str
    language: str | None


def choose(doc: Document, *, parsed: bool = False, language: str | None = None) -> Choice:
    """The resolver for a document; `parsed` says that a parser goes before, `language` what its user says."""
    if parsed or Trees(doc).has_trees:
        return Choice(WITH_TREES, language)
    code = language_of(doc.replace(language=doc.language or language)).code
    if not code and not _is_latin(doc):
        warnings.warn(
            f"{doc.id or 'document'}: not in Latin letters and of no known language, so {RAW[ASSUMED]} will find "
            "little; parse it with --parser 'spacy(MODEL)'",
            CoindexWarning,
            stacklevel=2,
        )
        return Choice(RAW[ASSUMED], None)
    code = code or ASSUMED
    if code not in RAW:
        raise CoindexError(
            f"{doc.id or 'document'}: language {code!r} and no dependency tree; expected a text in "
            f"{' or '.join(RAW)}, or trees; parse it with --parser 'spacy(MODEL)', say its language with --language "
            "if it is another, or name a resolver with -r"
        )
    return Choice(RAW[code], code)


def _is_latin(doc: Document) -> bool:
    """Whether half of the letters or more are Latin; of a text without letters nothing speaks against it."""
    letters = [char for form in doc.tokens.forms[:SAMPLE] for char in form if char.isalpha()]
    return 2 * sum(unicodedata.name(char, "").startswith("LATIN") for char in letters) >= len(letters)
