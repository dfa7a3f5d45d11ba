"""A pair scorer that nobody trained: heads, words, arguments and documents weighed by hand.

The weights were set with a view to the training topics of ECB+. It stands in where there is no trained scorer, and is
the baseline that a trained one has to beat.
"""

from __future__ import annotations

import numpy as np

from ...document import Kind
from .scorer import Logistic

EVENT = {
    "head": 1.0,
    "head_trigrams": 2.0,
    "words": 1.5,
    "head_inside": 1.0,
    "numbers_differ": -2.0,
    "pronouns": -1.0,
    "arguments": 1.0,
    "argument_before": 0.5,
    "argument_after": 0.5,
    "window": 2.0,
    "document": 3.0,
    "same_sentence": -2.0,
    "nested": -4.0,
    "chain": 3.0,
}
ENTITY = {
    "head": 0.8,
    "head_trigrams": 1.5,
    "words": 3.0,
    "head_inside": 0.7,
    "numbers_differ": -2.0,
    "pronouns": -2.0,
    "argument_before": 0.2,
    "argument_after": 0.6,
    "window": 1.0,
    "document": 2.0,
    "same_sentence": -1.6,
    "nested": -4.0,
    "chain": 4.0,
    "chain_words": 1.0,
}


def lexical_scorers() -> dict[Kind, Logistic]:
    """By kind."""
    return {"event": _scorer(EVENT, bias=-5.5, threshold=0.4), "entity": _scorer(ENTITY, bias=-4.4, threshold=0.4)}


def _scorer(weights: dict[str, float], bias: float, threshold: float) -> Logistic:
    return Logistic(tuple(weights), np.array(list(weights.values())), bias, threshold)
