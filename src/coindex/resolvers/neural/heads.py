"""Heads of English mentions where the words leave no doubt, whatever a model says."""

from __future__ import annotations

import numpy as np

from ..languages import language
from .mentions import Mentions
from .words import Ints, Words

TENS = frozenset({"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"})


def settled_heads(words: Words, mentions: Mentions, heads: Ints) -> Ints:
    """The heads, those mended that are a title before a name or the tens of a number: `Dr. Hill`, `forty - two`."""
    columns = (heads.tolist(), mentions.end.tolist())
    return np.array([_settled(words.forms, head, end) for head, end in zip(*columns, strict=True)], dtype=np.int64)


def _settled(forms: list[str], head: int, end: int) -> int:
    titles = language("en").titles
    while (
        head + 1 < end and forms[head].lower() in titles and all(form[:1].isupper() for form in forms[head : head + 2])
    ):
        head += 1
    if head + 2 < end and forms[head + 1] == "-" and forms[head].lower() in TENS:
        return head + 2
    return head
