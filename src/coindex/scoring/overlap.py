"""Matching by overlap (ARE 2007, section 3.3.3, after Cristea and Postolache 2006): shared words over the longer.

The paper has "the length in words of the string resulting from the overlap of E1 and E2, if this overlap is possible".
Entities are places in the text (tasks 3 and 4 name them by nodes), so the overlap is that of places: the words that
both have, not words that look alike. So "the government of Zair" and "the government" inside it overlap by 2 / 4, and
"Zair's government" elsewhere in the text by 0, as the paper says. By look, the latter would have *Zair* or
*government* in common.

As a matching, a mention has at most one partner, and the pairs are those of greatest total overlap. To pair equal
mentions first takes nothing from the total: one minus the overlap is a distance that keeps the triangle inequality.
Among equal totals the order in the text decides, as `assignment` has it. Metrics count such a pair as any other; only
the metrics of the ARE profiles count it by its overlap (`are`, `weighted_muc`).
"""

from __future__ import annotations

from dataclasses import replace

from .alignment import Alignment, align_pairs
from .corefud12 import Rows, find_pairs
from .metrics.mor import shared_words
from .sides import Side
from .token_alignment import Words, common_words


def overlap(one: Words, other: Words) -> float:
    """Shared words over the words of the longer.

    >>> overlap((0, 1, 2, 3), (0, 1)), overlap((0, 1, 2, 3), (6, 7))
    (0.5, 0.0)
    """
    return common_words(one, other) / max(len(one), len(other))


def align_overlap(key: Side, response: Side, *, zeros_by_dependents: bool) -> Alignment:
    """Mentions match that share words, so that all pairs together overlap most."""
    pairs, same = find_pairs(key, response, _weigh, zeros_by_dependents=zeros_by_dependents)
    return replace(align_pairs(key, response, [*pairs, *((m, m) for m in same)]), weighted=True)


def _weigh(rows: list[int], columns: list[int], key: Side, response: Side) -> Rows:
    words = key.table.words
    theirs = [words[mention] for mention in columns]
    return [
        {column: overlap(words[mention], theirs[column]) for column in shared}
        for mention, shared in zip(rows, shared_words([words[mention] for mention in rows], theirs), strict=True)
    ]
