"""Assignment of documents: no annotator gets a document twice, and the work is spread evenly."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.annotation.assessment import Text, deal
from coindex.errors import CoindexError

PEOPLE = st.dictionaries(st.integers(1, 12), st.integers(0, 3000), min_size=1, max_size=8)


@st.composite
def texts(draw: st.DrawFn) -> list[Text]:
    """Documents, some of which somebody has already."""
    found = []
    for number in range(draw(st.integers(0, 12))):
        barred = draw(st.frozensets(st.integers(1, 12), max_size=3))
        found.append(Text(number, draw(st.integers(1, 5000)), draw(st.integers(0, len(barred))), barred))
    return found


@given(texts(), PEOPLE, st.integers(1, 4), st.integers(0, 3))
def test_every_document_gets_its_people_if_there_are_enough(
    found: list[Text], people: dict[int, int], copies: int, seed: int
) -> None:
    plan = deal(found, people, copies=copies, seed=seed)
    assert len(set(plan.given)) == len(plan.given), "never the same document twice to a person"
    counts = Counter(document for document, _ in plan.given)
    for text in found:
        takers = {person for document, person in plan.given if document == text.id}
        assert takers <= people.keys() - text.barred
        wanted = max(0, copies - text.copies)
        assert counts[text.id] + plan.short.get(text.id, 0) == wanted
        if plan.short.get(text.id):
            assert takers == people.keys() - text.barred, "short only where nobody is left"
    sizes = {text.id: text.words for text in found}
    for person, words in plan.words.items():
        assert words == people[person] + sum(sizes[document] for document, to in plan.given if to == person)


def test_a_document_may_be_for_another_number_of_people() -> None:
    plan = deal([Text(1, 10), Text(2, 10, wanted=3), Text(3, 10, wanted=0)], {7: 0, 8: 0}, copies=1)
    assert Counter(document for document, _ in plan.given) == {1: 1, 2: 2}
    assert plan.short == {2: 1}


@given(st.lists(st.integers(1, 5000), max_size=20), PEOPLE, st.integers(1, 8), st.integers(0, 3))
def test_loads_differ_by_no_more_than_the_longest_document(
    sizes: list[int], people: dict[int, int], copies: int, seed: int
) -> None:
    plan = deal([Text(at, words) for at, words in enumerate(sizes)], people, copies=copies, seed=seed)
    before = max(people.values()) - min(people.values())
    assert max(plan.words.values()) - min(plan.words.values()) <= max([before, *sizes])


@given(texts(), PEOPLE, st.integers(1, 4), st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_plan_depends_on_the_seed_and_not_on_the_order(
    found: list[Text], people: dict[int, int], copies: int, seed: int, chance: object
) -> None:
    shuffled, others = list(found), list(people.items())
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    chance.shuffle(others)  # type: ignore[attr-defined]
    assert deal(shuffled, dict(others), copies=copies, seed=seed) == deal(found, people, copies=copies, seed=seed)


def test_another_seed_is_another_plan() -> None:
    found = [Text(at, 100) for at in range(20)]
    plans = {deal(found, dict.fromkeys(range(5), 0), copies=2, seed=seed).given for seed in range(5)}
    assert len(plans) == 5


def test_a_second_round_evens_out_what_the_first_left() -> None:
    plan = deal([Text(1, 100), Text(2, 100)], {1: 500, 2: 0, 3: 0}, copies=1)
    assert plan.words == {1: 500, 2: 100, 3: 100}


@pytest.mark.parametrize("copies", [0, -1, 21])
def test_a_number_of_copies_that_makes_no_sense_is_refused(copies: int) -> None:
    with pytest.raises(CoindexError, match=r"annotators per document; expected 1 to 20"):
        deal([], {1: 0}, copies=copies)
