"""Losses whose values are worked out by hand."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from coindex.resolvers.neural.detection import NO_TARGET  # noqa: E402 - after the check for torch
from coindex.training.neural.network import NOTHING, align_spans, detection_loss, link_loss  # noqa: E402


def ints(*values):
    return np.array(values, dtype=np.int64)


def test_all_gold_antecedents_share_the_probability():
    scores = torch.log(torch.tensor([3.0, 2.0, 1.0]))  # (1, 0), (2, 0), (2, 1)
    loss = link_loss(scores, torch.zeros(3), ints(1, 2, 2), ints(0, 0, 1), ints(7, 7, 7))
    # mention 0 is new for sure, 1 has 3/(3+1), 2 has (2+1)/(2+1+1)
    assert float(loss) == pytest.approx((0 + math.log(4 / 3) + math.log(4 / 3)) / 3)


def test_a_span_that_is_no_mention_begins_an_entity():
    scores = torch.log(torch.tensor([3.0]))
    loss = link_loss(scores, torch.zeros(2), ints(1), ints(0), ints(NOTHING, NOTHING))
    assert float(loss) == pytest.approx(math.log(4) / 2)


def test_proposed_spans_stand_for_gold_mentions_with_their_head():
    from coindex.resolvers.neural.words import DocumentWords
    from coindex.training.neural.data import Example

    words = DocumentWords(["w"] * 9, list(range(9)), [(0, 9)], [0])
    example = Example("d", "toy", words, ((0, 3), (4, 6), (7, 8)), (5, 6, 5), (1, 5, 7))
    entities, heads = align_spans([(0, 2), (4, 6), (8, 9)], ints(1, 5, 8), example)
    assert entities.tolist() == [5, 6, NOTHING]
    assert heads.tolist() == [1, 5, -1]


def test_tags_that_are_not_known_are_passed_over():
    scores = torch.log(torch.tensor([[3.0, 1.0], [1.0, 1.0]]))
    assert float(detection_loss(scores, torch.tensor([0, NO_TARGET]), 0.0)) == pytest.approx(math.log(4 / 3))


def test_each_span_is_a_mention_or_not_and_words_share_the_loss():
    scores = torch.log(torch.tensor([[3.0, 1.0], [0.25, 9.0]]))
    targets = torch.tensor([[1, 0], [0, NO_TARGET]])
    # the probabilities of what is right: 3/4, 1/2, 4/5; the last span cannot be
    expected = (math.log(4 / 3) + math.log(2) + math.log(5 / 4)) / 2
    assert float(detection_loss(scores, targets, 0.2)) == pytest.approx(expected)
