"""English words that have grown together, "inthe" or "shewas": told from words that nobody listed.

PreCo used a spell checker. Here a word is suspected that the vocabulary of the English model in this package does not
have; it is parted where one half is a common small word and both halves stand as words of their own elsewhere in the
text. Words with a capital are names, and stay; so do words such as "inmost", since "in" begins many.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cache
from importlib import resources

LEAST = 4
"""Characters of a word that may be two."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_SMALL = _words(
    """the and his its their this that these those was were are has had have will would could should but which because
    they she you your"""
)
"""Small words that hardly begin or end another: one of them is enough."""
_SHORT = _words("of he it we is her our my not who what when then there with from in on to at by for as an be or if so")
"""Small words that others begin or end with: parted only from one of those above."""


def parted(form: str, words: Collection[str]) -> tuple[str, str] | None:
    """The two words of a form, where it is two; `words` are those of the text, in small letters."""
    if len(form) < LEAST or not form.isascii() or not form.islower() or not form.isalpha() or form in vocabulary():
        return None
    found = [
        (form[:at], form[at:])
        for at in range(1, len(form))
        if form[:at] in words and form[at:] in words and _may_meet(form[:at], form[at:])
    ]
    return found[0] if len(found) == 1 else None  # of two ways to read it, neither


def _may_meet(left: str, right: str) -> bool:
    known = vocabulary()
    if left in _SMALL:
        return right in _SMALL | _SHORT or (right in known and len(right) > 2)
    return right in _SMALL and (left in _SHORT or (left in known and len(left) > 2))


@cache
def vocabulary() -> frozenset[str]:
    """The words that the English model was given as a whole: some twenty thousand."""
    text = resources.files("coindex").joinpath("models", "en-small", "tokenizer.json").read_text(encoding="utf-8")
    return frozenset(word for word in json.loads(text)["model"]["vocab"] if word.isalpha())
