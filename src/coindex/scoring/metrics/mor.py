"""MOR, the mention overlap ratio (CRAC 2022): the words that mentions share, whatever their entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from ..alignment import Alignment, Counts
from ..assignment import best_total
from ..token_alignment import Words, common_words
from ..ua import UAAlignment
from .registry import Metric


def count(alignment: Alignment) -> Counts:
    """Count the common words of the one-to-one pairing of mentions with the most common words."""
    key, response = alignment.key, alignment.response
    spans = key.spans(chain.from_iterable(key.clusters))
    other_spans = response.spans(chain.from_iterable(response.clusters))
    totals = sum(map(len, spans)), sum(map(len, other_spans))
    # Pairing equal mentions first loses nothing: |a & x| + |a & y| <= |a| + |x & y|.
    mine, theirs = Counter(spans), Counter(other_spans)
    left, other_left = sorted((mine - theirs).elements()), sorted((theirs - mine).elements())
    common = totals[0] - sum(map(len, left)) + round(best_total(find_shared_words(left, other_left)))
    return Counts((common, totals[0], common, totals[1]))


def find_shared_words(key: list[Words], response: list[Words]) -> Iterator[dict[int, float]]:
    """Yield for each key mention the response mentions that share words with it; both lists are in reading order."""
    active: list[int] = []
    following = 0
    for words in key:
        while following < len(response) and response[following][0] <= words[-1]:
            active.append(following)
            following += 1
        active = [other for other in active if response[other][-1] >= words[0]]
        shared = ((other, common_words(words, response[other])) for other in active)
        yield {other: n for other, n in shared if n}


def count_matched(alignment: Alignment) -> Counts:
    """Count the common words of mentions that match, each mention once, as in the Universal Anaphora scorer 2."""
    key, response = alignment.key, alignment.response
    words = key.table.words
    other = alignment.other if isinstance(alignment, UAAlignment) else {}
    counts = []
    for side, against in ((key, response), (response, key)):
        pairs = [(mention, other.get(mention, mention)) for mention in side.cluster_of]
        found = (pair for pair in pairs if pair[1] in against.cluster_of)
        counts.append(sum(common_words(words[a], words[b]) if a != b else len(words[a]) for a, b in found))
        counts.append(sum(len(words[mention]) for mention, _ in pairs))
    return Counts(tuple(counts))


METRIC = Metric("mor", "MOR", count)
UA_METRIC = Metric("mor", "MOR", count_matched)
