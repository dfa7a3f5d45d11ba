"""Counts add, and become scores in one place."""

import pytest

from coindex.scoring import Counts, Score


def test_counts_add() -> None:
    assert Counts((1, 2, 1, 4)) + Counts((0, 2, 0, 1)) == Counts((1, 4, 1, 5))


def test_counts_of_different_metrics_do_not_add() -> None:
    with pytest.raises(ValueError, match="zip"):
        Counts((1, 2, 1, 4)) + Counts((1, 2, 1, 4, 0, 0, 0, 0))


def test_total_does_not_depend_on_order() -> None:
    many = [Counts((0.1, 1, 1e17, 1)), Counts((0.2, 1, 1.0, 1)), Counts((0.3, 1, -1e17, 1))]
    assert Counts.total(many) == Counts.total(reversed(many)) == Counts((0.6, 3, 1.0, 3))


def test_total_of_nothing_has_all_parts() -> None:
    assert Counts.total([], parts=2) == Counts((0.0,) * 8)


def test_score() -> None:
    score = Score.from_counts(1, 2, 1, 4)
    assert (score.recall, score.precision, score.f1) == (1 / 2, 1 / 4, 2 * (1 / 2) * (1 / 4) / (1 / 2 + 1 / 4))


@pytest.mark.parametrize("values", [(0, 0, 0, 0), (0, 3, 0, 0), (0, 3, 0, 2)])
def test_nothing_found_is_zero(values: tuple[float, ...]) -> None:
    assert Score.from_counts(*values) == Score(0.0, 0.0, 0.0)


def test_score_as_text() -> None:
    assert str(Score(0.5, 0.25, 1 / 3)) == "R 50.00%  P 25.00%  F1 33.33%"
