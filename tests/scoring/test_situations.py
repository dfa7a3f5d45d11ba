"""One situation each, where official scorers have ways of their own; values derived by hand from the specification."""

from fractions import Fraction

import pytest

from scoring.texts import doc, expect, score

HALF = Fraction(1, 2)


def test_zero_led_astray_by_the_shared_look_up() -> None:
    """Only 2.2 and 2.1 are aligned (obj of 2), but 2.1 of the key is then looked up as 2.2 and found with Ana."""
    key = doc("(a) Ana vio (a) @2:nsubj (b) @2:obj y luego (b) Luis")
    response = doc("(x) Ana vio (y) @2:obj (x) @4:nsubj y luego (y) Luis")
    expect(score(key, response), muc=1, b3=1, ceafe=1, ceafm=1, blanc=1, lea=1, mor=1, zero=0)
    # by position each zero is with the wrong word: every entity falls in two
    expect(score(key, response, zeros="linear"), muc=0, b3=(HALF * (1 + 1) * 2) / 4, ceafm=HALF, lea=0, zero=0)


def test_zeros_in_the_other_order() -> None:
    """By dependents all is right; the zero score asks for the position first, and finds the first of an entity."""
    key = doc("(a) Ana vio (a) @2:nsubj (b) @2:obj y luego (b) Luis")
    response = doc("(x) Ana vio (y) @2:obj (x) @2:nsubj y luego (y) Luis")
    expect(score(key, response), muc=1, b3=1, zero=0)
    expect(score(key, response, zeros="linear"), muc=0)


def test_a_zero_without_deps_is_matched_by_position() -> None:
    key, response = doc("(a) Ana vino (a) @ ayer"), doc("(x) Ana vino (x) @ ayer")
    expect(score(key, response), muc=1, zero=1)
    expect(score(key, response, zeros="linear"), muc=1, zero=1)


def test_parent_alone_is_enough_for_a_zero() -> None:
    """nsubj of 2 against obj of 2: weight 10 * 0 + 1."""
    key = doc("(a) Ana vio (a) @2:nsubj @3:x y no")
    response = doc("(x) Ana vio @3:x (x) @2:obj y no")
    expect(score(key, response), muc=1)
    expect(score(key, response, zeros="linear"), muc=0)


def test_zeros_of_other_sentences_do_not_match() -> None:
    key = doc("(a) Ana vio", "(a) @1:nsubj comió", "durmió")
    response = doc("(x) Ana vio", "comió", "(x) @1:nsubj durmió")
    expect(score(key, response), muc=0, b3=HALF * 1 / 2)


K = "(a) x (b) y (a:5 (b:5 w w w w h w w w w w )a w w )b"
R = "(a) x (b) y (a:5 w w (b:3 w w h w w )b w w )a w w w"


def test_partial_maximises_the_sum() -> None:
    """9/10 + 5/12 > 5/10 + 9/12, so both are found; earlier scorers let both look for 1-10."""
    key, response = doc(K), doc(R)
    expect(score(key, response, match="partial"), muc=1, b3=1)
    expect(score(key, response, "crac22"), muc=HALF)
    expect(score(key, response, "crac23", match="partial"), muc=HALF)


@pytest.mark.parametrize(("match", "in_key", "in_response"), [("head", 1, 1), ("partial", 1, 0), ("exact", 0, 0)])
def test_an_empty_node_inside_a_span_on_one_side(match: str, in_key: int, in_response: int) -> None:
    with_node = doc("(a:1 w w @2:nsubj w w )a w (a) w")
    without = doc("(x:1 w w w w )x w (x) w")
    expect(score(with_node, without, match=match), muc=in_key)
    expect(score(without, with_node, match=match), muc=in_response)


@pytest.mark.parametrize(("match", "found"), [("head", 0), ("partial", 1), ("exact", 1)])
def test_the_same_span_with_another_head(match: str, found: int) -> None:
    expect(score(doc("(a:1 w w )a w (a) w"), doc("(x:2 w w )x w (x) w"), match=match), muc=found)


def test_a_mention_in_two_entities() -> None:
    """The last entity has it in the look-up: b, as a and b begin alike and a < b; both keep it in their lists."""
    key = doc("(p:1 w w )p w (p) w w (q) w w (q) w")
    response = doc("(a:1 (b:1 w w )a )b w (a) w w (b) w w (b) w")
    found = score(key, response)
    expect(found, muc=(Fraction(0 + 1, 2), Fraction(1 + 1, 1 + 2)))
    expect(found, b3=((HALF * (1 + 1) + Fraction(4, 2)) / 4, (Fraction(4, 2) + Fraction(1 + 4, 3)) / 5))
    expect(found, ceafe=(1 + Fraction(4, 5)) / 2, mor=(Fraction(2 + 1 + 1 + 1, 5), Fraction(5, 7)))


