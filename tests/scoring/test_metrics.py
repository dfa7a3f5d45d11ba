"""Each metric on cases small enough to count by hand; the fractions show how."""

from fractions import Fraction

import pytest

from coindex.document import Document, Entity, Token, Tokens
from coindex.errors import UnknownNameError
from coindex.scoring import METRICS, get_metric
from scoring.texts import doc, expect, score

ALL = tuple(METRICS)


def clusters(*groups: str) -> Document:
    """A document of the words a … z where each letter of a group is a mention of one entity."""
    words = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    entity = {letter: number for number, group in enumerate(groups) for letter in group}
    return doc(" ".join(f"(e{entity[word]}) {word}" if word in entity else word for word in words))


KEY = clusters("ab", "cde", "f")
RESPONSE = clusters("abx", "cd", "ey")  # f is missing, x and y are too many


def test_muc() -> None:
    """Recall: ab keeps 1 of 1 links, cde falls in two: 1 of 2. Precision: abx 1 of 2, cd 1 of 1, ey 0 of 1."""
    expect(score(KEY, RESPONSE, singletons=True), muc=(Fraction(1 + 1 + 0, 1 + 2 + 0), Fraction(1 + 1 + 0, 2 + 1 + 1)))


def test_b3() -> None:
    recall = (Fraction(2 * 2, 2) + Fraction(2 * 2 + 1 * 1, 3) + 0) / 6
    precision = (Fraction(2 * 2, 3) + Fraction(2 * 2, 2) + Fraction(1, 2)) / 7
    expect(score(KEY, RESPONSE, singletons=True), b3=(recall, precision))


def test_ceafm() -> None:
    """ab with abx has 2 in common, cde with cd 2; nothing is left for ey."""
    expect(score(KEY, RESPONSE, singletons=True), ceafm=(Fraction(2 + 2, 6), Fraction(2 + 2, 7)))


def test_ceafe() -> None:
    best = Fraction(2 * 2, 2 + 3) + Fraction(2 * 2, 3 + 2)
    expect(score(KEY, RESPONSE, singletons=True), ceafe=(best / 3, best / 3))


def test_ceaf_takes_the_best_sum() -> None:
    """Two pairs with one mention in common are less than one with three."""
    key, response = clusters("abcd", "xe"), clusters("abcx", "d")
    # abcd-abcx 3, xe-abcx 1, abcd-d 1: either 3 alone or 1 + 1
    expect(
        score(key, response, singletons=True),
        ceafm=(Fraction(3, 6), Fraction(3, 5)),
        ceafe=(Fraction(6, 8) / 2, Fraction(6, 8) / 2),
    )


def test_lea() -> None:
    recall = (2 * Fraction(1, 1) + 3 * Fraction(1, 3) + 0) / 6
    precision = (3 * Fraction(1, 3) + 2 * Fraction(1, 1) + 2 * 0) / Fraction(7)
    expect(score(KEY, RESPONSE, singletons=True), lea=(recall, precision))


def test_lea_finds_a_singleton_only_where_it_is_one_on_both_sides() -> None:
    expect(score(clusters("a", "b"), clusters("a", "bc"), singletons=True), lea=(Fraction(1, 2), Fraction(1, 3)))


def test_blanc() -> None:
    """Of the 10 pairs of found mentions 4 corefer in the key, 2 in the response, 2 in both."""
    found = score(KEY, RESPONSE, singletons=True)
    apart = 10 - 4 - 2 + 2
    recall = [Fraction(1 + 1, 1 + 3), Fraction(apart, 15 - 4)]
    precision = [Fraction(1 + 1, 3 + 1 + 1), Fraction(apart, 21 - 5)]
    f1 = [2 * r * p / (r + p) for r, p in zip(recall, precision, strict=True)]
    expect(found, blanc=(sum(recall) / 2, sum(precision) / 2))
    assert found["blanc"].f1 == pytest.approx(float(sum(f1) / 2))
    assert found["blanc"].parts["coreference"].recall == pytest.approx(1 / 2)


def test_blanc_leaves_out_links_that_no_side_has() -> None:
    """One entity on both sides: no two mentions are apart, so links alone count."""
    expect(score(clusters("abc"), clusters("ab")), blanc=(Fraction(1, 3), Fraction(1, 1)))


def test_conll_is_the_mean_of_three() -> None:
    found = score(KEY, RESPONSE)
    assert found.conll == pytest.approx((found["muc"].f1 + found["b3"].f1 + found["ceafe"].f1) / 3)
    assert score(KEY, RESPONSE, metrics=["muc", "b3"]).conll is None


def test_without_singletons() -> None:
    """f goes; so recall of B³ is over five mentions."""
    expect(score(KEY, RESPONSE), b3=((2 + Fraction(5, 3)) / 5, (Fraction(4, 3) + 2 + Fraction(1, 2)) / 7))


def test_mor_counts_words() -> None:
    """1-4 with 2-3 shares 2, 6-7 with 7-8 shares 1: 3 of 4 + 2 and of 2 + 2 words."""
    key = doc("(a w w w w )a w (a w w )a w")
    response = doc("w (a w w )a w w w (a w w )a")
    expect(score(key, response), mor=(Fraction(2 + 1, 4 + 2), Fraction(2 + 1, 2 + 2)))


