"""Assessing an annotator: by the one scorer, against a mark, and beside the key."""

from __future__ import annotations

import pytest

from coindex.annotation.assessment import ASSESSED_BY, Standard, assess, feedback
from coindex.document import Document
from coindex.document.edits import add_mention, insert_zero
from coindex.errors import CoindexError


def text() -> Document:
    return Document.from_text("Ann saw a bird. She fed it. It sang.")


def key() -> Document:
    doc = text()
    for entity, places in {"ann": [[0], [5]], "bird": [[2, 3], [7], [9]]}.items():
        for place in places:
            doc = add_mention(doc, place, entity=entity)
    return doc


def half() -> Document:
    """All of Ann, nothing of the bird."""
    return add_mention(add_mention(text(), [0], entity="x"), [5], entity="x")


@pytest.mark.parametrize("metric", ASSESSED_BY)
def test_the_key_itself_passes_by_every_metric(metric: str) -> None:
    outcome = assess(key(), key(), Standard(metric, 1.0))
    assert (outcome.score, outcome.is_passed) == (1.0, True)


@pytest.mark.parametrize("metric", ASSESSED_BY)
def test_nothing_passes_by_no_metric(metric: str) -> None:
    outcome = assess(key(), text(), Standard(metric, 0.01))
    assert (outcome.score, outcome.is_passed) == (0.0, False)


def test_half_of_it_is_scored_and_kept_with_its_signature() -> None:
    outcome = assess(key(), half(), Standard("mentions", 0.5))
    found = 2 / 5
    assert outcome.score == pytest.approx(2 * found * 1 / (found + 1))
    assert outcome.is_passed
    kept = outcome.to_json()
    assert kept["metric"] == "mentions"
    assert kept["mark"] == 0.5
    assert kept["metrics"]["mentions"]["recall"] == pytest.approx(found)
    assert "match:exact" in kept["signature"]


def test_a_mark_is_reached_by_exactly_it() -> None:
    score = assess(key(), half(), Standard("b3")).score
    assert assess(key(), half(), Standard("b3", score)).is_passed
    assert not assess(key(), half(), Standard("b3", score + 1e-6)).is_passed


def test_feedback_names_every_difference() -> None:
    found = feedback(key(), half())
    assert found.names == ("key", "answer")
    assert [difference.kind for difference in found.differences] == ["mention"] * 3


def test_a_zero_that_only_one_has_is_a_difference_and_no_error() -> None:
    with_zero = insert_zero(text(), after=5)
    answer = add_mention(with_zero, sorted(with_zero.tokens.empty_positions), entity="x")
    assert assess(key(), answer, Standard()).score < 1
    assert len(feedback(key(), answer).differences) == 6


@pytest.mark.parametrize("mark", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_mark_that_makes_no_sense_is_refused(mark: float) -> None:
    with pytest.raises(CoindexError, match="expected 0 to 1"):
        Standard("conll", mark)


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(CoindexError, match=r"unknown metric 'b4'"):
        Standard("b4")
