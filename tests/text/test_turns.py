"""Speakers in raw text: transcripts, chats, screenplays, e-mails, letters; and texts that have none."""

import pytest

from coindex import Document
from coindex.document.documents import addressee_of
from coindex.render.layout import Layout

Said = list[tuple[str | None, str]]


def said(text: str, **options: str) -> Said:
    """The sentences with their speakers."""
    doc = Document.from_text(text, **options)
    assert doc.text == text
    return [(sentence.speaker, " ".join(sentence.text.split())) for sentence in doc.sentences]


def spoken(text: str, **options: str) -> Said:
    """The sentences that somebody says."""
    return [(speaker, sentence) for speaker, sentence in said(text, **options) if speaker is not None]


def test_the_label_of_a_turn_is_not_said_by_its_speaker() -> None:
    assert said("ALICE: Hi. I am tired.\nBOB: So am I.\n") == [
        (None, "ALICE:"),
        ("ALICE", "Hi."),
        ("ALICE", "I am tired."),
        (None, "BOB:"),
        ("BOB", "So am I."),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Dr. Smith: How are you?\nMs. de la Cruz: I am fine,\nthank you.\n",
            [("Dr. Smith", "How are you?"), ("Ms. de la Cruz", "I am fine, thank you.")],
            id="titles, and a turn of two lines",
        ),
        pytest.param(
            "Q: Where did you sleep?\nA: In the barn.\n\nQ: Why?\nA: I was tired.\n",
            [("Q", "Where did you sleep?"), ("A", "In the barn."), ("Q", "Why?"), ("A", "I was tired.")],
            id="questions and answers",
        ),
        pytest.param(
            "guest42: hi, i lost my key\nsupport_amy: oh no\n",
            [("guest42", "hi, i lost my key"), ("support_amy", "oh no")],
            id="handles",
        ),
        pytest.param(
            "Interviewer:\nWhat do you bake?\n\nSpeaker 2:\nI bake bread.\n",
            [("Interviewer", "What do you bake?"), ("Speaker 2", "I bake bread.")],
            id="the label has its own line",
        ),
        pytest.param(
            "ANN: Sit down.\n(She points at the chair.)\nWill you?\nBEN: I will.\n",
            [("ANN", "Sit down."), ("ANN", "Will you?"), ("BEN", "I will.")],
            id="stage directions",
        ),
        pytest.param(
            "ANN: I heard a noise.\n\nThe door opens slowly.\n\nBEN: You did.\n",
            [("ANN", "I heard a noise."), ("BEN", "You did.")],
            id="a paragraph without a label",
        ),
        pytest.param(
            "[10:32] <mia> are you there\n[10:33] <leo> I am\n[10:34] * leo waves\n",
            [("mia", "are you there"), ("leo", "I am")],
            id="IRC",
        ),
        pytest.param(
            "10:32 mia: are you there\n10:33 leo: yes\n", [("mia", "are you there"), ("leo", "yes")], id="time and name"
        ),
        pytest.param("mia: tea?\nleo: yes\nmia: ok\n", [("mia", "tea?"), ("leo", "yes"), ("mia", "ok")], id="nicks"),
        pytest.param(
            "12/03/2024, 21:04 - Messages are encrypted.\n12/03/2024, 21:04 - Mia: I am late\n"
            "Wait for me\n12/03/2024, 21:05 - Leo Park: sure\n",
            [("Mia", "I am late"), ("Mia", "Wait for me"), ("Leo Park", "sure")],
            id="WhatsApp",
        ),
        pytest.param(
            "[12/03/2024, 21:04:11] Mia: I am late\n[12/03/2024, 21:05:01] Leo: sure\n",
            [("Mia", "I am late"), ("Leo", "sure")],
            id="WhatsApp with brackets",
        ),
        pytest.param(
            "Mia Stone  10:32 AM\nI am late.\n\nLeo  10:33 AM\nWe can wait.\n",
            [("Mia Stone", "I am late."), ("Leo", "We can wait.")],
            id="Slack",
        ),
        pytest.param(
            "INT. BAKERY - NIGHT\n\nMia kneads.\n\n          MIA\n     You are late.\n\n          LEO (V.O.)\n"
            "     (tired)\n     I know.\n\nHe yawns.\n",
            [("MIA", "You are late."), ("LEO", "I know.")],
            id="screenplay",
        ),
        pytest.param(
            "FIRST GUARD.\nWho are you?\n\nGHOST.\nI am nobody.\n\nFIRST GUARD.\nOh.\n",
            [("FIRST GUARD", "Who are you?"), ("GHOST", "I am nobody."), ("FIRST GUARD", "Oh.")],
            id="play",
        ),
        pytest.param(
            "I agree.\n\nMia wrote:\n> I want tea.\n> Leo wrote:\n>> I want coffee.\n\nBoth, please.\n",
            [("Mia", "> I want tea."), ("Leo", ">> I want coffee.")],
            id="quoted messages",
        ),
    ],
)
def test_speakers(text: str, expected: Said) -> None:
    assert spoken(text) == expected


