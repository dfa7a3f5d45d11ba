"""What the writer and the reader agree on; docs/notes/json.md describes it to users."""

from __future__ import annotations

VERSION = 1
COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""The UD columns of a token, left out where they are not given."""


def score_text(score: float) -> str:
    """A link's score as an attribute, as resolvers write it."""
    return f"{score:.4f}"
