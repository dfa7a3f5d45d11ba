"""Near-duplicates: exactly the pairs of comparing all with all."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.annotation.cleaning import Bags, Duplicate, parse_threshold
from coindex.document import Document, Token, Tokens
from coindex.errors import CoindexError


def all_pairs(bags: list[list[str]], threshold: Fraction) -> set[Duplicate]:
    """PreCo's similarity, and of two bags of one size the later one goes."""
    found = set()
    for one, other in combinations(range(len(bags)), 2):
        shorter, longer = (one, other) if len(bags[one]) < len(bags[other]) else (other, one)
        common = (Counter(bags[one]) & Counter(bags[other])).total()
        sizes = [len(bags[one]), len(bags[other])]
        if min(sizes) and max(Fraction(common, size) for size in sizes) > threshold:
            found.add(Duplicate(shorter, longer, common, len(bags[shorter])))
    return found


def found_in(bags: list[list[str]], threshold: Fraction) -> set[Duplicate]:
    index = Bags()
    for bag in bags:
        index.add(bag)
    return set(index.duplicates(threshold))


WORDS = st.lists(st.sampled_from("aabcdefgh"), max_size=25)
THRESHOLDS = st.sampled_from(["0", "0.5", "0.8", "0.9", "0.95", "2/3"]).map(Fraction)


@given(st.lists(WORDS, max_size=6), THRESHOLDS)
def test_random_bags(bags: list[list[str]], threshold: Fraction) -> None:
    assert found_in(bags, threshold) == all_pairs(bags, threshold)


@given(
    st.lists(st.integers(0, 400), min_size=10, max_size=80),
    st.lists(st.tuples(st.integers(0, 79), st.integers(0, 400)), max_size=12),
    st.lists(st.integers(0, 400), max_size=60),
    THRESHOLDS,
)
def test_changed_and_grown_copies(
    words: list[int], changes: list[tuple[int, int]], more: list[int], threshold: Fraction
) -> None:
    """Copies on both sides of the threshold, in larger ones too: it is containment, not Jaccard."""
    original = list(map(str, words))
    copy = list(original)
    for at, word in changes:
        copy[at % len(copy)] = str(word)
    bags = [original, copy, copy + list(map(str, more)), list(map(str, more))]
    assert found_in(bags, threshold) == all_pairs(bags, threshold)


def test_the_threshold_itself_is_not_over_it() -> None:
    ten = list("abcdefghij")
    assert found_in([ten, [*ten[:9], "x", "y"]], Fraction("0.9")) == set()
    assert found_in([ten, [*ten, "y"]], Fraction("0.9")) == {Duplicate(0, 1, 10, 10)}


def test_words_count_as_often_as_they_come() -> None:
    assert found_in([["a"] * 10, ["a", "b"]], Fraction("0.9")) == set()
    assert found_in([["a"] * 10, ["a", "a"]], Fraction("0.9")) == {Duplicate(1, 0, 2, 2)}


def test_of_equal_documents_the_later_goes() -> None:
    (pair,) = found_in([["a", "b"], ["b", "a"]], Fraction("0.9"))
    assert (pair.dropped, pair.kept, pair.similarity) == (1, 0, 1.0)


def test_empty_documents_have_no_duplicates() -> None:
    assert found_in([[], [], ["a"]], Fraction("0")) == set()


def test_empty_nodes_are_no_words() -> None:
    bags = Bags()
    tokens = Tokens([Token("1", "a"), Token("1.1", "z")])
    bags.add_document(Document.from_sentences(tokens, [2]))
    bags.add(["a", "b"])
    assert list(bags.duplicates()) == [Duplicate(0, 1, 1, 1)]


@pytest.mark.parametrize("text", ["", "x", "1", "-0.1", "1/0"])
def test_bad_thresholds(text: str) -> None:
    with pytest.raises(CoindexError, match="threshold"):
        parse_threshold(text)


def test_thresholds_are_as_written() -> None:
    assert parse_threshold("0.9") == Fraction(9, 10)