def test_mor_pairs_one_to_one_for_the_best_sum() -> None:
    """1-6 could have 5 of 2-6, but then 4-6 has nothing; 3 of 1-3 and 3 of 2-6 is more."""
    key = doc("(a w w w (a w w w )a )a w")
    response = doc("(b w (b w w )b w w w )b w")
    expect(score(key, response), mor=(Fraction(3 + 3, 6 + 3), Fraction(3 + 3, 3 + 5)))


def test_mor_pairs_equal_spans_of_any_entity() -> None:
    expect(score(doc("(a w w )a (a) w (b) w (b) w"), doc("(a w w )a (b) w (b) w (a) w")), mor=1)


ZERO_KEY = doc(
    "(a) Ana vino .",
    "@2:nsubj vio (b) Luis .",
    "(a) @1:nsubj comió y @3:nsubj durmió .",
    "(b) @1:nsubj durmió .",
)


def test_zero() -> None:
    """The zero of a is linked to Ana: right. That of b is linked to another entity: wrong. One is too many."""
    response = doc(
        "(x) Ana vino .",
        "@2:nsubj vio Luis .",
        "(x) @1:nsubj comió y (x) @3:nsubj durmió .",
        "(x) @1:nsubj durmió .",
    )
    right, wrong, missed, spurious = 1, 1, 0, 1
    expect(
        score(ZERO_KEY, response),
        zero=(Fraction(right, right + wrong + missed), Fraction(right, right + wrong + spurious)),
    )


def test_a_zero_that_is_first_in_the_response_is_missed() -> None:
    response = doc(
        "Ana vino .",
        "@2:nsubj vio (y) Luis .",
        "(x) @1:nsubj comió y @3:nsubj (x) durmió .",
        "(y) @1:nsubj durmió .",
    )
    expect(score(ZERO_KEY, response), zero=(Fraction(1, 1 + 0 + 1), Fraction(1, 1)))


def test_pronouns_and_nominal_anaphors_are_counted_the_same_way() -> None:
    key = doc("(a) Ann/PROPN saw (b) Bob/PROPN . (a) She/PRON waved . (b:2 The/DET man/NOUN )b left .")
    response = doc("(a) Ann/PROPN saw (b) Bob/PROPN . (b) She/PRON waved . (b:2 The/DET man/NOUN )b left .")
    found = score(key, response, metrics=["pronoun", "nominal", "zero"], singletons=True)
    expect(found, pronoun=(0, 0), nominal=1, zero=0)


def test_mention_detection() -> None:
    key = doc("(a) w (b:1 w w )b (a:1 w w w )a w (b) @1:obj")
    response = doc("(a) w w w (a:1 w w w )a (b) w (b) @1:obj")
    found = score(key, response, metrics=["mentions"])["mentions"]
    assert (found.recall, found.precision) == (3 / 4, 3 / 4)
    by_length = {name: (part.recall, part.precision) for name, part in found.parts.items()}
    assert by_length == {"0": (1, 1), "1": (1, 1 / 2), "2": (0, 0), "3": (1, 1), "4": (0, 0), "5+": (0, 0)}


def test_mention_detection_by_heads() -> None:
    """A mention counts under its own length on each side."""
    found = score(doc("(a:2 w w )a (a) w"), doc("(a:2 w w w )a"), singletons=True, metrics=["mentions"])["mentions"]
    assert (found.recall, found.precision) == (1 / 2, 1)
    assert (found.parts["2"].recall, found.parts["3"].precision) == (1, 1)


@pytest.mark.parametrize("metric", ALL)
def test_nothing_against_nothing(metric: str) -> None:
    expect(score(doc("w w"), doc("w w"), metrics=[metric]), **{metric: 0})


@pytest.mark.parametrize("metric", ALL)
def test_nothing_in_the_response(metric: str) -> None:
    expect(score(KEY, doc("a b c d e f g h i j k l m n o p q r s t u v w x y z"), metrics=[metric]), **{metric: 0})


def test_metrics_by_name() -> None:
    assert list(METRICS) == [
        "muc",
        "b3",
        "ceafe",
        "ceafm",
        "blanc",
        "lea",
        "mor",
        "zero",
        "pronoun",
        "nominal",
        "mentions",
        "anaphora",
        "success",
        "antecedent",
        "non-referring",
        "bridging-anaphor",
        "bridging-mention",
        "bridging-entity",
    ]
    assert [get_metric(name).name for name in METRICS] == list(METRICS)
    with pytest.raises(UnknownNameError, match=r"did you mean .*ceafe"):
        get_metric("ceaf")


@pytest.mark.parametrize(("heads", "counts"), [((2, 3), (1, 1, 1, 1)), ((3, 2), (0, 1, 0, 1))])
def test_zero_is_judged_in_each_entity(heads: tuple[int, int], counts: tuple[int, ...]) -> None:
    """The same words have an empty node as their head in one entity only, so there is one zero to find.

    The response looks a repeated mention up in its last entity: in the first one the zero has the wrong antecedent.
    """
    tokens = Tokens([Token("1", "a"), Token("2", "b"), Token("3", "c"), Token("3.1", "_", deps="3:nsubj")])
    text = Document.from_sentences(tokens, [4], id="d")
    entities = tuple(
        Entity(f"e{first}", (text.mention([first]), text.mention([2, 3], head=head)))
        for first, head in enumerate(heads)
    )
    annotated = text.replace(entities=entities)
    result = score(annotated, annotated, match="exact", metrics=["zero"])
    assert result.counts["zero"].values == counts
