"""The two simplest: every mention alone, and spans reduced to heads."""

import pytest

import coindex
from coindex.errors import CoindexError, DataWarning
from parsed_text import chains, parsed, with_mentions, words


def test_singleton_keeps_spans_and_kinds():
    doc = with_mentions(
        words("The strike hurt Ford"), [0, 1], [3], [2], [1], kinds=["event", "entity", "event", "entity"]
    )
    result = coindex.load("singleton", mentions="given")(doc)
    assert chains(result) == [["The strike"], ["strike"], ["hurt"], ["Ford"]]
    assert [entity.kind for entity in result.entities] == ["event", "entity", "event", "entity"]
    assert {mention.attributes["by"] for mention, _ in result.mentions()} == {"singleton"}


def test_a_span_of_both_kinds_is_listed_twice():
    doc = with_mentions(words("A strike"), [1], [1], kinds=["event", "entity"])
    assert [entity.kind for entity in coindex.load("singleton", mentions="given")(doc).entities] == ["event", "entity"]


def test_singleton_has_no_mentions_of_its_own():
    with pytest.raises(CoindexError, match="given mentions only"):
        coindex.load("singleton")


def test_heads():
    text = "The the DET _ 2 det\ndog dog NOUN _ 3 nsubj\nbarks bark VERB _ 0 root\nit it PRON _ 3 obj"
    doc = with_mentions(parsed(text), [0, 1], [3])
    assert chains(coindex.load("heads", keep_entities=True)(doc)) == [["dog"], ["it"]]


def test_empty_and_zero():
    with pytest.warns(DataWarning, match="an empty text"):
        assert coindex.load("singleton", mentions="given")("").entities == ()
    zero = with_mentions(parsed("0.1 _ _ PRON\nvino venir VERB"), [0])
    assert chains(coindex.load("singleton + heads", mentions="given")(zero)) == [["∅_"]]
