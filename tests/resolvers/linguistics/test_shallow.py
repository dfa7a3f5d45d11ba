"""Noun phrases of raw English."""

import pytest

from coindex.document import Document
from coindex.resolvers.linguistics.noun_phrases import find_chunks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The quick brown fox jumped over the lazy dog.", ["The quick brown fox", "the lazy dog"]),
        ("John Smith's new car is in the garage.", ["John Smith", "John Smith's new car", "the garage"]),
        ("She gave her sister an old book yesterday.", ["her sister", "an old book"]),
        ("Yesterday, Mr. Brown and Ms. Gray of Oslo left.", ["Mr. Brown", "Ms. Gray", "Oslo"]),
        ("Prices rose in 12 countries.", ["Prices", "12 countries"]),
        ("He loved her work and the use of colour.", ["her work", "the use", "colour"]),
        ("Everyone saw something.", ["Everyone", "something"]),
        ("It slowly began to rain.", []),
        ("Clara walked home quickly.", ["Clara"]),
        ("The.", []),
    ],
)
def test_phrases(text, expected):
    doc = Document.from_text(text, language="en")
    assert [doc.mention(range(p.start, p.end)).text for p in find_chunks(doc)] == expected
    assert all(p.start <= p.head < p.end for p in find_chunks(doc))


def test_a_sentence_initial_name_is_recognised_from_another_sentence():
    doc = Document.from_text("Later Lisbon shone. Lisbon quietly slept.", language="en")
    assert [doc.mention(range(p.start, p.end)).text for p in find_chunks(doc)] == ["Lisbon", "Lisbon"]
