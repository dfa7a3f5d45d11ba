"""Candidates, features of candidates and pairs, and spans by style."""

from __future__ import annotations

import numpy as np
import pytest

from coindex.document import Document
from coindex.resolvers.linguistics.languages import language_of
from coindex.resolvers.sieves.candidates import TreeColumns
from coindex.resolvers.ud.candidates import Style, mention_positions, read_document, remove_shared
from coindex.resolvers.ud.mentions import (
    CLASSES,
    COLUMNS,
    MOST,
    LabelTable,
    class_of,
    describe_all,
    neighbours,
    word_labels,
    word_types,
)
from coindex.resolvers.ud.pairs import (
    FEATURES,
    GRADES,
    NAMES,
    NEAREST,
    OFFSETS,
    RELATIONS,
    WIDTH,
    Described,
    compare,
    describe_document,
    name_match,
)
from parsed_text import parsed
from tiny_ud import story

TREE = """
The the DET Definite=Def|PronType=Art 3 det
old old ADJ _ 3 amod
mayor mayor NOUN Number=Sing|Gender=Masc 9 nsubj
, , PUNCT _ 5 punct
Pavel Pavel PROPN Number=Sing|Gender=Masc 3 appos
, , PUNCT _ 5 punct
who who PRON PronType=Rel 8 nsubj
lied lie VERB Person=3|Number=Sing 3 acl
left leave VERB Person=3|Number=Sing 0 root
. . PUNCT _ 9 punct

The the DET Definite=Def|PronType=Art 2 det
mayor mayor NOUN Number=Sing|Gender=Masc 3 nsubj
returned return VERB Person=3|Number=Sing 0 root
and and CCONJ _ 5 cc
4.1 _ _ PRON _ _ _ 5:nsubj
slept sleep VERB Person=3|Number=Sing 3 conj
. . PUNCT _ 3 punct
"""


def at_head(doc: Document, form: str, number: int = 0) -> int:
    """The index of the candidate whose head has this form."""
    found = [one.index for one in read_document(doc).candidates if doc.tokens[one.head].form == form]
    return found[number]


def feature(described: Described, name: str, later: int, earlier: int) -> int:
    """The value of a feature of a pair."""
    pairs = described.pairs
    (row,) = np.flatnonzero((pairs.anaphor == later) & (pairs.candidate == earlier))
    return int(pairs.features[row, list(FEATURES).index(name)] - OFFSETS[name])


def test_everything_that_some_corpus_annotates_is_a_candidate() -> None:
    doc = parsed(TREE, language="xx")
    heads = {doc.tokens[one.head].form for one in read_document(doc).candidates}
    assert {"mayor", "Pavel", "who", "lied", "left", "_"} <= heads
    assert not {"The", "old", ",", "and"} & heads


def test_classes_distinguish_pronouns_zeros_and_phrases() -> None:
    doc = parsed(TREE, language="xx")
    reading = read_document(doc)
    found = {doc.tokens[one.head].form: class_of(one, reading.words) for one in reading.candidates}
    assert found["mayor"] == "definite"
    assert found["Pavel"] == "name"
    assert found["who"] == "relative"
    assert found["_"] == "zero3"
    assert found["left"] == "clause"


def test_columns_and_features_stay_within_their_tables() -> None:
    described = describe_document(read_document(parsed(TREE, language="xx")))
    for name, values in COLUMNS.items():
        column = described.columns[name]
        assert column.min() >= 0
        assert column.max() < values, name
    features = described.pairs.features
    begins = np.array([*OFFSETS.values(), WIDTH])
    assert (features >= begins[:-1]).all()
    assert (features < begins[1:]).all()
    assert described.pairs.classes.max() < len(CLASSES) ** 2


def test_pairs_are_sorted_and_look_back_only() -> None:
    pairs = describe_document(read_document(parsed(TREE, language="xx"))).pairs
    assert (pairs.candidate < pairs.anaphor).all()
    keys = pairs.anaphor * 1000 + pairs.candidate
    assert (np.diff(keys) > 0).all()


