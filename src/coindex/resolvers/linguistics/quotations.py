"""Direct speech: which words stand in a quotation, and whose turn to speak it is, as far as the marks show.

*I* of two neighbouring turns are two people more often than not, of one quotation always the same one; *I* in a
quotation may well be *he* around it, and *he* inside hardly ever.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..neural.words import Ints, Words
from .mention_kinds import KINDS

MARKS = {'"': '"', "“": "”", "``": "''", "‘": "’", "«": "»"}
"""The mark that ends a quotation by the mark that begins it."""
PERSONS = ("i", "you", "we", "he", "she")
CLASSES = len(PERSONS) + 1
CLASS_OF = np.array([PERSONS.index(kind) + 1 if kind in PERSONS else 0 for kind in KINDS], dtype=np.int64)
"""The persons apart, of all kinds of mentions."""
ASIDE = 20
"""The longest aside between two parts of one turn, in words: *said the old man, smiling*."""
OUTSIDE, ENTERED, LEFT, SAME, FIRST_TURN = range(5)
"""Both stand outside, the anaphor alone in a quotation, the candidate alone, both in one; then by turns in between."""
TURNS = 6
"""The same turn, one, two or three turns later, then even and odd numbers of them."""
PLACES = FIRST_TURN + TURNS


class Quotes(NamedTuple):
    """Of each word the number of its quotation, from 1, and of its turn; 0 outside."""

    quote: Ints
    turn: Ints


def find_quotes(words: Words) -> Quotes:
    """The quotations of a document.

    A turn goes on after an aside that begins with a small letter. A straight mark that ends a sentence begins nothing.
    """
    quote, turn = (np.zeros(len(words), dtype=np.int64) for _ in range(2))
    forms = words.forms
    last_words = {end - 1 for start, end in words.sentences if end - start > 1}
    quotes = turns = begin = closed = 0
    ending = ""
    for word, form in enumerate(forms):
        if ending:
            if form == ending or (form == "”" and ending == '"'):
                quote[begin:word], turn[begin:word] = quotes, turns
                closed, ending = word + 1, ""
        elif form in MARKS and not (form == '"' and word in last_words):
            goes_on = quotes and 0 < word - closed <= ASIDE and forms[closed][:1].islower()
            quotes += 1
            turns += 0 if goes_on else 1
            begin, ending = word + 1, MARKS[form]
    if ending:
        quote[begin:], turn[begin:] = quotes, turns
    return Quotes(quote, turn)


def compare_quotes(quotes: Quotes, anaphor: Ints, candidate: Ints) -> Ints:
    """How the words of each pair stand to each other, as a number below `PLACES`."""
    mine, other = quotes.quote[anaphor], quotes.quote[candidate]
    apart = np.maximum(quotes.turn[anaphor] - quotes.turn[candidate], 0)
    later = FIRST_TURN + np.where(apart < TURNS - 2, apart, TURNS - 2 + apart % 2)
    both = np.where(mine == other, SAME, later)
    return np.where(mine > 0, np.where(other > 0, both, ENTERED), np.where(other > 0, LEFT, OUTSIDE))
