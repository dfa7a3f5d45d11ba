"""Words, pieces and windows."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Document
from coindex.document import Token, Tokens
from coindex.resolvers.neural.windows import make_batch, make_windows, pack
from coindex.resolvers.neural.words import SHAPES, DocumentWords, Pieces, document_words, shape, word_span


class Letters:
    """A tokenizer whose pieces are pairs of letters."""

    class Encoding:
        def __init__(self, ids):
            self.ids = ids

    def encode(self, form, *, add_special_tokens):
        assert not add_special_tokens
        return self.Encoding([10 + len(form[at : at + 2]) for at in range(0, len(form), 2)])

    def token_to_id(self, token):
        return None


PIECES = Pieces(Letters(), begin=1, end=2, pad=0, unknown=3)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(9, 40))
def test_packing_is_complete_and_within_the_limit(lengths, limit):
    groups = pack(lengths, limit)
    assert [number for first, last in groups for number in range(first, last)] == list(range(len(lengths)))
    assert all(sum(lengths[first:last]) <= limit for first, last in groups)


def test_packing_is_balanced():
    assert pack([4, 4, 4, 4], 12) == [(0, 2), (2, 4)]


def test_nothing_is_packed_into_nothing():
    assert pack([], 10) == []


def test_a_sentence_longer_than_a_window_is_cut():
    words = DocumentWords(["word"] * 10, list(range(10)), [(0, 10)], [0])
    assert make_windows(words, PIECES.of(words.forms), 8) == [(0, 3), (3, 6), (6, 9), (9, 10)]


def test_a_batch_leads_from_words_to_their_pieces():
    words = DocumentWords(["ab", "abcd", "x", "y"], list(range(4)), [(0, 2), (2, 4)], [1, 0])
    batch = make_batch(words, PIECES.of(words.forms), [(0, 2), (2, 4)], PIECES)
    assert batch.ids.tolist() == [[1, 12, 12, 12, 2], [1, 11, 11, 2, 0]]
    assert batch.mask.tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]
    assert batch.speakers.tolist() == [[0, 1, 1, 1, 0], [0, 0, 0, 0, 0]]
    assert batch.piece_index.tolist() == [[1, 0], [2, 3], [6, 0], [7, 0]]
    assert batch.piece_weight.tolist() == [[1, 0], [0.5, 0.5], [1, 0], [1, 0]]
    assert np.allclose(batch.piece_weight.sum(axis=1), 1)


def test_a_form_without_pieces_is_unknown():
    assert PIECES.of([""]) == [(3,)]


def test_the_forms_used_last_are_kept_with_their_pieces(monkeypatch):
    class Counting(Letters):
        asked = ""

        def encode(self, form, *, add_special_tokens):
            self.asked += form
            return super().encode(form, add_special_tokens=add_special_tokens)

    monkeypatch.setattr(sys.modules[Pieces.__module__], "CACHE", 2)
    tokenizer = Counting()
    pieces = Pieces(tokenizer, begin=1, end=2, pad=0, unknown=3)
    assert pieces.of("abacab") == PIECES.of("abacab")
    assert tokenizer.asked == "abcb", "also within one text no more than two are kept"


def test_a_very_long_form_is_cut():
    assert len(PIECES.of(["x" * 500])[0]) == 10


@pytest.mark.parametrize(
    ("form", "name"),
    [("dog", "lower"), ("Dog", "capital"), ("I", "capital"), ("NASA", "upper"), ("iPod", "mixed"), ("42", "other")],
)
def test_shapes(form, name):
    assert SHAPES[shape(form)] == name


def with_empty_node():
    tokens = Tokens([Token("1", "Came"), Token("1.1", "_"), Token("2", "home"), Token("1", "Slept")])
    return Document.from_sentences(tokens, [3, 1])


def test_empty_nodes_are_no_words():
    words = document_words(with_empty_node())
    assert words.forms == ["Came", "home", "Slept"]
    assert words.positions == [0, 2, 3]
    assert words.sentences == [(0, 2), (2, 3)]


def test_spans_of_words():
    doc = with_empty_node()
    words = document_words(doc)
    assert word_span(doc.mention([0, 1, 2]), words) == (0, 2)
    assert word_span(doc.mention([1]), words) is None
    assert word_span(doc.mention([2, 3]), words) is None, "it crosses the border of sentences"


def test_of_a_mention_with_a_gap_the_run_with_the_head_is_taken():
    doc = Document.from_text("the old and the very young men")
    words = document_words(doc)
    assert word_span(doc.mention([0, 1, 4, 5, 6], head=1), words) == (0, 2)
    assert word_span(doc.mention([0, 1, 4, 5, 6]), words) == (4, 7)
