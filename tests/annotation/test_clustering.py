"""Correlation clustering against every partition there is."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.annotation.voting import cluster
from partitions import partitions

Weights = dict[tuple[int, int], int]


def score(groups: list[list[int]], weights: Weights) -> int:
    return sum(weights[pair] for group in groups for pair in combinations(sorted(group), 2))


@st.composite
def graphs(draw: st.DrawFn, most: int = 6) -> tuple[int, Weights]:
    size = draw(st.integers(0, most))
    return size, {pair: draw(st.integers(-3, 3)) for pair in combinations(range(size), 2)}


def clustered(size: int, weights: Weights, most_exact: int) -> list[list[int]]:
    return cluster(size, lambda a, b: weights[min(a, b), max(a, b)], weights, most_exact=most_exact)


@settings(max_examples=60)
@given(graphs())
def test_small_components_are_solved_exactly(graph: tuple[int, Weights]) -> None:
    size, weights = graph
    found = clustered(size, weights, 12)
    assert sorted(thing for group in found for thing in group) == list(range(size))
    assert score(found, weights) == max(score(groups, weights) for groups in partitions(range(size)))


@settings(max_examples=60)
@given(graphs(9))
def test_large_components_are_improved_until_no_single_step_helps(graph: tuple[int, Weights]) -> None:
    size, weights = graph
    found = clustered(size, weights, 0)
    reached = score(found, weights)
    assert reached >= 0  # as good as to link nothing
    for one, other in combinations(range(len(found)), 2):
        joined = [group for at, group in enumerate(found) if at not in (one, other)] + [found[one] + found[other]]
        assert score(joined, weights) <= reached
    for thing in range(size):
        rest = [[each for each in group if each != thing] for group in found]
        for at in range(len(rest)):
            moved = [[*group, thing] if number == at else group for number, group in enumerate(rest)]
            assert score(moved, weights) <= reached
        assert score([*rest, [thing]], weights) <= reached


@settings(max_examples=60)
@given(graphs(9))
def test_the_same_weights_give_the_same_groups(graph: tuple[int, Weights]) -> None:
    size, weights = graph
    backwards = dict(reversed(weights.items()))
    assert clustered(size, weights, 0) == clustered(size, backwards, 0)
    assert clustered(size, weights, 12) == clustered(size, backwards, 12)


def test_a_wrong_link_between_two_groups_is_left_out() -> None:
    """Two triangles with one weak link between them, against which all other pairs speak."""
    weights = {pair: 2 if pair[0] // 3 == pair[1] // 3 else -1 for pair in combinations(range(6), 2)}
    weights[2, 3] = 1
    assert clustered(6, weights, 12) == clustered(6, weights, 0) == [[0, 1, 2], [3, 4, 5]]
