"""Tokens cut at the borders of standoff annotations."""

from coindex.document import Document
from coindex.document.documents import cut_spans


def test_tokens_are_cut_at_the_offsets_inside_them():
    text = "Bahnhofstrasse ist lang."
    doc = Document.from_text(text, cuts=[7, 0, 14, 16, 99, -3])
    assert [token.form for token in doc.tokens] == ["Bahnhof", "strasse", "i", "st", "lang", "."]
    assert [token.id for token in doc.tokens] == ["1", "2", "3", "4", "5", "6"]
    assert doc.text == text
    assert list(doc.tokens.positions_in(7, 14)) == [1]


def test_no_cuts_change_nothing():
    assert Document.from_text("Ann ran. Bob too.", cuts=[0, 3, 4]) == Document.from_text("Ann ran. Bob too.")


def test_pieces_keep_no_white_space():
    assert cut_spans("1 000 x", [[(0, 5), (6, 7)]], [1, 2]) == [[(0, 1), (2, 5), (6, 7)]]
    assert cut_spans("a  b", [[(0, 4)]], [2]) == [[(0, 1), (3, 4)]]
