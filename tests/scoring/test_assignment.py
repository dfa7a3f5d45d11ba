"""The sparse assignment gives the pairs that scipy gives for the full matrix, ties included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from coindex.scoring.assignment import assign, best_total

WEIGHTS = st.sampled_from(
    [1.0, 0.5, 1 / 3, 2 / 3, 0.2, 0.9, 0.75, 5 / 12, 11.0, 10 * (2 / 3) + 1, 10 * (2 / 3) + 2 / 3]
)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[dict[int, float]], int]:
    width = draw(st.integers(1, 12))
    row = st.dictionaries(st.integers(0, width - 1), WEIGHTS, max_size=4)
    return draw(st.lists(row, min_size=1, max_size=12)), width


def by_scipy(rows: list[dict[int, float]], width: int) -> list[tuple[int, int]]:
    matrix = np.zeros((len(rows), width))
    for number, row in enumerate(rows):
        for column, weight in row.items():
            matrix[number, column] = -weight
    found = zip(*linear_sum_assignment(matrix), strict=True)
    return [(int(row), int(column)) for row, column in found if matrix[row, column] < 0]


@settings(max_examples=400, deadline=None)
@given(matrices())
def test_same_pairs_as_scipy(matrix: tuple[list[dict[int, float]], int]) -> None:
    assert assign(*matrix) == by_scipy(*matrix)


@settings(max_examples=200, deadline=None)
@given(matrices())
def test_best_total_is_the_maximum(matrix: tuple[list[dict[int, float]], int]) -> None:
    rows, _ = matrix
    assert best_total(rows) == pytest.approx(sum(rows[row][column] for row, column in by_scipy(*matrix)))


@pytest.mark.parametrize(("unrelated", "chosen"), [(0, 0), (1, 1), (2, 0)])
def test_unrelated_rows_move_ties(unrelated: int, chosen: int) -> None:
    """One row with two equal columns takes the first, but a row without weights before it moves the choice."""
    rows: list[dict[int, float]] = [{}] * unrelated + [{0: 1.0, 1: 1.0}]
    assert assign(rows, 2) == by_scipy(rows, 2) == [(unrelated, chosen)]


def test_the_sum_decides_not_the_best_pair() -> None:
    """0.9 + 0.25 < 0.75 + 0.5."""
    assert assign([{0: 0.9, 1: 0.5}, {0: 0.75, 1: 0.25}], 2) == [(0, 1), (1, 0)]


def test_nothing_to_assign() -> None:
    assert assign([], 3) == []
    assert assign([{}], 0) == []
    assert best_total([]) == 0


def test_large_and_sparse() -> None:
    """As many rows as a book has mentions, without the matrix of 20,000 x 20,000."""
    rows = [{number: 1.0, (number + 1) % 20_000: 1.0} for number in range(20_000)]
    assert best_total(rows) == 20_000
