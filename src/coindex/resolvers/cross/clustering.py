"""Cluster mentions by average linkage on 1 - p; large components are clustered by samples of their members.

Average linkage joins the two clusters with the highest mean similarity until no mean reaches the threshold. Clusters
can start with several members, and pairs of clusters can be excluded. Ties are resolved in reading order, so that the
result is always the same. `link_dense` takes a complete matrix; `link_sparse` takes only known pairs and treats others
as dissimilar.

Two clusters whose mean reaches the threshold contain a pair that reaches it. So each connected component of such pairs
can be clustered separately, after its missing pairs have been scored. In components with more than `most` mentions, or
if there are too many missing pairs, missing pairs count as dissimilar. This gives pieces, which are then compared by
the pairs of SAMPLE evenly spaced members each, and joined by average linkage over these means until nothing changes.
Time and memory depend on the number of pairs, not on n².
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from .collection import Flags, Floats, Ints
from .neighbours import Pairs, PairScores, all_pairs, codes, distinct_pairs

ROUNDING = 1e-9
"""Averages that differ by less are equal, because sums depend on the order of addition."""


def link_dense(sums: Floats, sizes: Ints, threshold: float, barred: Flags | None = None) -> Ints:
    """Return the cluster of each row, as the index of its first row.

    `sums[i, j]` is the sum of the likenesses between the members of i and of j; no two `barred` rows are joined.
    """
    number = len(sizes)
    sums, weights = sums.astype(np.float64, copy=True), sizes.astype(np.float64)
    fixed = np.zeros(number, dtype=bool) if barred is None else barred.copy()
    labels = np.arange(number)
    averages = sums / np.outer(weights, weights)
    np.fill_diagonal(averages, -np.inf)
    averages[np.ix_(fixed, fixed)] = -np.inf
    averages = np.round(averages / ROUNDING) * ROUNDING
    best = averages.argmax(axis=1) if number else np.zeros(0, dtype=np.int64)
    heights = averages[np.arange(number), best]
    for _ in range(number - 1):
        first = int(heights.argmax())
        if not heights[first] >= threshold - ROUNDING:
            break
        second = int(best[first])
        first, second = min(first, second), max(first, second)
        labels[labels == second] = first
        sums[first] += sums[second]
        sums[:, first] += sums[:, second]
        weights[first] += weights[second]
        fixed[first] |= fixed[second]
        averages[second] = averages[:, second] = -np.inf
        heights[second] = -np.inf
        row = np.round(sums[first] / (weights[first] * weights) / ROUNDING) * ROUNDING
        row[averages[first] == -np.inf] = -np.inf  # itself, joined clusters, and excluded ones
        if fixed[first]:
            row[fixed] = -np.inf
        averages[first] = averages[:, first] = row
        better = (row > heights) | ((row == heights) & (first < best) & (row > -np.inf))
        stale = ((best == first) | (best == second)) & ~better & ((row < heights) | (best == second))
        stale &= heights > -np.inf
        best[better] = first
        heights[better] = row[better]
        stale[first] = True
        rows = np.flatnonzero(stale)
        best[rows] = averages[rows].argmax(axis=1)
        heights[rows] = averages[rows, best[rows]]
    return labels


def link_sparse(
    left: Ints, right: Ints, likeness: Floats, sizes: Ints, threshold: float, barred: Flags | None = None
) -> Ints:
    """Link as `link_dense` does, but only known pairs, each given once; memory depends on their number."""
    fixed = np.zeros(len(sizes), dtype=bool).tolist() if barred is None else barred.tolist()
    weight = sizes.tolist()
    sums: list[dict[int, float]] = [{} for _ in weight]
    for first, second, value in zip(left.tolist(), right.tolist(), likeness.tolist(), strict=True):
        sums[first][second] = sums[second][first] = sums[first].get(second, 0.0) + value
    heap = [
        (-_average(value, weight[first], weight[second]), first, second)
        for first, near in enumerate(sums)
        for second, value in near.items()
        if first < second
    ]
    heapq.heapify(heap)
    parent = list(range(len(weight)))
    while heap and -heap[0][0] >= threshold - ROUNDING:
        height, first, second = heapq.heappop(heap)
        if parent[first] != first or parent[second] != second or (fixed[first] and fixed[second]):
            continue
        if -height != _average(sums[first][second], weight[first], weight[second]):
            continue  # outdated: one of them has grown since
        _join(sums, first, second)
        parent[second] = first
        weight[first] += weight[second]
        fixed[first] = fixed[first] or fixed[second]
        for near, value in sums[first].items():
            average = _average(value, weight[first], weight[near])
            if average >= threshold - ROUNDING:
                heapq.heappush(heap, (-average, min(first, near), max(first, near)))
    for at in range(len(parent)):  # a parent always comes before its children
        parent[at] = parent[parent[at]]
    return np.array(parent, dtype=np.int64)


def _average(value: float, first: int, second: int) -> float:
    return round(value / (first * second) / ROUNDING) * ROUNDING


def _join(sums: list[dict[int, float]], first: int, second: int) -> None:
    """Merge the neighbours of the second cluster into those of the first."""
    gone = sums[second]
    sums[second] = {}
    for near, value in gone.items():
        del sums[near][second]
        if near != first:
            sums[first][near] = sums[near][first] = sums[first].get(near, 0.0) + value


SAMPLE = 8
ROUNDS = 10


def refine_labels(
    labels: Ints, is_fixed: Ints, partial: Ints, pairs: Pairs, threshold: float, score: PairScores
) -> Ints:
    """Join the pieces of these mentions, and return the labels; a label is the index of its first mention."""
    is_partial = np.zeros(len(labels), dtype=bool)
    is_partial[partial] = True
    strong = is_partial[pairs.left] & (pairs.probability >= threshold - ROUNDING)
    left, right = pairs.left[strong], pairs.right[strong]
    for _ in range(ROUNDS):
        first, second = distinct_pairs(labels[left], labels[right], len(labels))
        barred = (is_fixed[first] == 1) & (is_fixed[second] == 1)
        first, second = first[~barred], second[~barred]
        if not len(first):
            return labels
        means = _sample_scores(labels, first, second, score)
        names, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        sizes = np.bincount(labels, minlength=len(labels))[names]
        here, there = places[: len(first)], places[len(first) :]
        joined = link_sparse(here, there, means * sizes[here] * sizes[there], sizes, threshold, is_fixed[names] == 1)
        changed = names[joined] != names
        if not changed.any():
            return labels
        new = np.arange(len(labels))
        new[names] = names[joined]
        labels = new[labels]
        is_fixed = is_fixed.copy()
        is_fixed[names[joined][is_fixed[names] == 1]] = 1
    return labels


def _sample_scores(labels: Ints, left_labels: Ints, right_labels: Ints, score: PairScores) -> Floats:
    """Return the mean probabilities between samples of pairs of pieces."""
    order = np.argsort(labels, kind="stable")
    own = labels[order]
    pieces = np.unique(np.concatenate([left_labels, right_labels]))
    starts, ends = np.searchsorted(own, pieces), np.searchsorted(own, pieces, side="right")
    steps = (np.arange(SAMPLE) + 0.5) / SAMPLE
    # [pieces, SAMPLE]; members of small pieces are repeated, which hardly changes the mean
    members = order[(starts[:, None] + steps * (ends - starts)[:, None]).astype(np.int64)]
    first, second = members[np.searchsorted(pieces, left_labels)], members[np.searchsorted(pieces, right_labels)]
    left = np.repeat(first, SAMPLE, axis=1).ravel()
    right = np.tile(second, (1, SAMPLE)).ravel()
    number = len(labels)
    low, high = np.minimum(left, right), np.maximum(left, right)
    unique, place = np.unique(low * number + high, return_inverse=True)
    values = score(unique // number, unique % number)
    means: Floats = values[place].reshape(len(left_labels), -1).mean(axis=1)
    return means


SMALL = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """`threshold`: the least mean probability of a join. `most`: mentions of a component that is completed.

    `budget` is the number of missing pairs, for each mention of the collection, that are scored to complete components.
    Clusters of at most SMALL mentions have to be surer than others, since a few pairs are more often wrong than many:
    their mean has to be at least `small`, or they are given up.
    """

    threshold: float = 0.5
    small: float = 0.0
    most: int = 1000
    budget: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known before: mentions of one label stay together, and those of two `fixed` labels stay apart.

    A mention without one has the label -1.
    """

    together: Ints
    fixed: Ints


