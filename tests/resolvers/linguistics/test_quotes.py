"""Direct speech: quotations found by their marks, turns by what stands between them."""

from itertools import pairwise

import numpy as np
import pytest

from coindex.resolvers.linguistics.mention_kinds import (
    ENTERED,
    FIRST_TURN,
    LEFT,
    OUTSIDE,
    SAME,
    compare_quotes,
    find_quotes,
)
from coindex.resolvers.neural.words import DocumentWords


def words_of(*sentences):
    forms = [form for sentence in sentences for form in sentence.split()]
    ends = np.cumsum([len(sentence.split()) for sentence in sentences]).tolist()
    spans = list(pairwise([0, *ends]))
    return DocumentWords(forms, list(range(len(forms))), spans, [0] * len(spans))


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ('" Go , " he said', "0 1 1 0 0 0"),
        ("“ Go , ” he said", "0 1 1 0 0 0"),
        ("`` Go , '' he said", "0 1 1 0 0 0"),
        ("‘ Go , ’ he said", "0 1 1 0 0 0"),
        ("« Go , » he said", "0 1 1 0 0 0"),
        ("“ She said ‘ no ’ ” , he said", "0 1 1 1 1 1 0 0 0 0"),
        ("it was Anna 's and Boris ' book", "0 0 0 0 0 0 0 0"),
        ("“ Go on", "0 1 1"),
        ('a screen of 9 "', "0 0 0 0 0"),
        ("no quotes", "0 0"),
    ],
)
def test_quotations_are_found_by_their_marks(text, quotes):
    assert find_quotes(words_of(text)).quote.tolist() == [int(number) for number in quotes.split()]


def test_nothing_is_quoted_in_nothing():
    assert find_quotes(words_of()).quote.tolist() == []


def turns(*sentences):
    """The turn of each quotation, in order."""
    found = find_quotes(words_of(*sentences))
    numbers = dict(zip(found.quote.tolist(), found.turn.tolist(), strict=True))
    return [turn for quote, turn in sorted(numbers.items()) if quote]


def test_a_turn_goes_on_after_an_aside():
    assert turns("“ Yes , ” said the man , “ I know . ”") == [1, 1]


def test_quotations_that_follow_each_other_are_two_turns():
    assert turns("“ Do you know ? ”", "“ I do . ”") == [1, 2]


def test_a_new_sentence_between_them_begins_a_turn():
    assert turns("“ Do you know ? ”", "Anna smiled .", "“ I do . ”") == [1, 2]


def test_a_long_story_between_them_begins_a_turn():
    assert turns("“ Yes , ” said he " + "and so on " * 10, "“ No . ”") == [1, 2]


def test_pairs_are_distinguished_by_turns():
    words = words_of("he “ I I ” “ I ” “ I ” “ I ” “ I ” “ I ” she")
    quotes = find_quotes(words)
    speakers = [at for at, form in enumerate(words.forms) if form == "I"]
    anaphor = np.array(speakers[1:])
    found = compare_quotes(quotes, anaphor, np.full(len(anaphor), speakers[0])).tolist()
    assert found == [SAME, *(FIRST_TURN + turn for turn in (1, 2, 3, 4, 5))]
    outside = np.array([0, len(words) - 1])
    assert compare_quotes(quotes, np.array([speakers[0], outside[1]]), outside[[0, 0]]).tolist() == [ENTERED, OUTSIDE]
    assert compare_quotes(quotes, outside[[1]], np.array(speakers[:1])).tolist() == [LEFT]
