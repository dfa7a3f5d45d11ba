"""The kinds of errors, each in a case small enough to be counted by hand."""

from __future__ import annotations

import pytest

import coindex
from coindex.analysis.errors import KINDS, ErrorCase
from coindex.analysis.errors.result import ErrorsFound
from coindex.document import Document, Entity
from coindex.document.edits import canonical
from coindex.errors import CoindexError, UnknownNameError
from marked_text import tagged
from scoring.texts import doc


@pytest.fixture(autouse=True)
def quiet(recwarn: pytest.WarningsRecorder) -> None:
    """That mentions have no heads is known here."""


def find(key: Document, response: Document, **options: object) -> ErrorsFound:
    return coindex.find_errors(key, response, **options)  # type: ignore[arg-type]


def told(found: ErrorsFound) -> list[tuple[str, str]]:
    return [(case.kind, case.mention.text) for case in found.cases]


def only(found: ErrorsFound, kind: str) -> ErrorCase:
    (case,) = found.only(kind)
    return case


KEY = doc("(a) Ann saw (b) Bob .", "(a) She met (b) him .", "(a) She left .")


def test_the_key_has_no_errors() -> None:
    found = find(KEY, KEY)
    assert found.cases == ()
    assert found.tallies[0].mentions == 5


# --- mentions


def test_missed() -> None:
    found = find(KEY, doc("(a) Ann saw Bob .", "(a) She met him .", "(a) She left ."))
    assert told(found) == [("missed", "Bob"), ("missed", "him")]
    first, second = found.cases
    assert (first.distance, first.size, first.mention.side, first.mention.sentence) == (None, 2, "key", 1)
    assert second.distance == 1
    assert (second.before, second.after) == ("She met ", " .")


def test_spurious() -> None:
    key = doc("(a) Ann saw Bob .", "(a) She met him .", "(a) She left .")
    found = find(key, KEY)
    assert told(found) == [("spurious", "Bob"), ("spurious", "him")]
    assert [case.mention.side for case in found.cases] == ["response", "response"]
    assert [case.distance for case in found.cases] == [None, 1]


def test_a_singleton_on_the_other_side_is_reported() -> None:
    """Singletons are not counted here, so a mention that the response left alone is missed; with them it is new."""
    response = doc("(a) Ann saw (b) Bob .", "(a) She met (c) him .", "(a) She left .")
    found = find(KEY, response)
    assert told(found) == [("missed", "Bob"), ("missed", "him")]
    assert all(case.is_alone for case in found.cases)
    assert not any(case.is_alone for case in find(response, KEY, match="exact").only("missed"))
    assert all(case.is_alone for case in find(response, KEY).only("spurious"))
    assert told(find(KEY, response, singletons=True)) == [("false-new", "him"), ("split", "him")]


def test_span_errors_that_the_scorer_forgives_and_that_it_does_not() -> None:
    key = doc("(a:2 the cat in the hat )a slept .", "(a) It woke .")
    response = doc("(a:2 the cat )a in the hat slept .", "(a) It woke .")
    for match, is_matched in (("head", True), ("exact", False)):
        case = only(find(key, response, match=match), "span")
        assert (case.mention.text, case.is_matched) == ("the cat in the hat", is_matched)
        assert case.counterpart is not None
        assert case.counterpart.text == "the cat"
        # though it is not found under exact matching, "It" is not linked to something else
        assert told(find(key, response, match=match)) == [("span", "the cat in the hat")]


def test_mentions_that_overlap_but_have_other_heads_are_missed_and_spurious() -> None:
    response = doc("(a:3 the old man )a 's dog slept .", "(a) It woke .")
    key = doc("(a:5 the old man 's dog )a slept .", "(a) It woke .")
    assert told(find(key, response))[:2] == [("spurious", "the old man"), ("missed", "the old man 's dog")]


def test_the_same_words_with_another_head_are_one_error_and_not_two() -> None:
    """The key says no heads, so its first words count as heads; the scorer does not find "the cat" by its head."""
    key = doc("(a the cat )a slept .", "(a) It woke .")
    response = doc("(a:2 the cat )a slept .", "(a) It woke .")
    found = find(key, response, match="head", singletons=True)
    assert told(found) == [("span", "the cat")]
    case = found.cases[0]
    assert (case.is_head, case.is_matched) == (True, False)
    assert case.to_dict()["is_head"] is True
    assert "    response: the cat (with another head)\n" in found.render("text")
    score = coindex.score(key, response, match="head", singletons=True, metrics=["mentions"])
    assert score["mentions"].recall == score["mentions"].precision == 1 / 2
    assert find(key, response, match="exact").cases == ()


def test_zeros_that_are_matched_by_what_they_hang_on_have_no_borders() -> None:
    key = doc("(a) Ann came and (a) @3:nsubj left .")
    response = doc("(a) Ann came (a) @3:nsubj and left .")
    assert find(key, response).cases == ()


