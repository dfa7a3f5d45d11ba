"""Documents from words and from turns, and the text that they get."""

from __future__ import annotations

from typing import Any

import pytest

import coindex
from coindex import Document
from coindex.errors import CoindexError

SENTENCES = [["Ann", "slept", "."], ["She", "snored", "."]]


def surfaces(doc: Document) -> list[str]:
    """The text at the character offsets of each token."""
    layer = doc.tokens
    return [doc.text[layer.start_char(at) : layer.end_char(at)] for at in range(len(layer))]


def test_words_are_joined_by_spaces() -> None:
    doc = Document.from_tokens(SENTENCES, id="d", language="English")
    assert doc.text == "Ann slept .\nShe snored ."
    assert [sentence.text for sentence in doc.sentences] == ["Ann slept .", "She snored ."]
    assert surfaces(doc) == doc.tokens.forms == [word for words in SENTENCES for word in words]
    assert [token.id for token in doc.tokens] == ["1", "2", "3", "1", "2", "3"]
    assert (doc.id, doc.language) == ("d", "en")


def test_offsets_are_those_of_the_text() -> None:
    text = "  Ann slept.\n\nShe\tsnored. "
    doc = Document.from_tokens(SENTENCES, text=text)
    assert doc.text == text
    assert surfaces(doc) == ["Ann", "slept", ".", "She", "snored", "."]
    assert doc.mention([3, 4]).start_char == text.index("She")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Ann sleeps. She snored.",
            "text: 'sleeps. She snored.' at character 4; expected 'slept', a word of sentence 0",
        ),
        ("Ann slept. She snored. Loudly.", "text: 'Loudly.' at character 23 belongs to no word"),
    ],
)
def test_a_text_of_other_words(text: str, message: str) -> None:
    with pytest.raises(CoindexError, match=message):
        Document.from_tokens(SENTENCES, text=text)


def test_speakers_of_sentences() -> None:
    doc = Document.from_tokens(SENTENCES, speakers=["Bob", None])
    assert [sentence.speaker for sentence in doc.sentences] == ["Bob", None]
    with pytest.raises(CoindexError, match="speakers: 1 speakers for 2 sentences"):
        Document.from_tokens(SENTENCES, speakers=["Bob"])
    with pytest.raises(CoindexError, match="speakers: a str for 2 sentences"):
        Document.from_tokens(SENTENCES, speakers="AB")


def test_nothing_gives_an_empty_document() -> None:
    for doc in (Document.from_tokens([]), Document.from_tokens([[]]), Document.from_turns([]), Document.from_text("")):
        assert (doc.text, len(doc.tokens), doc.sentences) == ("", 0, ())
    assert Document.from_tokens([], text=" \n").text == " \n"


@pytest.mark.parametrize(
    ("sentences", "kind", "message"),
    [
        ("Ann slept.", TypeError, "sentences: expected a list of sentences, each a list of words, not str"),
        (
            ["Ann", "slept"],
            TypeError,
            "item 0: expected a list of words, not a str; put the words of a single sentence",
        ),
        ([["Ann", 5]], TypeError, "item 0, word 1: expected a str, not int"),
        ([5], TypeError, "item 0: expected a list of words, not int"),
        (None, TypeError, "sentences: expected a list of sentences"),
        ([["Ann", ""]], CoindexError, "item 0, word 1: '' is not a token"),
        ([["Ann "]], CoindexError, "item 0, word 0: 'Ann ' is not a token"),
    ],
)
def test_arguments_that_are_not_lists_of_words(sentences: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        Document.from_tokens(sentences)


def test_turns_are_lines_with_speakers() -> None:
    doc = Document.from_turns(
        [
            ("I am late.  Sorry!", "Ann"),
            (["So", "am", "I", "."], "Bob"),
            ([["Hi", "!"], ["You", "?"]], None),
            ("", "Eve"),
        ]
    )
    assert doc.text == "I am late.  Sorry!\nSo am I .\nHi !\nYou ?"
    assert [(sentence.speaker, sentence.text) for sentence in doc.sentences] == [
        ("Ann", "I am late."),
        ("Ann", "Sorry!"),
        ("Bob", "So am I ."),
        (None, "Hi !"),
        (None, "You ?"),
    ]
    assert surfaces(doc) == doc.tokens.forms


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ("text", r"turns: expected a list of \(text or words, speaker\), not str"),
        (["text"], r"turns, item 0: expected a pair \(text or words, speaker\), not str"),
        ([("text",)], "item 0: expected a pair .*, not tuple of 1"),
        ([("text", 5)], r"item 0: expected the speaker's name \(str\) or None, not int"),
        ([("a", "b"), (5, "A")], "item 1: expected a list of sentences"),
    ],
)
def test_arguments_that_are_not_turns(turns: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Document.from_turns(turns)


def test_speakers_are_seen_by_the_model() -> None:
    """That both *I* mean one person is more probable if one person speaks."""
    resolver = coindex.load("en-small", singletons=False)

    def score(second: str) -> float:
        doc = resolver(Document.from_turns([("I lost a key.", "Ann"), ("I am sorry.", second)]))
        found = [mention.score for mention, entity in doc.mentions() if mention.start == 5 and len(entity) > 1]
        return found[0] or 0.0 if found else 0.0

    assert score("Ann") > score("Bob")


def test_resolved_text_is_a_method() -> None:
    doc = coindex.load("en-small")("Mary met John at the station. She gave him her key.")
    assert doc.resolved_text() == "Mary met John at the station. Mary gave John her key."
    for keep in ("him", ["him"], [(39, 42)], "39-42"):
        assert doc.resolved_text(keep=keep) == "Mary met John at the station. Mary gave him her key."
    with pytest.raises(CoindexError, match="persons: unknown value 'first'; expected 'third' or 'all'"):
        doc.resolved_text(persons="first")  # type: ignore[arg-type]


def test_scores_are_floats() -> None:
    doc = coindex.load("en-small")("Mary met John at the station. She gave him her key.")
    entity = next(entity for entity in doc.entities if len(entity) > 1)
    scores = [mention.score for mention in entity.mentions]
    assert [f"{score:.4f}" for score in scores] == [mention.attributes["score"] for mention in entity.mentions]
    assert entity.score == min(score for score in scores[1:] if score is not None)
    detected = entity.mentions[0].detection_score
    assert detected is not None
    assert f"{detected:.4f}" == entity.mentions[0].attributes["mention"]
    plain = Document.from_text("Ann slept.").mention([0], attributes={"score": "high", "mention": "nan"})
    assert (plain.score, plain.detection_score) == (None, None)
