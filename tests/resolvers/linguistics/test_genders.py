"""Who is surely a man or a woman, by the words of a mention."""

import numpy as np
import pytest

from coindex import Document
from coindex.resolvers.linguistics.mention_kinds import rule_head
from coindex.resolvers.neural.detection import FEMININE, MASCULINE, UNKNOWN, describe, genders
from coindex.resolvers.neural.words import document_words


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("he", MASCULINE),
        ("hers", FEMININE),
        ("it", UNKNOWN),
        ("Mr. Marsh", MASCULINE),
        ("Mrs. Marsh", FEMININE),
        ("Dr. Marsh", UNKNOWN),
        ("Emma Marsh", FEMININE),
        ("Marsh", UNKNOWN),
        ("the old father of Emma", MASCULINE),
        ("the old house of Emma", UNKNOWN),
    ],
)
def test_genders(text, gender):
    words = document_words(Document.from_text(f"we saw {text} today"))
    span = (2, len(words) - 1)
    assert genders(words, describe(words, [span]), np.array([rule_head(words.forms, span)])).tolist() == [gender]