def cluster(
    number: int,
    pairs: Pairs,
    options: ClusterOptions,
    *,
    score: PairScores | None = None,
    known: Known | None = None,
    crowded: Flags | None = None,
) -> tuple[Ints, Pairs]:
    """Return the labels of mentions, numbered in reading order, and all pairs that were scored.

    Only small clusters of `crowded` mentions have to be surer than others; those of all where nothing is said.
    """
    if not number:
        return np.zeros(0, dtype=np.int64), pairs
    crowded = np.ones(number, dtype=bool) if crowded is None else crowded
    if known is not None and (known.fixed >= 0).any():
        return _cluster_active(number, pairs, options, score, known, crowded)
    return _cluster(number, pairs, options, score, known, crowded)


def _cluster_active(
    number: int, pairs: Pairs, options: ClusterOptions, score: PairScores | None, known: Known, crowded: Flags
) -> tuple[Ints, Pairs]:
    """Cluster without the mentions of fixed entities that are in no pair; they keep their entity."""
    active = known.fixed < 0
    active[pairs.left] = active[pairs.right] = True
    places = np.flatnonzero(active)
    inside = Pairs(np.searchsorted(places, pairs.left), np.searchsorted(places, pairs.right), pairs.probability)
    some = Known(together=known.together[places], fixed=known.fixed[places])
    own_score = None if score is None else lambda left, right: score(places[left], places[right])
    active_labels, looked_at = _cluster(len(places), inside, options, own_score, some, crowded[places])
    labels = np.full(number, -1)
    labels[places] = active_labels
    label_of = np.full(int(known.fixed.max()) + 1, -1)
    label_of[some.fixed[some.fixed >= 0]] = active_labels[some.fixed >= 0]
    unseen = np.flatnonzero(label_of < 0)
    label_of[unseen] = len(places) + np.arange(len(unseen))
    labels[~active] = label_of[known.fixed[~active]]
    whole = Pairs(places[looked_at.left], places[looked_at.right], looked_at.probability)
    return in_reading_order(labels), whole


