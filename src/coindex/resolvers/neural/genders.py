"""Whom a mention can be, told from English words alone: he or she, Mr. or Mrs., father or mother, a first name."""

from __future__ import annotations

import numpy as np

from ..languages import language
from .kinds import KINDS
from .mentions import Mentions
from .words import Ints, Words

UNKNOWN, MASCULINE, FEMININE = range(3)
PRONOUNS = {KINDS.index("he"): MASCULINE, KINDS.index("she"): FEMININE}
NAMES = frozenset(KINDS.index(kind) for kind in ("name", "initial"))
NUMBER = {"Masc": MASCULINE, "Fem": FEMININE}


def genders(words: Words, mentions: Mentions, heads: Ints) -> Ints:
    """Of each mention, as far as its words leave no doubt."""
    columns = (mentions.start.tolist(), mentions.end.tolist(), mentions.kind.tolist(), heads.tolist())
    return np.array([_gender(words.forms, *row) for row in zip(*columns, strict=True)], dtype=np.int64)


def _gender(forms: list[str], start: int, end: int, kind: int, head: int) -> int:
    if kind in PRONOUNS:
        return PRONOUNS[kind]
    english = language("en")
    if kind not in NAMES:
        return NUMBER.get(english.persons.get(forms[head].lower(), ""), UNKNOWN)
    first = forms[start].lower()
    if end - start > 1 and first in english.titles:
        return NUMBER.get(english.titles[first], UNKNOWN)
    return NUMBER.get(english.names.get(first, ""), UNKNOWN)
