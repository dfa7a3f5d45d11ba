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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from .collection import Flags, Floats, Ints
from .neighbours import Pairs, PairScores, PairTable, all_pairs, codes, distinct_pairs, ranges

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
        (-average, first, second)
        for first, near in enumerate(sums)
        for second, value in near.items()
        if first < second and (average := _average(value, weight[first], weight[second])) >= threshold - ROUNDING
    ]
    heapq.heapify(heap)
    parent = list(range(len(weight)))
    while heap:  # the average of a join is at most the higher one of its parts
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


def refine_labels(labels: Ints, is_fixed: Ints, strong: tuple[Ints, Ints], threshold: float, score: PairScores) -> Ints:
    """Join the pieces that `strong` pairs connect, and return the labels; a label is the index of its first mention."""
    left, right = strong
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
BATCH = 1 << 18
"""Number of pairs in a batch of components, except in batches of one component."""


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


Batch = tuple[Ints, bool]
"""The mentions of some components, and whether their missing pairs are scored."""
Clustered = tuple[Ints, Floats]
"""The label and the score of each mention: the mean probability of its pairs within its cluster, or 1."""


@dataclass(frozen=True, eq=False)
class ComponentLinker:
    """Clusters components of mentions, each of them on its own."""

    table: PairTable
    component: Ints
    groups: Ints
    is_fixed: Ints
    crowded: Flags
    options: ClusterOptions
    score: PairScores | None

    def __call__(self, batch: Batch) -> Clustered:
        """Return the labels of the mentions of some components, and their scores."""
        members, is_complete = batch
        component, is_fixed = self.component[members], self.is_fixed[members]
        groups = np.searchsorted(members, self.groups[members])
        known = self.table.pairs_of(members)
        inside = self.component[known.left] == self.component[known.right]
        left, right = (np.searchsorted(members, side[inside]) for side in (known.left, known.right))
        pairs = Pairs(left, right, known.probability[inside])
        if is_complete and (score := self.score) is not None:
            pairs = _complete_pairs(
                pairs, component, groups, is_fixed, lambda left, right: score(members[left], members[right])
            )
        labels = groups.copy()
        for own_members, own_pairs in _parts(component, pairs):
            labels[own_members] = _link_members(own_members, own_pairs, groups, is_fixed, self.options)
        if self.score is None or is_complete:
            labels, scores = finish_labels(labels, groups, pairs, self.crowded[members], self.options)
        else:
            scores = np.ones(len(labels))  # they are computed when the pieces have been joined
        return members[labels], scores


def cluster(
    number: int,
    pairs: Pairs,
    options: ClusterOptions,
    *,
    score: PairScores | None = None,
    known: Known | None = None,
    crowded: Flags | None = None,
) -> Clustered:
    """Return the labels of mentions, numbered in reading order, and their scores.

    Only small clusters of `crowded` mentions have to be surer than others; those of all where nothing is said.
    """
    counts = np.bincount(pairs.left, minlength=number).astype(np.int64)
    table = PairTable.of(counts, pairs.right.astype(np.int32), pairs.probability)
    clustering = Clustering(table, options, score=score, known=known, crowded=crowded)
    return clustering.finish(map(clustering.linker, clustering.batches))


