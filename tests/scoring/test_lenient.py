"""Lenient matching of RU-EVAL 2014: the key's head is shared, and the response's is not outside."""

import pytest

from coindex.errors import DataWarning
from coindex.scoring import Result, make_settings, score_documents
from scoring.texts import doc, expect, score


def lenient(key: str, response: str, **options: object) -> Result:
    """Both texts have another mention "z" in the entity a, so that nothing is a singleton."""
    return score(doc(key + " (a) z"), doc(response + " (a) z"), match="lenient", metrics=["mentions", "muc"], **options)


@pytest.mark.parametrize(
    ("key", "response", "matches"),
    [
        ("(a:2 old captain )a Bird of Hull", "(a:2 old captain )a Bird of Hull", True),
        ("(a:2 old captain )a Bird of Hull", "old (a:1 captain Bird )a of Hull", True),  # borders cross
        ("(a:2 old captain )a Bird of Hull", "old (a) captain Bird of Hull", True),  # the head alone
        ("(a:2 old captain )a Bird of Hull", "(a) old captain Bird of Hull", False),  # the key's head is not shared
        ("(a:1 old captain )a Bird of Hull", "(a) old captain Bird of Hull", True),
        ("(a:2 old captain )a Bird of Hull", "old captain (a:1 Bird of Hull )a", False),  # nothing is shared
        ("(a:2 old captain )a Bird of Hull", "(a:2 old captain Bird )a of Hull", True),  # more, the head inside
        ("(a:2 old captain )a Bird of Hull", "(a:3 old captain Bird )a of Hull", False),  # more, the head outside
        (
            "(a:2 old captain )a Bird of Hull",
            "old (a:2 captain Bird )a of Hull",
            True,
        ),  # not all of the key: no exclusion
        ("(a:2 old captain )a Bird of Hull", "(a:1 old captain )a Bird of Hull", True),  # another head, same words
        ("(a[1/2]:2 old captain )a[1/2] Bird (a[2/2] of )a[2/2] Hull", "(a) old captain Bird of Hull", False),
        ("(a[1/2]:2 old captain )a[1/2] Bird (a[2/2] of )a[2/2] Hull", "old (a) captain Bird of Hull", True),
    ],
)
def test_lenient_matches(key: str, response: str, matches: bool) -> None:
    found = lenient(key, response, quiet=False)
    expect(found, mentions=1 if matches else 1 / 2, muc=1 if matches else 0)


TREE = "old/ADJ/2/amod captain/NOUN/3/nmod boat/NOUN/0/root"


@pytest.mark.parametrize(
    ("response", "matches"),
    [
        ("(a old/ADJ/2/amod captain/NOUN/3/nmod boat/NOUN/0/root )a", False),  # its head is the boat
        ("(a old/ADJ/2/amod captain/NOUN/0/root boat/NOUN/2/nmod )a", True),
        ("(a:2 old/ADJ/2/amod captain/NOUN/3/nmod boat/NOUN/0/root )a", True),  # what the field says goes first
    ],
)
def test_the_head_of_the_response_may_come_from_its_tree(response: str, matches: bool) -> None:
    expect(lenient("(a:2 old captain )a boat", response, quiet=False), muc=1 if matches else 0)


@pytest.mark.parametrize(("response", "matches"), [("(a) old captain boat", False), ("old (a) captain boat", True)])
def test_the_head_of_the_key_may_come_from_its_tree(response: str, matches: bool) -> None:
    key = TREE.replace("old", "(a old", 1).replace("nmod", "nmod )a", 1)
    expect(lenient(key, response, quiet=False), muc=1 if matches else 0)


def test_half_a_tree_is_none() -> None:
    with pytest.warns(DataWarning, match="1 mentions of the response that extend beyond"):
        expect(lenient("(a:2 old captain )a boat", "(a old/ADJ/2/amod captain boat/NOUN/0/root )a", quiet=False), muc=1)


def test_without_a_head_nothing_is_excluded_with_a_warning() -> None:
    settings = make_settings(match="lenient", metrics=["muc"])
    key = doc("(a:2 old captain )a boat (a) z", "(b:1 red house )b (b) y")
    response = doc("(a old captain boat )a (a) z", "(b red house )b (b) y")
    message = "^1 mentions of the response that extend beyond .* 'd', sentence 's1', word 1 'old captain boat'$"
    with pytest.warns(DataWarning, match=message):
        expect(score_documents([key], [response], settings), muc=1)


def test_a_key_without_a_head_matches_any_word_with_a_warning() -> None:
    settings = make_settings(match="lenient", metrics=["muc"])
    key = doc("(a old captain )a boat (a) z", "(b red house )b (b) y")
    response = doc("(a) old captain boat (a) z", "(b red house )b (b) y")
    message = "^1 mentions of the key have neither a head .*: document 'd', sentence 's1', word 1 'old captain'$"
    with pytest.warns(DataWarning, match=message):
        expect(score_documents([key], [response], settings), muc=1)


def test_no_warning_if_no_head_was_needed() -> None:
    lenient("(a old captain )a boat", "(a old captain )a boat", quiet=False)
    lenient("(a:2 old captain )a boat", "(a old captain )a boat", quiet=False)
    lenient("(a old captain )a boat", "(a:2 old captain boat )a", quiet=False)


def test_a_key_mention_is_found_once() -> None:
    """Of two response mentions with the key's head the one that overlaps more is its partner."""
    key, response = doc("(a:3 the old captain )a (a) z (b) y"), doc("the (a:2 old (b) captain )a (a) z (b) y")
    # "old captain" 2 / 3 against "captain" 1 / 3; y is in no chain of the key
    expect(score(key, response, match="lenient", metrics=["mentions", "muc"]), mentions=(2 / 2, 2 / 4), muc=(1, 1 / 2))


def test_the_pairs_overlap_most_in_total() -> None:
    """The best pair alone, k1 with s1 at 3/4, would leave k2 and s2 without a partner: k2's head is not in s2."""
    key = doc("(a:1 (b:2 one two )b three four )a (a) z (b) y")
    response = doc("(b:2 (a) one two three )b four (a) z (b) y")
    expect(score(key, response, match="lenient", metrics=["mentions", "muc"]), mentions=1, muc=1)


def test_equal_mentions_come_first() -> None:
    """Exchanged, the partners would overlap by 3/4 + 3/4; but "one two three four" is there on both sides.

    The key has "one two three four" with the head two, and "two three four five" with the head four, which the
    response's "one two three" lacks.
    """
    key = doc("(a:2 one (b:3 two three four )a five )b (a) z (b) y")
    response = doc("(a:2 (b:2 one two three )b four )a five (a) z (b) y")
    expect(score(key, response, match="lenient", metrics=["mentions", "muc"]), mentions=3 / 4, muc=1 / 2)


def test_zeros_are_matched_by_the_option() -> None:
    """The zero of the response stands elsewhere; what it depends on is the same."""
    key, response = doc("(a) Ann (a) @2:nsubj sang loudly"), doc("(a) Ann sang (a) @2:nsubj loudly")
    expect(score(key, response, match="lenient", metrics=["muc"]), muc=1)
    expect(score(key, response, match="lenient", zeros="linear", metrics=["muc"]), muc=0)


def test_signature() -> None:
    assert "|match:lenient|" in lenient("(a) w", "(a) w").signature
