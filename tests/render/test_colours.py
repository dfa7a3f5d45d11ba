"""Colours: steady, apart, readable on light and dark."""

from itertools import combinations

import pytest

from coindex.document import Document, Entity, Mention, Token, Tokens
from coindex.render.markup import (
    ALIKE,
    DARK,
    NEIGHBOURS,
    WHITE,
    _hue,
    _hue_distance,
    colour,
    colours,
    contrast,
    entity_number,
)

TOKENS = Tokens(Token(str(number + 1), "x") for number in range(60))


def document(*ids: str, **fields: object) -> Document:
    """A document of chains of two mentions each, in this order."""
    entities = [Entity(id, (Mention(TOKENS, (2 * n,)), Mention(TOKENS, (2 * n + 1,)))) for n, id in enumerate(ids)]
    return Document(TOKENS, (), tuple(entities), **fields)


def test_every_colour_can_be_seen_on_white_and_on_dark():
    for number in range(1080):  # 360 hues in three lightnesses
        assert contrast(colour(number), WHITE) >= 3, number
        assert contrast(colour(number), DARK) >= 3, number


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)  # the well-known near miss of 4.5


def test_known_colours_do_not_change():
    # People learn the colours of a corpus, and pages are compared; change them only on purpose.
    assert [colour(number) for number in (0, 1, 2, 3, 12)] == [
        "#c74e7b",
        "#36810c",
        "#7382ed",
        "#c16003",
        "#118ea0",
    ]


def test_the_number_is_the_end_of_the_id():
    assert entity_number("e12") == entity_number("T12") == entity_number("12") == 12
    assert entity_number("Emma") == 0x27676B44
    assert entity_number("²") != 2


def test_an_entity_keeps_its_colour_when_others_go():
    before = colours(document("e1", "e2", "e3", "e4", "e5"))
    assert colours(document("e1", "e3", "e5")) == [before[0], before[2], before[4]]


def test_neighbours_differ_even_if_their_ids_give_similar_hues():
    alike = [f"e{144 * n}" for n in range(1, 12)]  # 144 golden angles are 1.1 degrees from none
    hues = [_hue(number) for number in (144 * n for n in range(1, 12))]
    assert max(_hue_distance(a, b) for a, b in combinations(hues, 2)) < 13
    found = colours(document(*alike))
    for start in range(len(found) - NEIGHBOURS):
        assert len(set(found[start : start + NEIGHBOURS + 1])) == NEIGHBOURS + 1
    assert ALIKE > 13


def test_topics_share_colours_regardless_of_neighbours():
    ids = ("e144", "e288", "e432")
    shared = document(*ids, shared_ids=True, topic="1")
    assert colours(shared) == [colour(144), colour(288), colour(432)]
    assert colours(document(*ids, shared_ids=True)) != colours(shared)