# --- links


def test_false_new() -> None:
    """*She* in sentence 2 has the antecedent *Ann* in the key and begins an entity in the response."""
    found = find(KEY, doc("(a) Ann saw (b) Bob .", "(c) She met (b) him .", "(c) She left ."), singletons=True)
    assert told(found) == [("false-new", "She"), ("split", "She")]
    case = found.cases[0]
    assert case.key_antecedent is not None
    assert (case.key_antecedent.text, case.response_antecedent, case.distance, case.size) == ("Ann", None, 1, 3)


def test_false_link() -> None:
    """*Bob* begins an entity in the key and is linked to *Ann* in the response."""
    key = doc("(a) Ann saw (b) Bob .", "(a) She met (b) him .")
    found = find(key, doc("(a) Ann saw (a) Bob .", "(a) She met (a) him ."))
    assert [case.kind for case in found.cases] == ["false-link", "merged", "wrong-link", "wrong-link"]
    case = only(found, "false-link")
    assert case.response_antecedent is not None
    assert (case.mention.text, case.response_antecedent.text, case.key_antecedent) == ("Bob", "Ann", None)
    assert case.distance == 0


def test_wrong_link() -> None:
    """*him* has *Bob* in the key and *She* in the response; the rest of the chain continues."""
    found = find(KEY, doc("(a) Ann saw (b) Bob .", "(a) She met (a) him .", "(b) She left ."))
    assert [case.mention.text for case in found.only("wrong-link")] == ["him", "She"]
    case = found.only("wrong-link")[0]
    assert case.key_antecedent is not None
    assert case.response_antecedent is not None
    assert (case.key_antecedent.text, case.response_antecedent.text) == ("Bob", "She")
    assert case.distance == 1  # to the antecedent of the key


def test_a_link_to_any_mention_of_the_entity_is_right() -> None:
    """The response lacks the nearest mention, and links to one further back."""
    found = find(KEY, doc("(a) Ann saw (b) Bob .", "She met (b) him .", "(a) She left ."))
    assert told(found) == [("missed", "She")]


def test_a_link_to_a_spurious_mention_is_wrong() -> None:
    key = doc("(a) Ann saw a dog .", "(a) She barked .")
    found = find(key, doc("(a) Ann saw (a:2 a dog )a .", "(a) She barked ."))
    assert told(found) == [("spurious", "a dog"), ("wrong-link", "She")]


# --- entities


def test_split() -> None:
    """One entity of five mentions in three parts."""
    key = doc("(a) A (a) B (a) C (a) D (a) E")
    case = only(find(key, doc("(a) A (b) B (a) C (b) D (c) E"), singletons=True), "split")
    assert [part.text for part in case.parts] == ["A", "B", "E"]
    assert (case.mention.text, case.size, case.distance) == ("B", 5, 0)


def test_merged() -> None:
    """Two entities of the key, all that was found of them in one entity of the response."""
    key = doc("(a) A (b) B (a) C (b) D (a) E")
    found = find(key, doc("(x) A (x) B (x) C (x) D E"))
    case = only(found, "merged")
    assert [part.text for part in case.parts] == ["A", "B"]
    assert case.size == 4  # of the response entity
    assert found.only("split", "conflated") == ()


def test_conflated() -> None:
    """The second entity of the response has parts of both entities; so it is no whole one that was merged."""
    key = doc("(a) A (a) B (b) C (b) D (a) E")
    found = find(key, doc("(x) A (x) B (y) C (y) D (y) E"))
    case = only(found, "conflated")
    assert [part.text for part in case.parts] == ["C", "E"]
    assert case.response_antecedent is not None
    assert (case.mention.text, case.response_antecedent.text) == ("E", "D")
    assert found.only("merged") == ()
    assert [part.text for part in only(found, "split").parts] == ["A", "E"]


def test_all_kinds_are_distinguished() -> None:
    assert list(KINDS) == [
        *("missed", "spurious", "span", "false-new", "false-link", "wrong-link", "split", "merged", "conflated")
    ]
    assert {kind.group for kind in KINDS.values()} == {"mentions", "links", "entities"}


# --- types, sizes, rare words


def test_types_of_mentions() -> None:
    rows = """
Ann PROPN 2 nsubj _ (a)
saw VERB 0 root _ (e)
the DET 4 det _ (b
dog NOUN 2 obj _ b)
two NUM 2 obl _ (c)

∅ PRON 2 nsubj _ (a)
saw VERB 0 root _ (e)
it PRON 2 obj _ (b)
two NUM 2 obl _ (c)
"""
    key = tagged(rows, id="d")
    entities = tuple(Entity(e.id, e.mentions, kind="event" if e.id == "e" else "entity") for e in key.entities)
    key = canonical(key.replace(entities=entities))
    found = find(key, key.replace(entities=()))
    types = {case.mention.text: case.type for case in found.cases}
    wanted = {"Ann": "name", "saw": "event", "the dog": "nominal", "two": "other", "∅": "zero", "it": "pronoun"}
    assert types == wanted
    assert found.tallies[0].types == {"name": 1, "event": 2, "nominal": 1, "other": 2, "zero": 1, "pronoun": 1}
    assert found.tallies[0].distances == {None: 4, 1: 4}


