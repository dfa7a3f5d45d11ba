"""Text in which pronouns and other anaphors are replaced by the names of what they mean."""

from .protection import Keep, parse_keep
from .text import Persons, Replacement, ResolvedText, resolve_text, resolved_text

__all__ = ["Keep", "Persons", "Replacement", "ResolvedText", "parse_keep", "resolve_text", "resolved_text"]
