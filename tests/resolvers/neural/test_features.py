"""Kinds, string match, candidates and features of pairs."""

import numpy as np
import pytest

from coindex.resolvers.linguistics.mention_kinds import (
    CLASSES,
    ENTERED,
    KINDS,
    LEFT,
    NUMBERS,
    OUTSIDE,
    PERSONS,
    PLACES,
    kind_of,
    number_of,
    rule_head,
)
from coindex.resolvers.neural.detection import describe, log_bucket
from coindex.resolvers.neural.pairs import (
    BASIC,
    BETWEEN,
    FEATURES,
    GRADES,
    MEANINGS,
    OWNERS,
    RECENT,
    RELATIONS,
    MatchIndex,
    PairMaker,
    grade,
    make_look,
    relation,
)
from coindex.resolvers.neural.words import DocumentWords


def kind(text, initial=False):
    forms = text.split()
    return KINDS[kind_of(forms, (0, len(forms)), 0 if initial else -1)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("She", "she"),
        ("my", "i"),
        ("the old house", "definite"),
        ("an apple", "indefinite"),
        ("those days", "demonstrative"),
        ("her brother", "possessive"),
        ("Anna 's brother", "possessive"),
        ("three dogs", "quantified"),
        ("12 dogs", "quantified"),
        ("old dogs", "bare"),
        ("Mary Brown", "name"),
        ("the University of life", "name"),
    ],
)
def test_kinds(text, name):
    assert kind(text) == name


def test_a_capital_at_the_start_of_a_sentence_may_be_no_name():
    assert kind("Dogs", initial=True) == "initial"


@pytest.mark.parametrize(
    ("text", "head"),
    [("the man in the moon", 1), ("the man , a tailor", 1), ("the woman who left", 1), ("old dogs", 1), ("Anna 's", 0)],
)
def test_heads_without_a_tree(text, head):
    forms = text.split()
    assert rule_head(forms, (0, len(forms))) == head


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the dogs", "plural"),
        ("the dog", "singular"),
        ("Anna and Bo", "plural"),
        ("Anna", "unknown"),
        ("it", "singular"),
    ],
)
def test_numbers(text, name):
    forms = text.split()
    assert NUMBERS[number_of(forms, (0, len(forms)))] == name


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("the dog", "a dog", "same"),
        ("the big dog", "the dog", "same head, subset"),
        ("the dogs", "the dog", "same head, subset"),
        ("the big dog", "the small dog", "same head"),
        ("dog food", "the dog", "head inside"),
        ("dog food", "dog house", "overlap"),
        ("World Health Office", "WHO", "acronym"),
        ("the government", "the governor", "similar"),
        ("the dog", "the cat", "none"),
    ],
)
def test_grades(first, second, name):
    looks = [make_look(text.split(), (0, len(text.split())), len(text.split()) - 1) for text in (first, second)]
    assert GRADES[grade(*looks)] == name
    assert GRADES[grade(*reversed(looks))] == name


def test_the_index_finds_only_the_latest_similar_mentions():
    index = MatchIndex()
    forms = ["dog"] * 100
    for number in range(100):
        found = index.add(forms, (number, number + 1), number, KINDS.index("bare"))
    assert sorted(found) == list(range(99 - RECENT, 99))


def test_pronouns_are_not_in_the_index():
    index = MatchIndex()
    index.add(["she", "she"], (0, 1), 0, KINDS.index("she"))
    assert index.add(["she", "she"], (1, 2), 1, KINDS.index("she")) == {}


def test_buckets():
    assert log_bucket(np.array([-3, 0, 1, 4, 5, 7, 8, 15, 16])).tolist() == [0, 0, 1, 4, 5, 5, 6, 6, 7]


STORY = DocumentWords("Anna , a doctor , saw her dog . It ran .".split(), list(range(12)), [(0, 9), (9, 12)], [1, 2])  # noqa: SIM905
SPANS = [(0, 1), (0, 4), (2, 4), (6, 7), (6, 8), (9, 10)]


def pairs_of(words, spans, limit=50, block=100):
    maker = PairMaker(words, limit, tuple(FEATURES))
    parts = []
    for at in range(0, len(spans), block):
        mentions = describe(words, spans[at : at + block])
        parts.append(maker.add(mentions, mentions.end - 1))
    return parts


def rows_of(parts):
    return [
        (int(i), int(j), tuple(row))
        for part in parts
        for i, j, row in zip(part.anaphor, part.candidate, part.features.tolist(), strict=True)
    ]


def test_candidates_begin_before_the_anaphor():
    found = {(i, j) for i, j, _ in rows_of(pairs_of(STORY, SPANS))}
    assert (1, 0) not in found, "both begin at one word"
    assert (4, 3) not in found
    assert {(2, 0), (2, 1), (3, 0), (5, 4), (5, 3)} <= found