@pytest.mark.parametrize(
    "text", ["**Mia:** Why do you bake?\n\n**Leo:** I like it.\n", "__Mia__: Why?\n\n__Leo__: Oh.\n"]
)
def test_bold_names_in_markdown(text: str) -> None:
    assert [speaker for speaker, _ in spoken(text, markup="markdown")] == ["Mia", "Leo"]


@pytest.mark.parametrize(
    "text",
    [
        "Name: Bob\nAge: 5\nTown: Hull\n",
        "Note: you can go.\nTip: I like it.\nNote: you can stay.\n",
        "Step 1: Heat your oven.\nStep 2: Mix it as you like.\nStep 1: Why?\n",
        "He said: you are mad.\nShe said: I am not.\nHe said: oh!\n",
        "2024-05-01 12:00:01 INFO: started by you\n2024-05-01 12:00:02 ERROR: I stopped\n",
        "METHODS\nWe asked you.\n\nRESULTS\nWe found it!\n",
        "Anna: I am tired.",
        "The shop sells three things\nTea: green, black and white\nCoffee: from Peru and Kenya\n",
        "Dear diary is what I wrote\nBest of all\nTom came\n",
        "Tom wrote:\n\nNobody knows why I did it.\n",
    ],
)
def test_nobody_speaks(text: str) -> None:
    assert spoken(text) == []


def test_the_addressee_wrote_what_a_reply_quotes() -> None:
    doc = Document.from_text("From: Neil\nTo: Priscilla\n\n> I lost the keys.\n\nI have them.\nNeil\n")
    assert [(s.speaker, addressee_of(s)) for s in doc.sentences if "I " in s.text] == [
        ("Priscilla", "Neil"),
        ("Neil", "Priscilla"),
    ]


def test_an_email_with_a_quoted_reply() -> None:
    text = (
        "From: Mia Stone <mia@example.org>\nTo: Leo Park <leo@example.org>\nSubject: Bread\n\nHi Leo,\n\n"
        "I am late.\n\nBest,\nMia\n\nOn Mon, 3 May 2024 at 10:00, Leo Park\n<leo@example.org> wrote:\n"
        "> When do you come?\n"
    )
    assert spoken(text) == [
        ("Mia Stone", "Hi Leo,"),
        ("Mia Stone", "I am late."),
        ("Mia Stone", "Best,"),
        ("Mia Stone", "Mia"),
        ("Leo Park", "> When do you come?"),
    ]
    doc = Document.from_text(text)
    heard = {sentence.speaker: addressee_of(sentence) for sentence in doc.sentences if sentence.speaker}
    assert heard == {"Mia Stone": "Leo Park", "Leo Park": None}


@pytest.mark.parametrize("end", ["Kind regards,\nTom\nBaker, Hull\n", "Best, Tom\n", "Your friend,\n\nTom\n"])
def test_a_letter_has_its_writer_in_the_signature(end: str) -> None:
    doc = Document.from_text(f"Hull, 3 May\n\nDear Mia,\n\nI hope you are well.\n\n{end}")
    letter = [sentence for sentence in doc.sentences if sentence.speaker == "Tom"]
    assert (letter[0].text, letter[-1].text.rpartition(" ")[2]) == ("Dear Mia,", "Tom")
    assert {addressee_of(sentence) for sentence in letter} == {"Mia"}


def test_a_letter_to_several_people_has_no_addressee() -> None:
    doc = Document.from_text("Dear Mia and Leo,\n\nI hope you are well.\n\nBest,\nTom\n")
    assert [(s.speaker, addressee_of(s)) for s in doc.sentences[:1]] == [("Tom", None)]


def test_other_languages_and_unmarked_text_have_no_speakers() -> None:
    text = "ANNA: Hi!\nTOM: Hi you!\n"
    assert spoken(text, language="de") == spoken(text, markup="none") == []
    assert len(spoken(text, language="en")) == 2


def test_names_that_the_text_has_are_not_drawn_again() -> None:
    doc = Document.from_text("ANN: I am tired.\nBEN: So am I.\n")
    assert [line.turn for line in Layout(doc).lines()] == [None] * 4
    turns = Document.from_turns([("I am tired.", "ANN"), ("So am I.", "BEN")])
    assert [line.turn for line in Layout(turns).lines()] == ["ANN", "BEN"]
