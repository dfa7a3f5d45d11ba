"""MOR, the mention overlap ratio (CRAC 2022): how many words mentions share, whatever entity they belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from ..alignment import Alignment, Counts
from ..assignment import best_total
from ..token_alignment import Words, common_words
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """The words in common under the one-to-one pairing of mentions that has most of them."""
    key, response = alignment.key, alignment.response
    spans = key.spans(chain.from_iterable(key.clusters))
    other_spans = response.spans(chain.from_iterable(response.clusters))
    totals = sum(map(len, spans)), sum(map(len, other_spans))
    # Pairing equal mentions first loses nothing: |a & x| + |a & y| <= |a| + |x & y|.
    mine, theirs = Counter(spans), Counter(other_spans)
    left, other_left = sorted((mine - theirs).elements()), sorted((theirs - mine).elements())
    common = totals[0] - sum(map(len, left)) + round(best_total(shared_words(left, other_left)))
    return Counts((common, totals[0], common, totals[1]))


def shared_words(key: list[Words], response: list[Words]) -> Iterator[dict[int, float]]:
    """For each key mention, the response mentions that share words with it; both lists are in reading order."""
    open_ones: list[int] = []
    following = 0
    for words in key:
        while following < len(response) and response[following][0] <= words[-1]:
            open_ones.append(following)
            following += 1
        open_ones = [other for other in open_ones if response[other][-1] >= words[0]]
        shared = ((other, common_words(words, response[other])) for other in open_ones)
        yield {other: n for other, n in shared if n}


METRIC = Metric("mor", "MOR", count)