class Clustering:
    """Clusters as `cluster` does, in steps: `linker` is applied to all `batches`, in any process, then `finish`.

    Mentions of fixed entities that are in no pair are inactive: they keep their entity.
    """

    def __init__(
        self,
        table: PairTable,
        options: ClusterOptions,
        *,
        score: PairScores | None = None,
        known: Known | None = None,
        crowded: Flags | None = None,
    ) -> None:
        number = table.number
        crowded = np.ones(number, dtype=bool) if crowded is None else crowded
        self.fixed = np.full(number, -1) if known is None else known.fixed
        self.active = np.ones(number, dtype=bool)
        if known is not None and (self.fixed >= 0).any():
            self.active = (self.fixed < 0) | (np.diff(table.starts) > 0)
            self.active[table.right] = True
            together, fixed = (np.where(self.active, side, -1) for side in (known.together, known.fixed))
            known = Known(together=together, fixed=fixed)
        groups, is_fixed = _groups(number, known)
        component = _components(groups, table, options.threshold)
        whole = np.zeros(0, dtype=np.int64) if score is None else _find_completable(component[self.active], options)
        self.linker = ComponentLinker(table, component, groups, is_fixed, crowded, options, score)
        self.batches: list[Batch] = list(_batches(component, whole))

    def finish(self, results: Iterable[Clustered], score_samples: PairScores | None = None) -> Clustered:
        """Return the labels and scores, given the results of all batches.

        `score_samples` scores the samples of large components, by default as other pairs are scored.
        """
        linker = self.linker
        labels, scores = linker.groups.copy(), np.ones(len(linker.groups))
        for (members, _), (own_labels, own_scores) in zip(self.batches, results, strict=True):
            labels[members], scores[members] = own_labels, own_scores
        large = [members for members, is_complete in self.batches if not is_complete]
        score = score_samples or linker.score
        if score is not None and large:
            members = np.sort(np.concatenate(large))
            pairs, threshold = linker.table.pairs_of(members), linker.options.threshold
            strong = pairs.probability >= threshold - ROUNDING
            links = pairs.left[strong], pairs.right[strong]
            labels = refine_labels(labels, linker.is_fixed, links, threshold, score)
            finished = finish_labels(labels, linker.groups, pairs, linker.crowded, linker.options)
            labels[members], scores[members] = (part[members] for part in finished)
        if not self.active.all():
            labels = _add_inactive(labels, self.active, self.fixed)
        return in_reading_order(labels), scores


def _add_inactive(labels: Ints, active: Flags, fixed: Ints) -> Ints:
    """Return the labels with the inactive mentions in the clusters of their entities."""
    label_of = np.full(int(fixed.max()) + 1, -1)
    inactive = np.flatnonzero(~active)
    label_of[fixed[inactive[::-1]]] = inactive[::-1]
    shown = active & (fixed >= 0)
    label_of[fixed[shown]] = labels[shown]
    return np.where(active, labels, label_of[fixed])


def finish_labels(labels: Ints, groups: Ints, pairs: Pairs, crowded: Flags, options: ClusterOptions) -> Clustered:
    """Split small clusters that are not sure enough, and return the labels and scores."""
    if options.small > options.threshold:
        labels = np.where(crowded, _split_unsure(labels, groups, pairs, options.small), labels)
    return labels, link_scores(labels, pairs)


def _batches(component: Ints, whole: Ints) -> Iterator[Batch]:
    """Yield the components with several mentions: those that are completed in batches, larger ones one by one.

    Batches depend on the components alone, so that results do not depend on who computes them.
    """
    order = np.argsort(component, kind="stable")
    names, starts, sizes = np.unique(component[order], return_index=True, return_counts=True)
    several = sizes > 1
    names, starts, sizes = names[several], starts[several], sizes[several]
    is_whole = np.isin(names, whole)
    costs = np.cumsum(np.where(is_whole, sizes * (sizes - 1) // 2, 0))
    number = costs // BATCH
    for batch in np.unique(number[is_whole]):
        own = is_whole & (number == batch)
        places, _ = ranges(starts[own], sizes[own])
        yield np.sort(order[places]), True
    for start, size in zip(starts[~is_whole].tolist(), sizes[~is_whole].tolist(), strict=True):
        yield order[start : start + size], False


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


def _components(groups: Ints, table: PairTable, threshold: float) -> Ints:
    """Return the first mention of the component of each mention."""
    if not len(groups):
        return groups
    linked = table.probability >= threshold - ROUNDING
    before = np.append(0, np.cumsum(linked))
    graph = csr_matrix(
        (np.ones(int(before[-1]), dtype=np.int8), table.right[linked], before[table.starts]), shape=(len(groups),) * 2
    )
    own = np.arange(len(groups))
    if (groups != own).any():
        graph = graph + csr_matrix((np.ones(len(own), dtype=np.int8), (groups, own)), shape=graph.shape)
    return _first_of(connected_components(graph, directed=False)[1].astype(np.int64))


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


def _parts(component: Ints, pairs: Pairs) -> Iterator[tuple[Ints, Pairs]]:
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
