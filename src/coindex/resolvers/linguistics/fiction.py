"""Recognize fiction by its vocabulary, to suggest the annotation scheme of a corpus of novels.

The measure is the share of a few words that are frequent in narrative prose and rare elsewhere, among the first words
of a document. The words and the threshold were chosen on the training parts of GUM and LitBank.
`python -m benchmarks replacing` measures it on their development parts.
"""

from __future__ import annotations

from ...document import Document

NARRATIVE_WORDS = frozenset(
    """
    stood eyes seemed upon voice looked round lay nor heart door face knew dark gone saw passed hands perhaps felt
    turned indeed came heard held began moment
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)
LEAST_NARRATIVE_SHARE = 0.01
"""The least share of these words in fiction."""
LEAST_NARRATIVE_LENGTH = 200
"""Shorter texts are never taken for fiction."""
NARRATIVE_SAMPLE = 2000
"""Number of tokens that are looked at."""


def narrative_share(doc: Document) -> float:
    """Return the share of narrative words among the first words of a document; 0 if it is too short."""
    words = [form.lower() for form in doc.tokens.forms[:NARRATIVE_SAMPLE] if form.isalpha()]
    return sum(word in NARRATIVE_WORDS for word in words) / len(words) if len(words) >= LEAST_NARRATIVE_LENGTH else 0.0


def is_fiction(doc: Document) -> bool:
    """Return whether a document looks like fiction."""
    return narrative_share(doc) >= LEAST_NARRATIVE_SHARE
