"""Missing spaces, and quotation marks at sentence boundaries."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.annotation.cleaning import clean
from coindex.document import Document, Entity, Token, Tokens
from coindex.document.edits import add_mention
from coindex.document.validation import check
from coindex.errors import UnknownNameError
from marked_text import marked


def sentences(doc: Document) -> list[str]:
    return [sentence.text for sentence in doc.sentences]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("He went home.Then he slept.", ["He went home.", "Then he slept."]),
        ("Is it late?Yes, it is.", ["Is it late?", "Yes, it is."]),
        ("He left.”Then she wept.", ["He left.”", "Then she wept."]),
        ("See www.Example.com or mail ann@Home.De now.", None),
        ("The U.S.Army and e.g.This and 3.Then.", None),
        ("It is fine. So it is.", None),
    ],
)
def test_missing_spaces(before: str, after: list[str] | None) -> None:
    doc = Document.from_text(before, language="en")
    cleaned, changes = clean(doc, ["blanks"])
    if after is None:
        assert (cleaned, changes) == (doc, [])
        return
    assert sentences(cleaned) == after
    assert cleaned.text == " ".join(after)
    assert [change.rule for change in changes] == ["blanks"]
    assert changes[0].before.replace(" ", "") == changes[0].after.replace(" ", "")


HARBOUR = "The boat lay in the harbour. She was old and the men were on the pier. He was in the boat. "


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Then shewas glad.", "Then she was glad."),
        ("It stood inthe harbour.", "It stood in the harbour."),
        ("He left theboat.", "He left the boat."),
        ("They saw theharbour, and slept.", "They saw the harbour, and slept."),
        ("He saw Theboat there.", None),  # a name, for all that is known
        ("Their inmen slept.", None),  # "in" begins words
        ("It was a thepierish day.", None),  # half of it is no word
        ("He was theirs.", None),
    ],
)
def test_words_that_have_grown_together(before: str, after: str | None) -> None:
    doc = Document.from_text(HARBOUR + before, language="en")
    cleaned, changes = clean(doc, ["words"])
    if after is None:
        assert (cleaned, changes) == (doc, [])
        return
    assert cleaned.text == HARBOUR + after
    assert [sentence.text for sentence in cleaned.sentences][-1] == after
    assert [token.id for token in cleaned.sentences[-1].tokens] == [
        str(number) for number in range(1, len(cleaned.sentences[-1].tokens) + 1)
    ]
    (change,) = changes
    assert (change.rule, change.sentence) == ("words", len(doc.sentences) - 1)
    assert change.before.replace(" ", "") == change.after.replace(" ", "")


def test_words_of_mentions_and_of_other_languages_stay_whole() -> None:
    text = HARBOUR + "Then shewas glad."
    other = Document.from_text(text, language="fr")
    assert clean(other, ["words"]) == (other, [])
    doc = Document.from_text(text, language="en")
    at = doc.tokens.forms.index("shewas")
    doc = add_mention(doc, [at], entity="her")
    assert clean(doc, ["words"]) == (doc, [])


def split_as(*parts: str) -> Document:
    """Sentences as they are given; a bar shows where there is no space."""
    tokens, lengths = [], []
    for part in parts:
        found = part.split()
        for number, word in enumerate(found, 1):
            tokens.append(Token(str(number), word.strip("|"), space="" if word.endswith("|") else " "))
        lengths.append(len(found))
    return Document.from_sentences(Tokens(tokens), lengths, id="d")


@pytest.mark.parametrize(
    ("parts", "after"),
    [
        (("He came . “|", "Sit , ” she said ."), ["He came .", "“Sit , ” she said ."]),
        (('He came . "|', "Sit , she said ."), ["He came .", '"Sit , she said .']),
        (("“ Sit .|", "” She sat ."), ["“ Sit .”", "She sat ."]),
        (("“ Sit .|", "”", "She sat ."), ["“ Sit .”", "She sat ."]),
        (("He came .", "“", "Sit down ."), ["He came .", "“ Sit down ."]),
        (('He came . "', "Sit down ."), None),
    ],
)
def test_quotes(parts: tuple[str, ...], after: list[str] | None) -> None:
    doc = split_as(*parts)
    cleaned, changes = clean(doc, ["quotes"])
    assert cleaned.text == doc.text
    assert sentences(cleaned) == (sentences(doc) if after is None else after)
    assert bool(changes) == (after is not None)
    assert [finding for finding in check(cleaned) if finding.severity == "error"] == []


def test_mentions_keep_their_words() -> None:
    doc = marked("[Ann|a] went home.Then [she|a] slept.")
    cleaned, changes = clean(doc)
    assert len(changes) == 1
    assert [mention.text for mention in cleaned.entities[0].mentions] == ["Ann", "she"]
    assert [finding for finding in check(cleaned) if finding.severity == "error"] == []


def test_words_are_cut_and_mentions_after_them_move() -> None:
    doc = split_as("He went home.Then he slept .")
    doc = doc.replace(entities=(Entity("x", (doc.mention([0]), doc.mention([3], head=3))),))
    cleaned, changes = clean(doc)
    assert sentences(cleaned) == ["He went home.", "Then he slept ."]
    assert [token.id for token in cleaned.tokens] == ["1", "2", "3", "4", "1", "2", "3", "4"]
    assert [(m.text, m.start_char, m.head) for m in cleaned.entities[0].mentions] == [("He", 0, None), ("he", 19, 5)]
    assert [(change.before, change.after) for change in changes] == [
        ("went home.Then he slept", "went home. Then he slept")
    ]
    assert [finding for finding in check(cleaned) if finding.severity == "error"] == []


def test_words_of_mentions_and_trees_are_not_cut() -> None:
    doc = split_as("He went home.Then he slept .")
    held = doc.replace(entities=(Entity("x", (doc.mention([2]),)),))
    assert clean(held) == (held, [])
    tree = Tokens([Token("1", "He", head="2", deprel="nsubj"), Token("2", "left.Then", head="0", deprel="root")])
    parsed = Document.from_sentences(tree, [2])
    assert clean(parsed) == (parsed, [])


@settings(max_examples=80)
@given(
    st.lists(st.sampled_from(["Ann", "home", ".", "?", '"', "“", "”", " ", "\n\n", "Then", "e.g.", "'"]), max_size=14)
)
def test_cleaning_changes_only_spaces_and_gives_a_valid_document(pieces: list[str]) -> None:
    doc = Document.from_text("".join(pieces), language="en", id="d")
    cleaned, _ = clean(doc)
    assert cleaned.text.replace(" ", "") == doc.text.replace(" ", "")
    assert [finding for finding in check(cleaned) if finding.severity == "error"] == []
    assert sum(map(len, cleaned.sentences)) == len(cleaned.tokens)


def test_unknown_rules() -> None:
    with pytest.raises(UnknownNameError, match="unknown rule 'blank'; did you mean blanks"):
        clean(Document.from_text("a"), ["blank"])
