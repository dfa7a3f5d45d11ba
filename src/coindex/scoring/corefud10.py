"""Match mentions like the CorefUD scorers 1.0 and 1.1 (CRAC 2022 and 2023): each mention has its own best partner.

The partner of a mention is the most similar matching mention of the other side, so several mentions may share one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .alignment import Alignment, count_links, count_overlap
from .corefud12 import inside_with_head
from .sides import Side
from .token_alignment import common_words

Pair = tuple[int, int]


def align_exact(key: Side, response: Side) -> Alignment:
    """Match mentions that have the same words."""
    return _align(key, response, lambda k, r: ((m, m) for m in k.cluster_of if m in r.cluster_of))


def align_partial(key: Side, response: Side) -> Alignment:
    """Match a response mention to a key mention that contains it if it includes the head of the key mention."""
    return _align(key, response, _partial_pairs)


def align_heads(key: Side, response: Side) -> Alignment:
    """Match mentions that have the same head."""
    return _align(key, response, _head_pairs)


def _partial_pairs(key: Side, response: Side) -> Iterable[Pair]:
    rows, columns = list(key.cluster_of), list(response.cluster_of)
    return ((rows[row], columns[column]) for row, column in inside_with_head(rows, columns, key))


def _head_pairs(key: Side, response: Side) -> Iterable[Pair]:
    by_head: dict[int, list[int]] = {}
    for mention in response.cluster_of:
        by_head.setdefault(response.head(mention), []).append(mention)
    return ((k, r) for k in key.cluster_of for r in by_head.get(key.head(k), ()))


def _align(key: Side, response: Side, pair: Callable[[Side, Side], Iterable[Pair]]) -> Alignment:
    of_key: dict[int, list[int]] = {}
    of_response: dict[int, list[int]] = {}
    for k, r in pair(key, response):
        of_key.setdefault(k, []).append(r)
        of_response.setdefault(r, []).append(k)
    best_of_key = {k: _most_similar(k, candidates, key) for k, candidates in of_key.items()}
    best_of_response = {r: _most_similar(r, candidates, key) for r, candidates in of_response.items()}
    members = response.clusters_with()

    def all_in_response(mention: int) -> Iterable[int]:
        return {cluster for other in of_key.get(mention, ()) for cluster in members[other]}

    return Alignment(
        key,
        response,
        count_links(key, {k: response.cluster_of[r] for k, r in best_of_key.items()}),
        count_links(response, {r: key.cluster_of[k] for r, k in best_of_response.items()}),
        count_overlap(key, all_in_response),
        best_of_key.get,
        frozenset(of_key),
        frozenset(of_response),
    )


def _most_similar(mention: int, candidates: list[int], side: Side) -> int:
    """Return the candidate with the smallest share of differing words; of equal ones the first in the text."""
    if len(candidates) == 1:
        return candidates[0]
    words = side.table.words
    mine = words[mention]

    def distance(other: int) -> tuple[float, int, int]:
        both = common_words(mine, words[other])
        either = len(mine) + len(words[other]) - both
        return (either - both) / either, words[other][0], words[other][-1]

    return min(candidates, key=distance)