def _cluster(
    number: int, pairs: Pairs, options: ClusterOptions, score: PairScores | None, known: Known | None, crowded: Flags
) -> tuple[Ints, Pairs]:
    groups, is_fixed = _groups(number, known)
    component = _components(groups, pairs, options.threshold)
    whole = np.zeros(0, dtype=np.int64)
    if score is not None:
        whole = _find_completable(component, options)
        pairs = _complete_pairs(pairs, np.where(np.isin(component, whole), component, -1), groups, is_fixed, score)
    labels = groups.copy()
    for members, own in _parts(component, groups, pairs):
        labels[members] = _link_members(members, own, groups, is_fixed, options)
    if score is not None:
        partial = np.flatnonzero(~np.isin(component, whole))
        labels = refine_labels(labels, is_fixed, partial, pairs, options.threshold, score)
    if options.small > options.threshold:
        labels = np.where(crowded, _split_unsure(labels, groups, pairs, options.small), labels)
    return in_reading_order(labels), pairs


def _split_unsure(labels: Ints, groups: Ints, pairs: Pairs, least: float) -> Ints:
    """Split small clusters whose pairs have too low a mean into their former groups."""
    apart = groups[pairs.left] != groups[pairs.right]
    same = apart & (labels[pairs.left] == labels[pairs.right])
    of = labels[pairs.left[same]]
    counts = np.bincount(of, minlength=len(labels))
    totals = np.bincount(of, weights=pairs.probability[same], minlength=len(labels))
    sizes = np.bincount(labels, minlength=len(labels))
    unsure = (counts > 0) & (sizes <= SMALL) & (totals < (least - ROUNDING) * counts)
    return np.where(unsure[labels], groups, labels)


def _groups(number: int, known: Known | None) -> tuple[Ints, Ints]:
    """Return the first mention of the initial group of each mention, and whether the group is fixed."""
    groups = np.arange(number)
    if known is None:
        return groups, np.zeros(number, dtype=np.int64)
    links = [_pair_neighbours(known.together), _pair_neighbours(known.fixed)]
    left, right = (np.concatenate(side) for side in zip(*links, strict=True))
    groups = _first_of(_connect(number, left, right))
    fixed = np.zeros(number, dtype=np.int64)
    fixed[groups[known.fixed >= 0]] = 1
    return groups, fixed[groups]


def _pair_neighbours(labels: Ints) -> tuple[Ints, Ints]:
    """Pair each mention of a label with the next one."""
    order = np.flatnonzero(labels >= 0)
    order = order[np.argsort(labels[order], kind="stable")]
    same = labels[order[1:]] == labels[order[:-1]]
    return order[:-1][same], order[1:][same]


