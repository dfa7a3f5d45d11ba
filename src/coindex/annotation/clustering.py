"""Correlation clustering: the groups that agree best with weights between things, for and against.

The score of a partition is the sum of the weights inside its groups. Things that no chain of positive weights connects
are never in one group of a best partition, so each connected component is solved by itself: by looking at every
partition where it is small, else by joining and moving as long as that improves the score. No randomness: the same
weights give the same groups.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence

from ..document.disjoint_sets import Groups

Weight = Callable[[int, int], int]
"""What it is worth to have two things in one group; symmetric. Integers, so that a tie is a tie."""
Weights = dict[int, dict[int, int]]
Partition = list[list[int]]

MOST_EXACT = 12
"""The size up to which a component is solved exactly; the work grows as 3 to that power."""


def cluster(size: int, weight: Weight, likely: Iterable[tuple[int, int]], *, most_exact: int = MOST_EXACT) -> Partition:
    """The best groups of the things 0 … size - 1, exact where components have at most `most_exact` things.

    `likely` has every pair whose weight may be positive.

    >>> cluster(3, lambda one, other: 1 if {one, other} == {0, 2} else -1, [(0, 2), (1, 2)])
    [[0, 2], [1]]
    """
    joined = Groups(range(size))
    for one, other in likely:
        if weight(one, other) > 0:
            joined.join(one, other)
    found: Partition = []
    for component in joined:
        solve = best_partition if len(component) <= most_exact else improved_partition
        found += solve(sorted(component), weight)
    return sorted(sorted(group) for group in found)


def best_partition(things: Sequence[int], weight: Weight) -> Partition:
    """The best of all partitions: for each set of things the best group with its first thing, and the best rest."""
    full = 1 << len(things)
    inside = _inside(things, weight)
    best = [0] * full
    group_of = [0] * full
    for chosen in range(1, full):
        first = chosen & -chosen
        rest = part = chosen ^ first
        score, group = inside[first] + best[rest], first
        while part:
            other = inside[part | first] + best[rest ^ part]
            if other > score:
                score, group = other, part | first
            part = (part - 1) & rest
        best[chosen], group_of[chosen] = score, group
    left, found = full - 1, []
    while left:
        group = group_of[left]
        found.append([thing for at, thing in enumerate(things) if group >> at & 1])
        left ^= group
    return found


def _inside(things: Sequence[int], weight: Weight) -> list[int]:
    """For each set of things, as bits, the sum of the weights in it."""
    sums = [0] * (1 << len(things))
    for top, thing in enumerate(things):
        row = [weight(thing, other) for other in things[:top]]
        with_top = [0] * (1 << top)
        for chosen in range(1, 1 << top):
            low = (chosen & -chosen).bit_length() - 1
            with_top[chosen] = with_top[chosen & (chosen - 1)] + row[low]
        for chosen in range(1 << top):
            sums[chosen | 1 << top] = sums[chosen] + with_top[chosen]
    return sums


def improved_partition(things: Sequence[int], weight: Weight) -> Partition:
    """A good partition: groups are joined, then things are moved, then groups joined again, while the score grows."""
    weights = {thing: {other: weight(thing, other) for other in things if other != thing} for thing in things}
    groups: Partition = [[thing] for thing in things]
    while True:
        groups = _joined(groups, weights)
        groups, moved = _moved(groups, weights)
        if not moved:
            return groups


def _joined(groups: Partition, weights: Weights) -> Partition:
    """Always the two groups that gain most are joined, the first of equal ones, until none gain anything."""
    links: list[dict[int, int]] = [{} for _ in groups]
    for at, group in enumerate(groups):
        for before in range(at):
            gain = sum(weights[one][other] for one in group for other in groups[before])
            links[at][before] = links[before][at] = gain
    heap = [(-gain, before, at) for at, row in enumerate(links) for before, gain in row.items() if before < at]
    heap = [entry for entry in heap if entry[0] < 0]
    heapq.heapify(heap)
    members = [list(group) for group in groups]
    while heap:
        gain, keep, gone = heapq.heappop(heap)
        if not members[keep] or not members[gone] or links[keep].get(gone) != -gain:
            continue  # one of the two has changed since
        members[keep] += members[gone]
        members[gone] = []
        del links[keep][gone]
        for other, more in links[gone].items():
            if other == keep:
                continue
            del links[other][gone]
            links[keep][other] = links[other][keep] = links[keep][other] + more
            if links[keep][other] > 0:
                heapq.heappush(heap, (-links[keep][other], min(keep, other), max(keep, other)))
    return [group for group in members if group]


def _moved(groups: Partition, weights: Weights) -> tuple[Partition, bool]:
    """Each thing goes to the group where it gains most, or to one of its own, until none wants to move."""
    group_of = {thing: number for number, group in enumerate(groups) for thing in group}
    things = sorted(group_of)
    free = len(groups)
    ever = False
    moving = True
    while moving:
        moving = False
        for thing in things:
            here = group_of[thing]
            gains = {here: 0}
            for other, weight in weights[thing].items():
                gains[group_of[other]] = gains.get(group_of[other], 0) + weight
            best = max(gains, key=lambda group: (gains[group], group == here, -group))
            if gains[best] < 0:
                best, free = free, free + 1
                gains[best] = 0
            if best != here and gains[best] > gains[here]:
                group_of[thing] = best
                moving = ever = True
    found: dict[int, list[int]] = {}
    for thing in things:
        found.setdefault(group_of[thing], []).append(thing)
    return list(found.values()), ever