def test_rare_words() -> None:
    """PreCo's footnotes: the mention, the right antecedent and the wrong one; fewer than ten times; letters only."""
    train = [Document.from_text("Ann saw him . " * 9 + "Ann 1999 She She She She She She She She She She")]
    key = doc("(a) Ann saw (b) Bob .", "(a) She met (b) him .")
    wrong = doc("(a) Ann saw (b) Bob .", "(b) She met (a) him .")
    found = find(key, wrong, train=train)
    assert [(c.mention.text, c.rare_words) for c in found.only("wrong-link")] == [
        ("She", ("Bob",)),  # Ann comes ten times
        ("him", ("him", "Bob")),  # nine times; Ann, its wrong antecedent, comes often
    ]
    assert all(case.is_lfw for case in found.only("wrong-link"))
    assert [case.is_lfw for case in find(key, wrong).only("wrong-link")] == [None, None]
    with pytest.raises(CoindexError, match="the training corpus contains no words"):
        find(key, wrong, train=[Document.from_text("1 2 3")])


def test_genres_are_those_of_the_key() -> None:
    found = find(KEY.replace(genre="news"), doc("Ann saw Bob .", "She met him .", "She left ."))
    assert {case.genre for case in found.cases} == {"news"}


# --- two responses


def test_changes() -> None:
    """The first misses Bob's entity, the second fixes that and misses the last mention; both have one in common."""
    key = doc("(a) Ann saw (b) Bob .", "(a) She met (b) him .", "(a) She left (c) home for (c) home .")
    first = doc("(a) Ann saw Bob .", "(a) She met him .", "(a) She left home for home .")
    second = doc("(a) Ann saw (b) Bob .", "(a) She met (b) him .", "She left home for home .")
    found = coindex.find_errors(key, first, second)
    assert [case.mention.text for case in found.changed("fixed")] == ["Bob", "him"]
    assert [case.mention.text for case in found.changed("both")] == ["home", "home"]
    assert [case.mention.text for case in found.changed("broken")] == ["She"]
    changes = found.tables()[0]
    assert changes.name == "changes"
    assert changes.rows[0].values == [4, 3, 2, 2, 1]
    assert (found.name, found.second and found.second.name) == ("A", "B")


def test_an_entity_that_both_split_is_one_error() -> None:
    key = doc("(a) A (a) B (a) C (a) D")
    found = coindex.find_errors(key, doc("(x) A (x) B (y) C (y) D"), doc("(x) A (y) B (x) C (y) D"))
    assert [case.kind for case in found.changed("both")] == ["split"]


def test_a_perfect_second_response_fixes_all() -> None:
    found = coindex.find_errors(KEY, doc("Ann saw Bob .", "She met him .", "She left ."), KEY, explorer=True)
    assert len(found.changed("fixed")) == 5
    assert "d0" in found.render("html")


# --- the tables


def test_tables() -> None:
    found = find(KEY, doc("(a) Ann saw Bob .", "(a) She met him .", "(a) She left ."))
    kinds = {row.label: row.values for row in found.tables()[0].rows}
    assert kinds["missed"] == [2, 1.0, 2 / 5]
    assert kinds["all"] == [2, 1.0, 2 / 5]
    by = {table.name: table for table in found.tables()}
    assert list(by) == ["kinds", "type", "distance", "size", "document"]
    columns = [column.name for column in by["distance"].columns]
    rows = {row.label: dict(zip(columns, row.values, strict=True)) for row in by["distance"].rows}
    assert (rows["first"]["mentions"], rows["first"]["missed"]) == (2, 1)
    assert (rows["1"]["mentions"], rows["1"]["missed"], rows["1"]["rate"]) == (3, 1, 1 / 3)
    assert rows["all"]["errors"] == 2
    assert all(table.signatures == [found.signature] for table in found.tables())


def test_only_knows_its_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean false-new"):
        find(KEY, doc("Ann saw Bob .", "She met him .", "She left .")).only("falsenew")


def test_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = find(KEY, doc("(a) Ann saw Bob .", "(a) She met him .", "(a) She left .")).to_frame()
    assert list(frame["mention"]) == ["Bob", "him"]
    assert frame["distance"].isna().tolist() == [True, False]
    assert frame["distance"].dtype == pandas.Int64Dtype()
    assert find(KEY, KEY).to_frame().empty


def test_a_notebook_shows_tables() -> None:
    assert "<table>" in find(KEY, KEY)._repr_html_()


def test_the_explorer_needs_the_texts() -> None:
    with pytest.raises(CoindexError, match="explorer=True"):
        find(KEY, KEY).render("html")