def test_a_mention_twice_in_its_entity() -> None:
    """What is left of it is a singleton, and goes."""
    key = doc("(a) w w w (a) w w w")
    response = doc("(x) (x) w w w (y) w w (y) w")
    expect(score(key, response), muc=0, b3=HALF * 1 / 2, ceafe=Fraction(2 * 1, 2 + 2))


def test_a_repeated_mention_makes_blanc_exceed_one() -> None:
    """Three key links for one link of the response: the precision of links is 3/1, that of the rest 0."""
    key = doc("(a) (b) (c) w (a) (b) (c) w")
    expect(score(key, doc("(x) w (x) w")), blanc=((Fraction(3, 3) + 0) / 2, (Fraction(3, 1) + 0) / 2))


def test_of_two_equally_good_responses_the_first() -> None:
    """Both contain 3-4 with its head, so both have weight 1."""
    key, response = doc("w w (a:1 w w )a w w (a) w"), doc("(x:3 w (x:2 w w w w )x w )x (x) w")
    expect(score(key, response), muc=(1, HALF), b3=(1, Fraction(2 * 2, 3) / 3))


def test_of_two_equally_good_keys_the_first() -> None:
    key, response = doc("(a:3 w (b:2 w w w w )a w )b (a) w (b) w"), doc("w w (x) w w w w (x) w w")
    expect(score(key, response), muc=(HALF, 1))


def test_discontinuous_mentions() -> None:
    """{1, 3, 4} with head 3 and 1-4 with head 3 match by head; partly not, as 2 lies outside."""
    key = doc("(a[1/2]:2 w )a[1/2] w (a[2/2] w w )a[2/2] w (a) w")
    response = doc("(x:3 w w w w )x w (x) w")
    expect(score(key, response), muc=1)
    expect(score(key, response, match="partial"), muc=0)


def test_parts_that_touch_are_one_span() -> None:
    key, response = doc("(a:1 w w )a w (a) w"), doc("(x[1/2]:1 w )x[1/2] (x[2/2] w )x[2/2] w (x) w")
    expect(score(key, response, match="exact"), muc=1)


def test_singletons() -> None:
    key = doc("(a:1 w w )a w (b) w w (c) w w (a) w")
    response = doc("(a:1 w w )a w (b) w (c) w w w (a) w")
    found = score(key, response, singletons=True)
    expect(found, b3=Fraction(3, 4), lea=Fraction(2 + 1, 4), ceafe=Fraction(2, 3), ceafm=Fraction(3, 4), muc=1)
    expect(found, blanc=(1 + Fraction(3 - 1, 6 - 1)) / 2)
    expect(score(key, response), b3=1, lea=1, ceafe=1, ceafm=1, muc=1, blanc=1)


@pytest.mark.parametrize(
    ("key", "response"),
    [("(a) w (b) w", "(a) w (b) w"), ("(a) w (a) w", "w w"), ("w w", "(a) w (a) w"), ("w w", "w w")],
)
def test_nothing_left_is_zero(key: str, response: str) -> None:
    expect(score(doc(key), doc(response)), muc=0, b3=0, ceafe=0, ceafm=0, blanc=0, lea=0, mor=0, zero=0)


def test_empty_nodes_are_known_by_decimal_numbers() -> None:
    """2.1 and 2.10 are one word: the entities a and b share a mention, which counts as b's."""
    text = "(a) w w (a) @2:x @3:x @4:x @1:x @2:y @3:y @4:y @1:y @2:z (b) @3:z (b) w"
    expect(score(doc(text), doc(text)), muc=Fraction(0 + 1, 2), b3=(HALF * (1 + 1) + Fraction(4, 2)) / 4)


def test_documents_of_one_id_count_as_one() -> None:
    """So mentions of both are pairs that do not corefer: 4 of them, and none is found."""
    key = [doc("(a) w w (a) w w"), doc("(b) w w (b) w w")]
    response = [doc("(a) w w (a) w w"), doc("w (b) w w (b) w")]
    expect(score(key, response), blanc=(HALF + Fraction(0, 6 - 2)) / 2)
    other = [key[0], key[1].replace(id="e")], [response[0], response[1].replace(id="e")]
    expect(score(*other), blanc=HALF)


