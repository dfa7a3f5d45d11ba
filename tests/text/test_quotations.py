"""Quotations in raw text: marks, paragraphs, block quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.text.turns import find_quotations


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('He said "she left" and ran.', ['"she left"']),
        ("“I saw her,” she said. “She ran.”", ["“I saw her,”", "“She ran.”"]),
        ("« Elle » dit-elle. ‹Non›", ["« Elle »", "‹Non›"]),
        ("„Nein“, sagte sie.", ["„Nein“"]),
        ("``She is,'' he said", ["``She is,''"]),
        ('" I am , " he said . " She is . "', ['" I am , "', '" She is . "']),
        ('A 5" pipe is hers. She "ran".', ['"ran"']),
        ("‘Come in, don’t wait,’ she said. ‘He’s late.’", ["‘Come in, don’t wait,’", "‘He’s late.’"]),
        ("'Come,' she said. The girls' dog ran.", ["'Come,'"]),
        ("'Tis late. The boys' game ended.", []),
        ("“She ran.\n\n“She won.” She left.", ["“She ran.", "“She won.”"]),
        ('"She ran.\n\nShe left.', ['"She ran.']),
        ("> She said\n> he ran\n\nShe ran", ["> She said", "> he ran"]),
        ("a <blockquote>She ran</blockquote> b", ["<blockquote>She ran</blockquote>"]),
        ("5 > 3, she said", []),
        ("", []),
    ],
)
def test_quotations(text: str, quoted: list[str]) -> None:
    assert [text[start:end] for start, end in find_quotations(text)] == quoted


@given(st.text(alphabet="aB .,\n\"'“”‘’«»><`"))
def test_spans_are_inside_the_text(text: str) -> None:
    for start, end in find_quotations(text):
        assert 0 <= start < end <= len(text)
