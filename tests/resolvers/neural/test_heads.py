"""Heads that words alone settle."""

import numpy as np
import pytest

from coindex.document import Document
from coindex.resolvers.neural.detection import describe
from coindex.resolvers.neural.resolving import correct_heads
from coindex.resolvers.neural.words import DocumentWords, document_words


@pytest.mark.parametrize(
    ("text", "head", "expected"),
    [
        ("Dr. Hill", 0, 1),
        ("Chief Justice Mary Hill", 0, 2),
        ("Mr. and Mrs. Hill", 0, 0),  # not a name that follows
        ("the general", 1, 1),
        ("General", 0, 0),
        ("forty - two", 0, 2),
        ("forty - two", 2, 2),
        ("forty houses", 1, 1),
    ],
)
def test_titles_and_tens_are_no_heads(text, head, expected):
    words = document_words(Document.from_text(f"we saw {text} today"))
    found = correct_heads(words, describe(words, [(2, len(words) - 1)]), np.array([2 + head]))
    assert found.tolist() == [2 + expected]


def test_a_title_before_a_word_without_a_letter():
    words = DocumentWords(["Dr.", "", "Hill"], [0, 1, 2], [(0, 3)], [0])
    assert correct_heads(words, describe(words, [(0, 3)]), np.array([0])).tolist() == [0]
