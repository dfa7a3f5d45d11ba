"""A small corpus whose statistics can be counted by hand: `from analysis.corpus_text import FIRST, SECOND, corpus`."""

from __future__ import annotations

from coindex.document import Document, Entity, Sentence, Token, Tokens

Row = tuple[str, str, str, str]
"""A token: its id, form, tag, and parent; the parent of an empty node is an enhanced one."""

# "the old fox" 0-2, "saw" 3, "a hen" 4-5, an empty node 6 before "ran" 7, "and" 8, "it" 9, "slept" 10 | "the hen" 11-12
FIRST_ROWS: tuple[tuple[Row, ...], ...] = (
    (
        ("1", "the", "DET", "3"),
        ("2", "old", "ADJ", "3"),
        ("3", "fox", "NOUN", "4"),
        ("4", "saw", "VERB", "0"),
        ("5", "a", "DET", "6"),
        ("6", "hen", "NOUN", "4"),
        ("6.1", "_", "PRON", "7"),
        ("7", "ran", "VERB", "4"),
        ("8", "and", "CCONJ", "10"),
        ("9", "it", "PRON", "10"),
        ("10", "slept", "VERB", "4"),
    ),
    (
        ("1", "the", "DET", "2"),
        ("2", "hen", "NOUN", "3"),
        ("3", "fled", "VERB", "0"),
    ),
)
# "Ann" 0, "and" 1, "Bob" 2, "met" 3 | "she" 4, "left" 5, an empty node 6 that depends on "left"
SECOND_ROWS: tuple[tuple[Row, ...], ...] = (
    (
        ("1", "Ann", "PROPN", "4"),
        ("2", "and", "CCONJ", "3"),
        ("3", "Bob", "PROPN", "1"),
        ("4", "met", "VERB", "0"),
    ),
    (
        ("1", "she", "PRON", "2"),
        ("2", "left", "VERB", "0"),
        ("2.1", "_", "_", "2"),
    ),
)


def build(id: str, sentences: tuple[tuple[Row, ...], ...], entities: dict[str, list[tuple[int, ...]]]) -> Document:
    """A document of these sentences; no mention says its head."""
    words = []
    for sentence in sentences:
        for name, form, tag, parent in sentence:
            if "." in name:
                words.append(Token(name, form, upos=tag, deps=f"{parent}:dep"))
            else:
                words.append(Token(name, form, upos=tag, head=parent, deprel="dep"))
    tokens = Tokens(words)
    borders, start = [], 0
    for number, sentence in enumerate(sentences, 1):
        borders.append(Sentence(tokens, start, start + len(sentence), f"s{number}"))
        start += len(sentence)
    doc = Document(tokens, tuple(borders), id=id)
    made = [Entity(name, tuple(map(doc.mention, mentions))) for name, mentions in entities.items()]
    return doc.replace(entities=tuple(made))


FIRST = build(
    "GUM_fiction_fox",
    FIRST_ROWS,
    {
        "fox": [(0, 1, 2), (6,), (9,)],  # three words, none, one
        "hen": [(4, 5), (11, 12)],  # two and two
        "scene": [(0, 2, 3, 4, 5, 6, 7)],  # with a gap, with an empty node; "old" is not needed to be connected
    },
)
SECOND = build(
    "GUM_news_pair",
    SECOND_ROWS,
    {
        "ann": [(0,), (4,)],
        "odd": [(1, 3)],  # "and … met": neither hangs on the other
        "gone": [(5, 6)],  # the empty node hangs on "left"
    },
)


def corpus() -> list[Document]:
    return [FIRST, SECOND]
