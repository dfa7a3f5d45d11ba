"""Match mentions like the CorefUD scorer 1.2 (CRAC 2024): one to one.

Zeros are matched first, by their relations in the enhanced graph, then equal mentions, then similar ones, always with
the greatest total weight. The rules, and the order of rows and columns on which ties depend, are those of the official
scorer.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

from .alignment import Alignment, count_links, count_overlap
from .assignment import assign
from .sides import Side, Zero
from .token_alignment import common_words, contains, is_inside

Pair = tuple[int, int]
Rows = list[dict[int, float]]


def align_exact(key: Side, response: Side, *, zeros_by_dependents: bool) -> Alignment:
    """Match mentions that are the same."""
    return _align(key, response, None, zeros_by_dependents=zeros_by_dependents)


def align_partial(key: Side, response: Side, *, zeros_by_dependents: bool) -> Alignment:
    """Match a response mention to a key mention that contains it if it includes the head of the key mention."""
    return _align(key, response, _weigh_partial, zeros_by_dependents=zeros_by_dependents)


def align_heads(key: Side, response: Side, *, zeros_by_dependents: bool) -> Alignment:
    """Match mentions that have the same head, preferring those with more words of the key in common."""
    return _align(key, response, _weigh_heads, zeros_by_dependents=zeros_by_dependents)


Weigh = Callable[[list[int], list[int], Side, Side], Rows]


def _align(key: Side, response: Side, weigh: Weigh | None, *, zeros_by_dependents: bool) -> Alignment:
    return _build_alignment(key, response, *find_pairs(key, response, weigh, zeros_by_dependents=zeros_by_dependents))


def find_pairs(
    key: Side, response: Side, weigh: Weigh | None, *, zeros_by_dependents: bool
) -> tuple[list[Pair], set[int]]:
    """Return the pairs of mentions that match, and the mentions that are the same on both sides."""
    pairs = pair_zeros(key, response) if zeros_by_dependents and key.zeros and response.zeros else []
    left_key = key.cluster_of.keys() - {k for k, _ in pairs}
    left_response = response.cluster_of.keys() - {r for _, r in pairs}
    same = left_key & left_response
    if weigh is not None:
        rows = key.table.in_order(left_key - same)
        columns = key.table.in_order(left_response - same)
        weights = weigh(rows, columns, key, response)
        pairs += [(rows[row], columns[column]) for row, column in assign(weights, len(columns))]
    return pairs, same


def pair_zeros(key: Side, response: Side) -> list[Pair]:
    """Pair the zeros of a sentence by their relations in the enhanced graph, whatever their positions."""
    rows = key.table.in_order(key.zeros)
    columns = key.table.in_order(response.zeros)
    by_sentence: dict[int, list[int]] = {}
    for column, mention in enumerate(columns):
        by_sentence.setdefault(response.zeros[mention].sentence, []).append(column)
    weights: Rows = []
    for mention in rows:
        zero = key.zeros[mention]
        line = {}
        for column in by_sentence.get(zero.sentence, ()):
            weight = _weigh_zeros(zero, response.zeros[columns[column]])
            if weight:
                line[column] = weight
        weights.append(line)
    return [(rows[row], columns[column]) for row, column in assign(weights, len(columns))]


def _weigh_zeros(key: Zero, response: Zero) -> float:
    return 10 * _f1(key.relations, response.relations) + _f1(key.parents, response.parents)


def _f1(key: frozenset[object], response: frozenset[object]) -> float:
    both = len(key & response)
    if not both:
        return 0.0
    recall, precision = both / len(key), both / len(response)
    return 2 * precision * recall / (precision + recall)


def _weigh_heads(rows: list[int], columns: list[int], key: Side, response: Side) -> Rows:
    by_head: dict[int, list[int]] = {}
    for column, mention in enumerate(columns):
        by_head.setdefault(response.head(mention), []).append(column)
    words = key.table.words
    weights: Rows = []
    for mention in rows:
        mine = words[mention]
        line = {}
        for column in by_head.get(key.head(mention), ()):
            line[column] = common_words(mine, words[columns[column]]) / len(mine)
        weights.append(line)
    return weights


def _weigh_partial(rows: list[int], columns: list[int], key: Side, response: Side) -> Rows:
    weights: Rows = [{} for _ in rows]
    for row, column in inside_with_head(rows, columns, key):
        weights[row][column] = len(key.table.words[columns[column]]) / len(key.table.words[rows[row]])
    return weights


def inside_with_head(rows: list[int], columns: list[int], key: Side) -> Iterable[Pair]:
    """Yield the indexes of pairs in which the response mention lies inside the key mention and includes its head."""
    words = key.table.words
    by_head = sorted((key.head(mention), row) for row, mention in enumerate(rows))
    heads = [head for head, _ in by_head]
    for column, mention in enumerate(columns):
        inner = words[mention]
        for index in range(bisect_left(heads, inner[0]), bisect_right(heads, inner[-1])):
            head, row = by_head[index]
            if is_inside(inner, words[rows[row]]) and contains(inner, head):
                yield row, column


def _build_alignment(key: Side, response: Side, pairs: list[Pair], same: set[int]) -> Alignment:
    """Build the alignment with the lookup of the official scorer: one dictionary for both directions.

    The second direction overwrites the first. As a result, a key mention without a partner that has the words of a
    matched response mention is looked up as that mention's partner, and may count as found by mistake.
    """
    other = {k: r for k, r in pairs if k != r}
    other.update({r: k for k, r in pairs if k != r})

    def partner(mention: int) -> int | None:
        return mention if mention in response.cluster_of else other.get(mention)

    key_table = count_links(key, _redirect(response.cluster_of, other))
    overlap = key_table
    if response.repeated:
        members = response.clusters_with()
        overlap = count_overlap(key, lambda mention: members.get(other.get(mention, mention), ()))
    return Alignment(
        key,
        response,
        key_table,
        count_links(response, _redirect(key.cluster_of, other)),
        overlap,
        partner,
        frozenset(same.union(k for k, _ in pairs)),
        frozenset(same.union(r for _, r in pairs)),
    )


def _redirect(cluster_of: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    """Return the entities of mentions when some mentions are looked up as another one."""
    redirected = cluster_of | {mention: cluster_of[name] for mention, name in other.items() if name in cluster_of}
    for mention, name in other.items():
        if name not in cluster_of:
            redirected.pop(mention, None)
    return redirected
