"""Line breaks that end a sentence, and those that only wrap prose."""

import textwrap

import pytest

from coindex import Document
from coindex.text.tokenizer import segment


def sentences(text: str) -> list[str]:
    """The sentences of a text, white space made one space."""
    return [" ".join(text[spans[0][0] : spans[-1][1]].split()) for spans in segment(text, language="en")]


def assert_lines(text: str) -> None:
    """Each line of the text is a sentence of its own."""
    assert sentences(text) == [" ".join(line.split()) for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(
    "text",
    [
        "- milk\n- Bread and butter\n* Tea\n+ Sugar",
        "1. Ask Mike\n  2. Mike will know\n  3. Wait",
        "1) Ask Mike\n2) Mike will know",
        "a) Ask Mike\nb) Mike will know",
        "A. Ask Mike\nB. Mike will know",
        "(i) Ask Mike\n(ii) Mike will know\n(iii) Wait\n(iv) Go",
        "- [ ] Ask Mike\n- [x] Tell Mike",
        "☐ Ask Mike\n☑ Tell Mike",
        "# Title of the text\nMike left\n## Another\nHe came back",
        "Title of the text\n=================\nMike left the house",
        "From: Anna Weber\nTo: Tom Reed\nSubject: The trip\nDate: 3 May",
        "Best wishes\nAnna\n-- \nAnna Weber\nHull",
        "Anna: where is Mike\nTom: Mike is at home\nanna: ok",
        "[12:03] <anna> where is Mike\n[12:04] <tom> Mike is at home",
        "12/03/2024, 21:04 - Anna: where is Mike\n12/03/2024, 21:05 - Tom: at home",
        "2024-05-01 12:00:01 INFO started by Mike\n2024-05-01 12:00:02 INFO stopped by Anna",
        "| Name | Role |\n|------|------|\n| Mike | Cook |\n| Anna | Clerk |",
        "id,name,city\n1,Mike,Hull\n2,Anna,Leeds",
        "INT. KITCHEN - DAY\nMIKE\nAnna is late again\nANNA\nI am not",
        "I met Mike at the station today and he waved\nSo tired\nThe new album is out now\nAnna is back in town",
        "The maiden walked beside the sea\nHer hair was blown by wind\nA song she sang to me",
        "Mike left\n\nAnna stayed\n \nThey met",
        "> Mike left\nAnna stayed",
    ],
)
def test_lines_of_their_own(text: str) -> None:
    assert_lines(text)


PROSE = [
    "When Mike came home from the office on that cold evening, the old house on the hill was dark and he could not see",
    "Anna Weber, who had been waiting for him in the garden since five o'clock with a lantern and a letter from Leeds.",
    "She had walked all the way from the Hull road, past the mill of Mr. Carter and the two farms that belong to the",
    "Reed family, and nobody had spoken to her.",
]


@pytest.mark.parametrize("width", [50, 60, 72, 80, 100, 120])
def test_wrapped_prose_is_joined(width: int) -> None:
    text = " ".join(PROSE)
    expected = sentences(text)
    assert len(expected) == 2
    assert sentences(textwrap.fill(text, width)) == expected
    assert sentences(textwrap.fill(text, width, initial_indent="    ")) == expected
    quoted = textwrap.fill(text, width, initial_indent="> ", subsequent_indent="> ")
    assert [found.replace("> ", "") for found in sentences(quoted)] == expected


def test_wrapped_items_of_a_list() -> None:
    items = [f"{number}. {text}" for number, text in enumerate([" ".join(PROSE[:2]), " ".join(PROSE[2:])], 1)]
    wrapped = "\n".join(textwrap.fill(item, 60, subsequent_indent="   ") for item in items)
    assert sentences(wrapped) == items


def test_a_short_line_before_wrapped_prose() -> None:
    text = "Dear Mike,\n" + textwrap.fill(" ".join(PROSE[:2]), 70)
    assert sentences(text) == ["Dear Mike,", " ".join(PROSE[:2])]


def test_what_wrapping_puts_at_the_beginning_of_a_line() -> None:
    """A dash, a number, an initial or a word with a colon in wrapped prose is no marker."""
    for word in ("— not", "- not", "J. Carter", "12. Then", "Note: the"):
        start = "When Mike came home from the office on that very cold evening, he saw"
        text = f"{start}\n{word} the old house that belonged to the family of his late wife and\nher two sisters"
        assert len(sentences(text)) <= 1 + word.startswith("12."), word


def test_a_line_that_begins_with_a_small_letter_goes_on() -> None:
    assert sentences("My dear Anna met\nthe mayor. Then\nshe left") == ["My dear Anna met the mayor.", "Then she left"]
    assert_lines("omg i saw mike\nhe was so late\nlol")


def test_an_initial_is_not_a_list_marker() -> None:
    doc = Document.from_text("A. Smith left.\n\nI. Newton stayed.")
    assert doc.tokens.protected == {}


def test_a_long_address_does_not_make_lines_wide() -> None:
    text = textwrap.fill(" ".join(PROSE), 70) + "\nhttps://example.org/" + "x" * 150
    assert sentences(text)[:2] == sentences(" ".join(PROSE))


def test_markers_are_protected() -> None:
    doc = Document.from_text("Intro\n\n1. Mike\n(b) Anna\n- [x] Tom\n> Kim\n| Lee | Ray |\n[12:03] Sue\n## Bob\n")
    free = [token.form for at, token in enumerate(doc.tokens) if at not in doc.tokens.protected]
    assert free == ["Intro", "Mike", "Anna", "Tom", "Kim", "Lee", "Ray", "Sue", "Bob"]
    assert set(doc.tokens.protected.values()) == {"markup"}