def test_a_zero_knows_the_subject_of_the_verb_beside_its_own() -> None:
    doc = parsed(TREE, language="xx")
    described = describe_document(read_document(doc))
    zero, mayor = at_head(doc, "_"), at_head(doc, "mayor", 1)
    assert RELATIONS[feature(described, "relation", zero, mayor)] == "conj"
    assert feature(described, "number", zero, mayor) == 1  # both singular: the verb says it of the zero
    assert feature(described, "sentences", zero, mayor) == 0


def test_a_repeated_head_with_fewer_modifiers_matches() -> None:
    doc = parsed(TREE, language="xx")
    described = describe_document(read_document(doc))
    first, second = at_head(doc, "mayor"), at_head(doc, "mayor", 1)
    assert GRADES[feature(described, "grade", second, first)] == "less"
    assert feature(described, "gender", second, first) == 1


def test_appositions_and_relative_pronouns_are_recognised_by_the_tree() -> None:
    doc = parsed(TREE, language="xx")
    described = describe_document(read_document(doc))
    mayor = at_head(doc, "mayor")
    assert RELATIONS[feature(described, "relation", at_head(doc, "Pavel"), mayor)] == "apposition"
    assert RELATIONS[feature(described, "relation", at_head(doc, "who"), mayor)] == "relative"


@pytest.mark.parametrize(
    ("one", "before", "name"),
    [
        ("Ann Marsh", "Ann Marsh", "equal"),
        ("Marsh", "Ann Marsh", "last"),
        ("Ann", "Ann Marsh", "first"),
        ("Rosa", "Ann Rosa Marsh", "part"),
        ("Ann Marsh", "Marsh", "whole"),
        ("Ann Marsh", "Bob Marsh", "overlap"),
        ("Ann", "Bob", "apart"),
        ("Ann", "", "none"),
    ],
)
def test_parts_of_names(one: str, before: str, name: str) -> None:
    assert NAMES[name_match(tuple(one.split()), tuple(before.split()))] == name


def test_matches_depend_on_the_order() -> None:
    first, second = (one for one in read_document(parsed(TREE, language="xx")).candidates if one.lemma == "mayor")
    assert compare(second, first) != compare(first, second)


def test_labels_are_of_columns_and_a_zero_has_those_of_its_verb() -> None:
    doc = parsed(TREE, language="xx")
    words = TreeColumns(doc, language_of(doc))
    labels = word_labels(words, 2)
    assert {"upos=NOUN", "deprel=nsubj", "Gender=Masc", "parent=VERB", "child=appos"} <= set(labels)
    assert not any("mayor" in label for label in labels)
    zero = next(position for position in range(words.size) if position in words.empty)
    assert {"shape=empty", "Person=3", "Number=Sing"} <= set(word_labels(words, zero))


def test_unknown_labels_are_left_out() -> None:
    doc = parsed(TREE.replace("NOUN", "Substantiv"), language="xx")
    types = word_types(TreeColumns(doc, language_of(doc)), LabelTable.of(["upos=PUNCT", "deprel=punct"]))
    assert types.labels.shape == (types.labels.shape[0], MOST)
    assert types.labels[types.of[2]].sum() == 0
    assert types.labels[types.of[3]].sum() == 3


def test_neighbours_end_with_the_sentence() -> None:
    doc = parsed(TREE, language="xx")
    before, after, parent = neighbours(TreeColumns(doc, language_of(doc)))
    size = len(doc.tokens)
    assert before[0] == before[10] == after[9] == after[size - 1] == size
    assert parent[8] == size
    assert parent[2] == 8


