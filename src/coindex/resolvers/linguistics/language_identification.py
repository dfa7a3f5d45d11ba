"""The language of a text, by py3langid: to warn of a text that a model was not trained for.

The identifier takes half a second and 100 MB to load, so a text that is plainly in the expected language, by its share
of closed-class words, is not shown to it. A language is reported only where it is clear: a probability of 0.9, or of
0.5 where the closed-class words agree, of a text with enough letters. `python -m benchmarks language` measures both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, NamedTuple

from ...document import Document
from ...errors import MissingPackageError
from .languages import LEAST_WORDS, SAMPLE, closed_class_shares, guess

CLEAR = 0.9
SUPPORTED = 0.5
"""The probability that is enough where the most frequent closed-class words are of the same language."""
LEAST_BYTES = 20
"""Letters in UTF-8: twenty Latin letters, ten Cyrillic, or seven Chinese or Korean characters."""
PLAIN = 0.2
"""The share of closed-class words from which on a text is plainly in a language, if no other has half as many."""
UNCLEAR = ("zxx", "pcm")
"""No language at all (code, numbers), and Nigerian Pidgin, which lists of English names are taken for."""

ALIKE = {
    **dict.fromkeys(("ary", "arz"), "ar"),
    **dict.fromkeys(("ext", "an"), "es"),
    **dict.fromkeys(("wuu", "yue"), "zh"),
    "bs": "hr",
    "ms": "id",
    "nn": "no",
}
"""Varieties that the identifier cannot tell apart in short texts: their probabilities are added."""


class Identified(NamedTuple):
    """A language, with the probability of it."""

    code: str
    probability: float


def other_language(doc: Document, expected: Collection[str]) -> Identified | None:
    """Return the language of a document whose text is clearly in none of the `expected` ones (ISO 639-1 codes).

    None where it is in one of them, and where the text is too short or too odd for a clear answer.
    """
    forms = doc.tokens.forms[:SAMPLE]
    if _is_plain(forms, expected):
        return None
    found = identify(forms)
    return None if found is None or found.code in expected else found


def identify(forms: Sequence[str]) -> Identified | None:
    """Return the language of words in their order, None where it is not clear."""
    letters = "".join(char for form in forms for char in form if char.isalpha())
    if len(letters.encode()) < LEAST_BYTES:
        return None
    ranked: Counter[str] = Counter()
    for code, share in _identifier().rank(" ".join(forms)):
        ranked[ALIKE.get(code, code)] += share
    ((code, probability),) = ranked.most_common(1)
    if code in UNCLEAR or probability < SUPPORTED:
        return None
    if probability < CLEAR and guess(forms) != code:
        return None
    return Identified(code, min(float(probability), 1.0))


def _is_plain(forms: Sequence[str], expected: Collection[str]) -> bool:
    shares = closed_class_shares(forms)
    first, second = sorted(shares, key=lambda code: -shares[code])[:2]
    enough = shares[first] >= PLAIN and shares[first] * len(forms) >= LEAST_WORDS
    return first in expected and enough and shares[first] >= 2 * shares[second]


@cache
def _identifier() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise MissingPackageError("py3langid") from error
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
