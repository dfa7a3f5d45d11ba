"""Whether a document is a text at all, or a heap of sentences that have nothing to do with each other.

Treebanks of examples and of users' queries are such heaps. In a text most sentences take up a word of content of the
last ones; of the training documents of 20 sentences and more in which links cross sentences, none has less than 0.16.
"""

from __future__ import annotations

from ...document import Document
from ..sieves.phrases import CONTENT
from ..sieves.words import Words

LEAST = 20
"""Sentences with words of content; of fewer nothing can be said."""
BACK = 3
"""Sentences that are looked back."""
SHARE = 0.16
"""The share of sentences that take up something, under which a document is a heap."""
SHARE_OF_PARAGRAPHS = 0.25
"""The same where every sentence is a paragraph of its own."""
PARAGRAPH = "# newpar"


def is_heap(doc: Document, words: Words) -> bool:
    """Whether links that leave their sentence make no sense."""
    said = [
        {words.lemmas[at] for at in range(start, end) if words.upos[at] in CONTENT}
        for start, end in zip(words.starts, words.ends, strict=True)
    ]
    said = [lemmas for lemmas in said if lemmas]
    if len(said) < LEAST:
        return False
    taken_up = sum(
        any(lemmas & earlier for earlier in said[max(0, at - BACK) : at]) for at, lemmas in enumerate(said) if at
    )
    paragraphs = sum(any(line.startswith(PARAGRAPH) for line in one.comments) for one in doc.sentences)
    share = SHARE_OF_PARAGRAPHS if paragraphs == len(doc.sentences) else SHARE
    return taken_up < share * (len(said) - 1)