def test_a_style_determines_mention_spans() -> None:
    reading = read_document(parsed(TREE, language="xx"))
    mayor = next(one for one in reading.candidates if one.lemma == "mayor")
    wide = Style({"n:appos:R": True, "n:acl:R": True})
    narrow = Style({"n:appos:R": False, "n:acl:R": False, "n:amod:L": False, "n:det:L": False})
    assert mention_positions(reading.words, mayor, wide) == tuple(range(8))
    assert mention_positions(reading.words, mayor, narrow) == (2,)
    without_name = Style({"n:appos:R": False, "n:acl:R": True})
    assert mention_positions(reading.words, mayor, without_name) == (0, 1, 2)
    marks = Style({"n:appos:R": True, "n:acl:R": False, "n:punct:R": True})
    assert mention_positions(reading.words, mayor, marks) == tuple(range(6))
    gaps = Style({"n:appos:R": False, "n:acl:R": True}, gaps=True)
    assert mention_positions(reading.words, mayor, gaps) == (0, 1, 2, 6, 7)


def test_an_article_that_is_written_in_one_with_the_preposition_is_outside() -> None:
    assert remove_shared((4, 5), 5, frozenset({4})) == (5,)
    assert remove_shared((4, 5), 4, frozenset({4})) == (4, 5)
    assert remove_shared((4, 5), 5, frozenset({5})) == (4, 5)


def test_the_same_document_is_described_the_same_way_twice() -> None:
    one, other = (describe_document(read_document(story(3))) for _ in range(2))
    assert (one.pairs.features == other.pairs.features).all()
    assert all((one.columns[name] == other.columns[name]).all() for name in COLUMNS)


def test_candidates_of_a_long_document_have_a_bounded_number_of_pairs() -> None:
    doc = parsed("\n\n".join([TREE.strip()] * 60), language="xx")
    pairs = describe_document(read_document(doc)).pairs
    assert np.bincount(pairs.anaphor).max() <= NEAREST + 9


SENTENCES = (
    "A{n} a{n} NOUN Number=Sing 2 nsubj\nv{n} v{n} VERB Person=3 0 root\nhim he PRON Person=3|PronType=Prs 2 obj"
)


def test_links_stay_in_their_sentence_where_sentences_have_nothing_to_do_with_each_other() -> None:
    heap = read_document(parsed("\n\n".join(SENTENCES.format(n=n) for n in range(30)), language="xx"))
    assert heap.heap
    sentences = np.array([one.sentence for one in heap.candidates])
    pairs = describe_document(heap).pairs
    assert len(pairs)
    assert (sentences[pairs.anaphor] == sentences[pairs.candidate]).all()
    text = read_document(parsed("\n\n".join(SENTENCES.format(n=n // 3) for n in range(30)), language="xx"))
    assert not text.heap
    few = read_document(parsed("\n\n".join(SENTENCES.format(n=n) for n in range(10)), language="xx"))
    assert not few.heap


BROKEN = {
    "a circle": "A a NOUN _ 2 nsubj\nB b NOUN _ 1 nmod",
    "a missing head": "A a NOUN _ 9 nsubj\nB b VERB _ 0 root",
    "its own parent": "A a NOUN _ 1 nsubj\nB b VERB _ 0 root",
    "no features and odd labels": "A a Noun ? 2 SBJ\nB b Verb ? 0 ROOT",
    "right to left": "الولد ولد NOUN Gender=Masc|Number=Sing 2 nsubj\nجاء جاء VERB Person=3 0 root",
    "bad enhanced dependencies": "A a NOUN _ 2 nsubj\nB b VERB _ 0 root\n2.1 _ _ PRON _ _ _ 77:x|:|q",
    "two roots": "A a NOUN _ 0 root\nB b NOUN _ 0 root",
    "only marks": ". . PUNCT _ 0 root",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_trees_are_read(text: str) -> None:
    reading = read_document(parsed(text, language="xx"))
    described = describe_document(reading)
    assert len(described) == len(reading.candidates)
    assert set(describe_all(reading)) == set(COLUMNS)