def test_separated_documents_with_the_same_id() -> None:
    between = doc("(c) w (c) w", id="e")
    key = [doc("(a) w w (a) w w"), between, doc("(b) w w (b) w w")]
    response = [doc("(a) w w (a) w w"), between, doc("w (b) w w (b) w")]
    # the document between adds one link that is found, and no pair apart
    found = score(key, response)
    expect(found, blanc=(Fraction(1 + 1, 2 + 1) + Fraction(0, 4)) / 2)
    assert [unit.id for unit in found.units] == ["e", "d"]


def test_an_entity_goes_on_in_a_document_of_the_same_id() -> None:
    """One entity of four mentions in the key, found in two pieces: 4 - 2 of 4 - 1 links."""
    key = [doc("(a) w (a) w"), doc("(a) w (a) w")]
    response = [doc("(a) w (a) w"), doc("(b) w (b) w")]
    expect(score(key, response), muc=(Fraction(2, 3), Fraction(2, 2)))


def test_an_entity_of_two_documents_is_two() -> None:
    key = [doc("(a) w (a) w", id="d1"), doc("(a) w (a) w", id="d2")]
    expect(score(key, key), muc=1, ceafe=1)
    assert score(key, key).counts["ceafe"].values == (2, 2, 2, 2)


def test_a_zero_against_a_word_as_head() -> None:
    """The same words with an empty node as head or not."""
    key, response = doc("(a) w w (a:1 @3:nsubj w )a w"), doc("(x) w w (x:2 @3:nsubj w )x w")
    expect(score(key, response), muc=0)
    expect(score(key, response, match="exact"), muc=1, zero=1)


def test_missing_heads_are_the_first_word() -> None:
    key, response = doc("(a w w w )a w (a) w"), doc("(x w w )x w w (x) w")
    expect(score(key, response), muc=1)
    expect(score(key, response, match="partial"), muc=1)


def test_several_responses_for_one_key() -> None:
    """2-4 has 3/5 of the words, 3 has 1/5, so the first is the partner; once both were."""
    key, response = doc("(a:3 w w w w w )a w w (a) w"), doc("w (x:2 w (x) w w )x w w w (x) w")
    expect(score(key, response), muc=(1, HALF), b3=(1, Fraction(2 * 2, 3) / 3))
    expect(score(key, response, "crac22"), muc=(1, 1))


def test_crac22_reduces_mentions_to_heads() -> None:
    """Words beside the head cost nothing, where partial matching wants the response inside the key."""
    key, response = doc("w (a:1 w w )a w (a) w"), doc("(x:2 w w w w )x (x) w")
    expect(score(key, response, "crac22", match="head"), muc=1)
    expect(score(key, response, "crac22"), muc=0)


def test_crac22_reduces_only_the_smaller_of_two_with_one_head() -> None:
    """1-5 and 1-3 share the head 1: 1-3 becomes 1, 1-5 stays, and finds 1-5 again, not 1."""
    key = doc("(a:1 (b:1 w w w )b w w )a (a) w (b) w")
    response = doc("(a:1 (b:1 w w )b w w w )a (a) w (b) w")
    expect(
        score(key, response, "crac22", match="head"),
        muc=1,
        mor=(Fraction(5 + 2 + 1 + 1, 5 + 3 + 1 + 1), Fraction(9, 9)),
    )


def test_the_perl_scorer_drops_repeated_mentions() -> None:
    """w1 stays in the first entity only; of the second w3 is left."""
    key = doc("(a) w (a) w (b) w (b) w")
    response = doc("(x) (y) w (x) w (y) w w")
    found = score(key, response, "conll12")
    expect(
        found,
        muc=(Fraction(1, 2), Fraction(1, 1)),
        b3=((Fraction(4, 2) + HALF) / 4, Fraction(2 + 1, 3)),
        ceafm=(Fraction(3, 4), 1),
    )


def test_the_perl_scorer_takes_the_links_of_the_key() -> None:
    """Where no mentions of the key are apart, pairs apart do not count, though the response has some."""
    key, response = doc("(a) w (a) w (a) w"), doc("(x) w (x) w (y) w")
    expect(score(key, response, "conll12"), blanc=(Fraction(1, 3), 1))
    expect(score(key, response, match="exact", singletons=True), blanc=(Fraction(1, 3) / 2, HALF))
