"""Matching by overlap of ARE 2007: shared words over the words of the longer mention."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.document import Entity
from coindex.scoring.assignment import best_total
from coindex.scoring.corpus import Pair, Unit, _number_parts
from coindex.scoring.lenient import overlap
from coindex.scoring.matching import align, get_matching
from scoring.texts import doc, expect, score

TEXT = "The government of Zair met . Later Zair 's government met ."


def test_the_examples_of_the_paper() -> None:
    """ "the government of Zair" and "the government" in it: 2 / 4; "Zair's government" is elsewhere in the text."""
    words = TEXT.split()
    whole, part, other = (0, 1, 2, 3), (0, 1), (7, 8, 9)
    assert [" ".join(words[p] for p in span) for span in (whole, part, other)] == [
        "The government of Zair",
        "The government",
        "Zair 's government",
    ]
    assert (overlap(whole, part), overlap(part, whole), overlap(whole, other), overlap(whole, whole)) == (
        0.5,
        0.5,
        0,
        1,
    )


def test_gaps_are_no_words() -> None:
    assert overlap((0, 1, 4), (1, 2, 3, 4)) == 2 / 4


def test_as_a_matching_it_counts_pairs() -> None:
    """Mentions that share any word correspond, whatever their heads; general profiles count them in full."""
    key, response = doc("(a:1 one two three )a four (a) z (b) y"), doc("one two (a:1 three four )a (a) z (b) y")
    expect(score(key, response, match="overlap", quiet=False), muc=1, b3=1, ceafe=1, ceafm=1)
    # the words: 3 + 1 in the key, 2 + 1 in the response, 1 + 1 shared
    expect(score(key, response, match="overlap"), mor=(2 / 4, 2 / 3))


def test_the_greatest_total_wins() -> None:
    """3/4 + 1/2 for the same entities, 1/4 + 2/3 for the others."""
    key = doc("(a:1 (b:1 one two )b three four )a (a) z (b) y")
    response = doc("(a:1 (b) one two three )a four (a) z (b) y")
    expect(score(key, response, match="overlap", metrics=["muc", "mentions"]), muc=1, mentions=1)


def test_of_equal_ones_the_first() -> None:
    """Both response mentions share half of the key's words."""
    key, response = doc("(a:1 one two )a (a) z (b) y"), doc("(a) one (b) two (a) z (b) y")
    expect(score(key, response, match="overlap", metrics=["muc"]), muc=(1, 1 / 2))


@pytest.mark.parametrize("match", ["lenient", "overlap"])
def test_a_mention_in_two_entities(match: str) -> None:
    """The last one has it in the look-up, as elsewhere; CEAF finds it in both. The key's {x, y} is all in one."""
    key, response = doc("(a) x (a) y z"), doc("(a) x (a) y (b) z")
    first, second = response.entities
    response = response.replace(entities=(first, replace(second, mentions=(first.mentions[0], *second.mentions))))
    expect(score(key, response, match=match, metrics=["muc", "ceafm"]), muc=(0, 1 / 2), ceafm=(2 / 2, 2 / 4))


def spans(draw: st.DrawFn) -> list[tuple[int, int]]:
    span = st.tuples(st.integers(0, 7), st.integers(1, 5)).map(lambda pair: (pair[0], pair[0] + pair[1]))
    return draw(st.lists(span, unique=True, max_size=6))


@given(st.composite(spans)(), st.composite(spans)())
def test_no_pairing_overlaps_more(key: list[tuple[int, int]], response: list[tuple[int, int]]) -> None:
    """Equal mentions are paired first; that takes nothing from the total."""
    text = doc(" ".join("w" * 12))
    sides = [
        text.replace(entities=tuple(Entity(f"{span}", (text.mention(range(*span)),)) for span in found))
        for found in (key, response)
    ]
    parts = _number_parts(Unit(None, (Pair(*sides),)))
    found = align(*parts, get_matching("are-2007", "overlap"), singletons=True, zeros="linear")
    words = found.key.table.words
    partners = [(k, found.partner(k)) for k in found.found_key]
    total = sum(overlap(words[k], words[r]) for k, r in partners if r is not None)
    rows = [
        {column: weight for column, theirs in enumerate(response) if (weight := _overlap(mine, theirs))} for mine in key
    ]
    assert total == pytest.approx(best_total(rows))
    assert len({r for _, r in partners}) == len(partners)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> float:
    return overlap(tuple(range(*one)), tuple(range(*other)))