def _connect(number: int, left: Ints, right: Ints) -> Ints:
    graph = csr_matrix((np.ones(len(left), dtype=np.int8), (left, right)), shape=(number, number))
    labels: Ints = connected_components(graph, directed=False)[1].astype(np.int64)
    return labels


def _first_of(labels: Ints) -> Ints:
    """Return the first index of each label."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse].astype(np.int64)


def _components(groups: Ints, pairs: Pairs, threshold: float) -> Ints:
    linked = pairs.probability >= threshold - ROUNDING
    own = np.arange(len(groups))
    left, right = np.concatenate([pairs.left[linked], groups]), np.concatenate([pairs.right[linked], own])
    return _first_of(_connect(len(groups), left, right))


def _find_completable(component: Ints, options: ClusterOptions) -> Ints:
    """Return the components that are scored completely, smallest first, up to a limit."""
    names, sizes = np.unique(component, return_counts=True)
    order = np.argsort(sizes, kind="stable")
    costs = np.cumsum(sizes[order] * (sizes[order] - 1) // 2)
    few = (costs <= options.budget * len(component) + options.most**2) & (sizes[order] <= options.most)
    return names[order][few].astype(np.int64)


def _complete_pairs(pairs: Pairs, component: Ints, groups: Ints, is_fixed: Ints, score: PairScores) -> Pairs:
    """Add the missing pairs of all components except -1."""
    left, right = all_pairs(component)
    free = (groups[left] != groups[right]) & ~((is_fixed[left] == 1) & (is_fixed[right] == 1))
    free &= ~np.isin(codes(left, right, len(groups)), codes(pairs.left, pairs.right, len(groups)))
    left, right = left[free], right[free]
    if not len(left):
        return pairs
    return pairs.join(Pairs(left, right, score(left, right)), len(groups))


def _parts(component: Ints, groups: Ints, pairs: Pairs) -> Iterator[tuple[Ints, Pairs]]:
    """Yield the mentions and pairs of each component with more than one group."""
    by_mention = np.argsort(component, kind="stable")
    inside = np.flatnonzero(component[pairs.left] == component[pairs.right])
    inside = inside[np.argsort(component[pairs.left[inside]], kind="stable")]
    names, starts = np.unique(component[by_mention], return_index=True)
    ends = np.append(starts[1:], len(component))
    of_pair = component[pairs.left[inside]]
    begins, stops = np.searchsorted(of_pair, names), np.searchsorted(of_pair, names, side="right")
    for start, end, begin, stop in zip(starts, ends, begins, stops, strict=True):
        if end - start > 1 and stop > begin:
            own = inside[begin:stop]
            yield by_mention[start:end], Pairs(pairs.left[own], pairs.right[own], pairs.probability[own])


def _link_members(members: Ints, pairs: Pairs, groups: Ints, is_fixed: Ints, options: ClusterOptions) -> Ints:
    """Return the label of each member: the first mention of its cluster."""
    firsts, place, sizes = np.unique(groups[members], return_inverse=True, return_counts=True)
    left, right = (place[np.searchsorted(members, side)] for side in (pairs.left, pairs.right))
    apart = left != right
    left, right, probability = left[apart], right[apart], pairs.probability[apart]
    barred = is_fixed[firsts] == 1
    sizes = sizes.astype(np.int64)
    if len(firsts) <= options.most:
        sums = np.zeros((len(firsts), len(firsts)))
        np.add.at(sums, (left, right), probability)
        joined = link_dense(sums + sums.T, sizes, options.threshold, barred)
    else:
        joined = link_sparse(left, right, probability, sizes, options.threshold, barred)
    return firsts[joined[place]].astype(np.int64)


def in_reading_order(labels: Ints) -> Ints:
    """Renumber labels as 0, 1, 2 … in order of appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[inverse].astype(np.int64)


def link_scores(labels: Ints, pairs: Pairs) -> Floats:
    """Return the mean probability of each mention's pairs within its cluster; 1 if there are none."""
    same = labels[pairs.left] == labels[pairs.right]
    ends = np.concatenate([pairs.left[same], pairs.right[same]])
    values = np.concatenate([pairs.probability[same]] * 2)
    counts = np.bincount(ends, minlength=len(labels))
    totals = np.bincount(ends, weights=values, minlength=len(labels))
    return np.where(counts > 0, totals / np.maximum(counts, 1), 1.0)
