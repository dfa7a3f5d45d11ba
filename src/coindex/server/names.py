"""Names that people give: to themselves, projects, documents, layers."""

from __future__ import annotations

import unicodedata

from ..errors import CoindexError, quote
from .models import NAME


def clean_name(text: str, what: str = "name", *, most: int = NAME) -> str:
    """The name in one Unicode form, without blanks at its ends; what cannot be seen or kept is refused."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise CoindexError(f"an empty {what}; give at least one character", code="invalid-name")
    if len(name) > most:
        raise CoindexError(
            f"the {what} {quote(name, 30)} has {len(name)} characters; at most {most} are kept", code="invalid-name"
        )
    if not all(char.isprintable() for char in name):
        raise CoindexError(
            f"the {what} {quote(name, 30)} has characters that cannot be seen; leave them out", code="invalid-name"
        )
    return name


def clean_text(text: str, what: str = "text", *, most: int = 4000) -> str:
    """A longer text, which may be empty and have lines."""
    cleaned = unicodedata.normalize("NFC", text).replace("\r\n", "\n").strip()
    if len(cleaned) > most:
        raise CoindexError(f"the {what} has {len(cleaned)} characters; at most {most} are kept", code="invalid-name")
    if not all(char.isprintable() or char in "\n\t" for char in cleaned):
        raise CoindexError(f"the {what} has characters that cannot be seen; leave them out", code="invalid-name")
    return cleaned


def name_key(name: str) -> str:
    """What two names are compared by, so that nobody can pass for somebody else by a capital or a wide letter."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
