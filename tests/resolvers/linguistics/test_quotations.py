"""Quotations with their speakers and addressees."""

import pytest

import coindex
from coindex import Document

Found = list[tuple[str, str | None, str | None, str | None]]


def found(text: str) -> Found:
    """The quotations: text, speaker, addressee, evidence."""
    return [
        (said.text, said.speaker, said.addressee, said.evidence)
        for said in coindex.quotations(Document.from_text(text, language="en"))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"I am tired," said Anna.', ("I am tired,", "Anna", None, "verb")),
        ("“I am tired,” Anna whispered.", ("I am tired,", "Anna", None, "verb")),
        ("«I am tired», said Anna.", ("I am tired", "Anna", None, "verb")),
        ("``I am tired,'' said Anna.", ("I am tired,", "Anna", None, "verb")),
        ('Anna said: "I am tired."', ("I am tired.", "Anna", None, "verb")),
        ('Anna said "I am tired" and left.', ("I am tired", "Anna", None, "verb")),
        ('She looked up and said, "I am tired."', ("I am tired.", "She", None, "verb")),
        ('When Ben came, Anna shouted, "I am here."', ("I am here.", "Anna", None, "verb")),
        ('"Why?" asked the girl in the red coat, laughing.', ("Why?", "the girl", None, "verb")),
        ('"I am old," said my uncle\'s friend, a baker.', ("I am old,", "my uncle's friend", None, "verb")),
        ('"We lost," Dr. Maria de la Cruz said.', ("We lost,", "Dr. Maria de la Cruz", None, "verb")),
        ('Mr. Moss of Hull said in a hurry: "I am here."', ("I am here.", "Mr. Moss", None, "verb")),
        ('"Are you cold?" Anna asked Ben.', ("Are you cold?", "Anna", "Ben", "verb")),
        ('Anna told her brother, "You can go."', ("You can go.", "Anna", "her brother", "verb")),
        ('"You can go," said Anna to him.', ("You can go,", "Anna", "him", "verb")),
        ('"You can go, Ben," said Anna.', ("You can go, Ben,", "Anna", "Ben", "verb")),
        ('"Ben, you can go," said Anna.', ("Ben, you can go,", "Anna", "Ben", "verb")),
    ],
)
def test_reporting_clauses(text: str, expected: tuple[str, str | None, str | None, str | None]) -> None:
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Anna told Ben that she was tired.",
        'He read "Emma" and left.',
        "The dogs' food and the cats' food were gone.",
        "It was the '90s, and rock 'n' roll was dead.",
        "He is 6' 2\" tall, said Anna.",
    ],
)
def test_no_quotation(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '"I am tired." Anna said nothing.',
        '"I am tired." Ben laughed.',
        '"I am tired," the letter said.',
        '"I am tired!" Ben answered he would come.',
        'According to Anna, "I am tired."',
    ],
)
def test_a_quotation_without_a_certain_speaker(text: str) -> None:
    assert [(speaker, evidence) for _, speaker, _, evidence in found(text)] == [(None, None)]


def test_a_quotation_goes_on_after_its_verb() -> None:
    assert found('"I am tired," the old man said, "and I want to sleep. Go away." Ben left.') == [
        ("I am tired,", "the old man", None, "verb"),
        ("and I want to sleep. Go away.", "the old man", None, "verb"),
    ]
    assert [said[1:] for said in found('"Anna," said Ben, "where are you?" He ran. "I saw you."')] == [
        ("Ben", "Anna", "verb"),
        ("Ben", "Anna", "continued"),
        ("Ben", "Anna", "paragraph"),
    ]


def test_a_quotation_goes_on_in_the_next_paragraph() -> None:
    assert found("“I am old.\n\n“I am tired,” said Anna.") == [
        ("I am old.", "Anna", None, "continued"),
        ("I am tired,", "Anna", None, "verb"),
    ]


def test_single_marks_and_apostrophes() -> None:
    expected = ["I’m tired,", "Don’t go, the dogs’ food’s gone."]
    assert [text for text, *_ in found("‘I’m tired,’ said Anna. ‘Don’t go, the dogs’ food’s gone.’")] == expected
    straight = "'I'm tired,' said Anna. 'Don't go, the dogs' food's gone.'"
    assert [text for text, *_ in found(straight)] == [text.replace("’", "'") for text in expected]


def test_a_quotation_inside_a_quotation() -> None:
    said = coindex.quotations("\"Ben said, 'I am mad,' and left,\" said Anna.")
    assert [(quotation.speaker, quotation.depth) for quotation in said] == [("Anna", 0), ("Ben", 1)]
    assert said[1].text == "I am mad,"


def test_two_people_take_turns() -> None:
    text = '"I am here," said Ben.\n\n"Good," said Anna.\n\n"Are you ill?"\n\n"I am not."\n\nThey left.\n\n"I see."'
    assert [(speaker, evidence) for _, speaker, _, evidence in found(text)] == [
        ("Ben", "verb"),
        ("Anna", "verb"),
        ("Ben", "alternation"),
        ("Anna", "alternation"),
        (None, None),
    ]
    same = text.replace("Anna", "he")
    assert [speaker for _, speaker, _, evidence in found(same) if evidence == "alternation"] == []


def test_turns_of_a_transcript_and_their_labels() -> None:
    doc = Document.from_text("[10:02] <mia> are you there\n[10:03] <leo> I am\n")
    first, second = coindex.quotations(doc)
    assert (first.text, first.speaker, first.evidence) == ("are you there", "mia", "turn")
    assert second.speaker_span is not None
    assert [doc.tokens[at].form for at in range(*second.speaker_span)] == ["leo"]


def test_a_speaker_who_is_addressed_by_name() -> None:
    doc = Document.from_turns(
        [("I am ill.", "Omar"), ("Of course, Omar. You may go.", "Ada"), ("Omar may go.", "Ada B")]
    )
    assert [(said.addressee, said.addressee_span) for said in coindex.quotations(doc)] == [
        (None, None),
        ("Omar", (7, 8)),
        (None, None),
    ]


def test_turns_of_a_document_with_speakers() -> None:
    doc = Document.from_turns([("I am late.", "Ann"), ("So am I.", "Bob")])
    assert [(said.speaker, said.speaker_span, said.text) for said in coindex.quotations(doc)] == [
        ("Ann", None, "I am late."),
        ("Bob", None, "So am I."),
    ]


def test_the_entities_of_a_resolved_document() -> None:
    doc = Document.from_text('"I know you," Anna told Ben.')
    forms = [token.form for token in doc.tokens]
    names = {"anna": "Anna", "ben": "Ben"}
    entities = tuple(coindex.Entity(id, (doc.mention([forms.index(name)]),)) for id, name in names.items())
    (said,) = coindex.quotations(doc.replace(entities=entities))
    assert (said.speaker_entity, said.addressee_entity) == ("anna", "ben")
    assert said.to_dict() == {
        "text": "I know you,",
        "start_char": 1,
        "end_char": 12,
        "depth": 0,
        "evidence": "verb",
        "speaker": {"text": "Anna", "start_char": 14, "end_char": 18, "entity": "anna"},
        "addressee": {"text": "Ben", "start_char": 24, "end_char": 27, "entity": "ben"},
    }


def test_only_texts_and_documents_have_quotations() -> None:
    with pytest.raises(TypeError, match="Document"):
        coindex.quotations(["a"])  # type: ignore[arg-type]
