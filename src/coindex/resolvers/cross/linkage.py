"""Average linkage: the two clusters whose members are most alike on average are joined, until none are alike enough.

Clusters may begin with several members, and some may be barred from each other. Of equal averages the pair that comes
first in reading order is joined first, so the result is always the same. `link_dense` takes a whole matrix and needs time
that grows with its size; `link_sparse` takes only the pairs that are known, the others count as unlike.
"""

from __future__ import annotations

import heapq

import numpy as np

from .collection import Flags, Floats, Ints

ROUNDING = 1e-9
"""Averages that differ by less are equal: sums depend on the order of adding."""


def link_dense(sums: Floats, sizes: Ints, threshold: float, barred: Flags | None = None) -> Ints:
    """The cluster of each row, as the number of its first row.

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
        row[averages[first] == -np.inf] = -np.inf  # itself, those that are gone, those that it is barred from
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
    """The same for known pairs alone, each given once: memory grows with their number."""
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
            continue  # what it was before one of them grew
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
    """The neighbours of the second become those of the first."""
    gone = sums[second]
    sums[second] = {}
    for near, value in gone.items():
        del sums[near][second]
        if near != first:
            sums[first][near] = sums[near][first] = sums[first].get(near, 0.0) + value
