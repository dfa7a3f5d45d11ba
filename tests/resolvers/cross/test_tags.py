"""Tags of flat mentions: from spans to tags and back, and how sure a mention is."""

import numpy as np
import pytest

from coindex.resolvers.cross.model import KindTags, read_tags, tags_description

TAGS = KindTags(("person", "place"))


def scores(*rows):
    """Logarithms of rows of probabilities."""
    return np.log(np.array(rows, dtype=np.float32))


def certain(tags, outputs=5):
    table = np.full((len(tags), outputs), 0.01, dtype=np.float32)
    table[np.arange(len(tags)), tags] = 1 - 0.01 * (outputs - 1)
    return np.log(table)


def spans(found):
    return [(one.start, one.end) for one in found]


def test_spans_become_tags_and_spans_again():
    given = [((0, 2), "place"), ((2, 3), "place"), ((4, 6), "person")]
    tags = TAGS.targets(given, 7)
    assert tags.tolist() == [3, 4, 3, 0, 1, 2, 0]
    assert spans(TAGS.decode(certain(tags), [(0, 7)])) == [(0, 2), (2, 3), (4, 6)]


def test_of_two_that_overlap_the_first_counts():
    assert TAGS.targets([((0, 3), "person"), ((1, 2), "place")], 3).tolist() == [1, 2, 2]


def test_a_mention_ends_with_its_sentence():
    tags = TAGS.targets([((0, 4), "person")], 4)
    found = TAGS.decode(certain(tags), [(0, 2), (2, 4)])
    assert spans(found) == [(0, 2), (2, 4)]  # what goes on at the start of a sentence must begin there


def test_tags_that_do_not_fit_are_not_taken():
    # the second word would rather go on with a place, but a person has begun
    table = scores([0.1, 0.8, 0.02, 0.06, 0.02], [0.05, 0.05, 0.3, 0.05, 0.55])
    assert spans(TAGS.decode(table, [(0, 2)])) == [(0, 2)]


def test_a_bias_below_zero_finds_more():
    table = scores([0.6, 0.4, 0.0001])
    kind = KindTags(("any",))
    assert kind.decode(table, [(0, 1)]) == []
    assert spans(KindTags(("any",), bias=-1.0).decode(table, [(0, 1)])) == [(0, 1)]


def test_the_probability_of_a_mention():
    kind = KindTags(("any",))
    table = scores([0.1, 0.9, 1e-6], [0.2, 1e-6, 0.8], [0.7, 1e-6, 0.3])
    (found,) = kind.decode(table, [(0, 3)])
    assert spans([found]) == [(0, 2)]
    assert found.probability == pytest.approx(0.9 * 0.8 * (1 - 0.3), abs=1e-4)  # begins, goes on, ends
    (last,) = kind.decode(table[:2], [(0, 2)])
    assert last.probability == pytest.approx(0.9 * 0.8, abs=1e-4)


def test_the_description_is_complete():
    tags = {"event": KindTags(("any",), bias=-0.25), "entity": TAGS}
    assert read_tags(tags_description(tags)) == tags
    with pytest.raises(ValueError, match="verb"):
        read_tags({"verb": {"types": [], "bias": 0}})
