"""Heads: where a mention has its head, and mentions reduced to their heads."""

from __future__ import annotations

from collections.abc import Iterable

from ..document import Document, Mention
from .words import Codes, Words, words_of


def head_position(mention: Mention) -> int:
    """The head, or the first word where nobody said it, as the official scorers have it."""
    return mention.positions[0] if mention.head is None else mention.head


def reduced_words(parts: Iterable[tuple[Document, Codes]]) -> dict[tuple[Words, int], Words]:
    """The words that mentions have when they are reduced to their heads, by their words and head.

    Of mentions that share a head only the smallest is reduced, the others stay as they are (CRAC 2022, section 3,
    "Head matching"); of equally small ones the first in the text.
    """
    smallest: dict[int, tuple[int, Words]] = {}
    found = set()
    for doc, codes in parts:
        for entity in doc.entities:
            for mention in entity.mentions:
                words, head = words_of(mention, codes), codes[head_position(mention)]
                found.add((words, head))
                size = (len(words), words)
                if head not in smallest or size < smallest[head]:
                    smallest[head] = size
    return {(words, head): (head,) if smallest[head][1] == words else words for words, head in found}