def test_features_encode_known_attributes():
    (pairs,) = pairs_of(STORY, SPANS)
    names = list(FEATURES)
    rows = {(i, j): dict(zip(names, row, strict=True)) for i, j, row in rows_of([pairs])}
    assert BETWEEN[rows[2, 0]["between"]] == "comma"
    assert rows[2, 1]["nesting"] == 1
    assert rows[5, 4]["sentences"] == 1
    assert rows[5, 4]["speaker"] % 3 == 2, "another speaker"
    assert rows[2, 0]["speaker"] % 3 == 1, "the same speaker"
    assert all((pairs.features[:, column] < FEATURES[name]).all() for column, name in enumerate(names))


def test_every_feature_has_a_description():
    assert list(MEANINGS) == list(FEATURES)
    assert set(BASIC) <= set(FEATURES)


def test_words_without_a_letter_are_words():
    words = DocumentWords(["the", "", "dog", "saw", "the", "new", "dog"], list(range(7)), [(0, 7)], [0])
    assert feature(words, [(0, 3), (4, 7)], "words") == {(1, 0): RELATIONS.index("other")}


def test_blocks_change_nothing():
    assert rows_of(pairs_of(STORY, SPANS, block=2)) == rows_of(pairs_of(STORY, SPANS))


def test_candidates_are_limited_but_similar_mentions_may_be_distant():
    forms = ["castle", *(f"thing{number}" for number in range(40)), "castle"]
    forms = [form if form == "castle" else f"{number:03}x" for number, form in enumerate(forms)]
    words = DocumentWords(forms, list(range(42)), [(0, 42)], [0])
    (pairs,) = pairs_of(words, [(at, at + 1) for at in range(42)], limit=5)
    assert pairs.candidate[pairs.anaphor == 41].tolist() == [0, 36, 37, 38, 39, 40]
    assert pairs.candidate[pairs.anaphor == 40].tolist() == [35, 36, 37, 38, 39]


def feature(words, spans, name):
    (pairs,) = pairs_of(words, spans)
    column = list(FEATURES).index(name)
    places = zip(pairs.anaphor.tolist(), pairs.candidate.tolist(), strict=True)
    return dict(zip(places, pairs.features[:, column].tolist(), strict=True))


def test_owners_distinguish_his_head_from_my_head():
    words = DocumentWords("my head hit his head and my knee".split(), list(range(8)), [(0, 8)], [0])  # noqa: SIM905
    found = feature(words, [(0, 2), (3, 5), (6, 8)], "owners")
    assert {pair: OWNERS[value] for pair, value in found.items()} == {
        (1, 0): "different",
        (2, 0): "same",
        (2, 1): "different",
    }


def test_repeats_count_earlier_mentions_that_look_like_the_candidate():
    words = DocumentWords("Anna Anna Anna Bo".split(), list(range(4)), [(0, 4)], [0])  # noqa: SIM905
    found = feature(words, [(0, 1), (1, 2), (2, 3), (3, 4)], "repeats")
    assert [found[3, candidate] for candidate in range(3)] == [0, 1, 2]


def test_quotes_determine_the_speaker():
    words = DocumentWords('He said " I " to me'.split(), list(range(7)), [(0, 7)], [0])  # noqa: SIM905
    found = feature(words, [(0, 1), (3, 4), (6, 7)], "quotes")
    persons = {pair: divmod(value // PLACES, CLASSES) for pair, value in found.items()}
    places = {pair: value % PLACES for pair, value in found.items()}
    i, he = (PERSONS.index(name) + 1 for name in ("i", "he"))
    assert persons == {(1, 0): (i, he), (2, 0): (i, he), (2, 1): (i, i)}
    assert places == {(1, 0): ENTERED, (2, 0): OUTSIDE, (2, 1): LEFT}


def test_a_model_may_use_some_features_only():
    mentions = describe(STORY, SPANS)
    pairs = PairMaker(STORY, 50, ("match", "kinds")).add(mentions, mentions.end - 1)
    assert pairs.features.shape == (len(pairs), 2)


@pytest.mark.parametrize(
    ("anaphor", "candidate", "name"),
    [
        ("the dog", "a dog", "equal"),
        ("the dog", "the big dog", "fewer"),
        ("the big dog", "the dog", "more"),
        ("the 2 dogs", "the 3 dogs", "other numbers"),
        ("the small dog", "the big dog", "other"),
        ("the dog", "dog food", "head in candidate"),
        ("dog food", "the dog", "head in anaphor"),
        ("dog food", "dog house", "other, without head"),
    ],
)
def test_what_the_words_are_to_each_other(anaphor, candidate, name):
    looks = [make_look(text.split(), (0, len(text.split())), len(text.split()) - 1) for text in (anaphor, candidate)]
    assert RELATIONS[relation(*looks)] == name


def test_words_are_compared_from_the_anaphor():
    words = DocumentWords("the big dog saw the dog".split(), list(range(6)), [(0, 6)], [0])  # noqa: SIM905
    assert RELATIONS[feature(words, [(0, 3), (4, 6)], "words")[1, 0]] == "fewer"


def test_the_nearest_similar_mention_is_first():
    words = DocumentWords("Anna Bo Anna Anna".split(), list(range(4)), [(0, 4)], [0])  # noqa: SIM905
    found = feature(words, [(0, 1), (1, 2), (2, 3), (3, 4)], "rank")
    assert [found[3, candidate] for candidate in range(3)] == [2, 0, 1]
