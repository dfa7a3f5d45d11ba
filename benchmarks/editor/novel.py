"""A made novel: always the same, with mentions as dense as in real annotations."""

from __future__ import annotations

import random

from coindex.document import Document, Entity, Mention, Sentence, Token, Tokens
from coindex.document.edits import canonical

from ..prose import word

SENTENCES = 10_000
LENGTH = 20
MENTIONS = 3
"""In each sentence."""
PARAGRAPH = 5
OTHERS = 8_000


def novel() -> Document:
    """Return a document of 200,000 words and 30,000 mentions; every tenth mention is of the hero."""
    chance = random.Random(8)
    tokens = Tokens(
        Token(str(at + 1), word(chance), space="\n\n" if at == LENGTH - 1 and not number % PARAGRAPH else " ")
        for number in range(1, SENTENCES + 1)
        for at in range(LENGTH)
    )
    sentences = tuple(Sentence(tokens, LENGTH * n, LENGTH * (n + 1), f"s{n + 1}") for n in range(SENTENCES))
    found: dict[str, set[tuple[int, ...]]] = {}
    for sentence in sentences:
        for _ in range(MENTIONS):
            start = chance.randrange(sentence.start, sentence.end - 4)
            positions = tuple(range(start, start + chance.choice([1, 1, 2, 3, 4])))
            id = "hero" if chance.random() < 0.1 else f"e{1 + chance.randrange(OTHERS)}"
            found.setdefault(id, set()).add(positions)
    entities = (Entity(id, tuple(Mention(tokens, one) for one in places)) for id, places in found.items())
    return canonical(Document(tokens, sentences, tuple(entities), id="novel"))
