"""Stack tags: there and back, and decoding that closes what it opens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.resolvers.neural.detection import TagSet, decode_tags, encode_tags

spans = st.integers(0, 7).flatmap(lambda start: st.tuples(st.just(start), st.integers(start + 1, 8)))


@pytest.mark.parametrize(
    ("mentions", "tags"),
    [
        ([], ["", "", ""]),
        ([(1, 2)], ["", "PUSH,POP:1", ""]),
        ([(0, 3), (1, 2)], ["PUSH", "PUSH,POP:1", "POP:1"]),
        ([(0, 2), (1, 3)], ["PUSH", "POP:1,PUSH", "POP:1"]),
        ([(0, 2), (1, 2)], ["PUSH", "POP:1,PUSH,POP:1", ""]),
    ],
)
def test_encodes(mentions, tags):
    assert encode_tags(mentions, 0, 3) == tags


@given(st.lists(spans, max_size=6))
def test_any_spans_come_back(mentions):
    tags = encode_tags(mentions, 0, 8)
    assert set(decode_tags(tags, 0)) == set(mentions)


def test_crossing_mentions_are_closed_from_below_the_top():
    tags = ["PUSH", "PUSH", "POP:2", "POP:1"]
    assert encode_tags([(0, 3), (1, 4)], 0, 4) == tags
    assert decode_tags(tags, 0) == [(0, 3), (1, 4)]


def test_sentences_keep_their_place():
    assert decode_tags(encode_tags([(5, 7)], 4, 8), 4) == [(5, 7)]


def test_what_stays_open_ends_with_the_sentence():
    assert decode_tags(["PUSH", "", ""], 3) == [(3, 6)]


def test_the_empty_tag_is_first():
    assert TagSet.of(["PUSH", "", "POP:1"]).names == ("", "POP:1", "PUSH")


def test_effects_give_the_number_of_required_open_mentions():
    tags = TagSet(("", "PUSH", "POP:1", "POP:2", "POP:1,PUSH,POP:1", "PUSH,POP:2"))
    assert tags.effects == [(0, 0), (0, 1), (1, -1), (2, -1), (1, -1), (1, 0)]


def scores_for(tags, wanted):
    logits = np.zeros((len(wanted), len(tags.names)), dtype=np.float32)
    for word, tag in enumerate(wanted):
        logits[word, tags.number[tag]] = 5
    return logits


@given(st.lists(spans, max_size=5), st.lists(spans, max_size=5))
def test_clear_scores_give_the_spans_of_every_sentence(first, second):
    shifted = [(start + 8, end + 8) for start, end in second]
    wanted = encode_tags(first, 0, 8) + encode_tags(shifted, 8, 16)
    tags = TagSet.of(wanted)
    found = tags.decode(scores_for(tags, wanted), [(0, 8), (8, 16)])
    assert set(found) == set(first) | set(shifted)


def test_a_close_without_an_open_is_never_chosen():
    tags = TagSet(("", "PUSH", "POP:1"))
    logits = np.array([[0, 1, 9], [0, 0, 3]], dtype=np.float32)
    assert tags.decode(logits, [(0, 2)]) == [(0, 2)]


def test_no_sentence_ends_with_an_open_mention():
    tags = TagSet(("", "PUSH", "POP:1"))
    logits = np.array([[0, 1, 0], [0, 9, 0]], dtype=np.float32)
    # opening at the last word would never be closed, so nothing is opened there
    assert tags.decode(logits, [(0, 2)]) in ([], [(0, 2)])


def brute_force(tags, logits):
    """The best sum over all tag sequences that close all they open, in order."""
    best, states = -np.inf, [(0.0, 0)]
    for row in logits:
        states = [
            (total + row[tag], depth + change)
            for total, depth in states
            for tag, (need, change) in enumerate(tags.effects)
            if need <= depth
        ]
    return max((total for total, depth in states if depth == 0), default=best)


@given(st.integers(0, 10_000))
def test_decoding_finds_the_best_sum(seed):
    tags = TagSet(("", "PUSH", "POP:1", "POP:2", "PUSH,POP:1", "PUSH,PUSH"), depth=8)
    logits = np.random.default_rng(seed).normal(size=(4, len(tags.names))).astype(np.float32)
    path = tags._best_paths(logits, [(0, 4)])[0]
    assert sum(logits[word, tag] for word, tag in enumerate(path)) == pytest.approx(brute_force(tags, logits), abs=1e-4)
