"""The sentences of an MMAX2 document: every word in exactly one, whatever the sentence level leaves out."""

from __future__ import annotations

import unicodedata
from itertools import groupby

from .project import Markable, Words

Stretch = tuple[int, int, Markable | None]
"""Start and end of a sentence, and the markable that says so."""


def find_sentences(words: Words, markables: list[Markable]) -> list[Stretch]:
    """Of overlapping sentences the first has the words; words of none join the one before, or stand alone.

    Closing punctuation joins it: sentences of the Potsdam corpus often end before their full stop. A sentence
    with a gap is cut there, and its first part has its id.
    """
    spans = [(positions, markable) for markable in markables if (positions := words.positions(markable))]
    owner: dict[int, Markable] = {}
    for positions, markable in sorted(spans, key=lambda pair: (pair[0][0], -len(pair[0]))):
        for position in positions:
            owner.setdefault(position, markable)
    sentences: list[Stretch] = []
    named: set[int] = set()
    for _, group in groupby(range(len(words.forms)), key=lambda position: id(owner.get(position))):
        positions = tuple(group)
        start, end = positions[0], positions[-1] + 1
        found = owner.get(start)
        while found is None and sentences and start < end and _closes(words.forms[start]):
            start += 1
            sentences[-1] = sentences[-1][0], start, sentences[-1][2]
        if start < end:
            sentences.append((start, end, None if id(found) in named else found))
            named.add(id(found))
    return sentences


def _closes(form: str) -> bool:
    """Whether the word is punctuation and does not open anything."""
    kinds = {unicodedata.category(character) for character in form}
    return all(kind[0] in "PS" for kind in kinds) and kinds.isdisjoint({"Ps", "Pi"})
