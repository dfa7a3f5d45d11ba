"""Who *I* and *you* are: links that follow from speakers and quotations."""

import numpy as np
import pytest

import coindex
from coindex import Document
from coindex.resolvers.neural.detection import describe
from coindex.resolvers.neural.pairs import Pairs
from coindex.resolvers.neural.resolving import EntityLinker, LinkOptions
from coindex.resolvers.neural.speech import RULES, SpeechLinks
from coindex.resolvers.neural.words import document_words

ALL = tuple(RULES)


def link(text: str, words: str, *, rules: tuple[str, ...] = ALL, best: str | None = None) -> list[int]:
    """Link single words of a text as if each were most similar to `best`, or to the mention before it.

    Returns the entity of each of them.
    """
    doc = Document.from_text(text, language="en")
    forms = document_words(doc)
    wanted = words.split()
    spans, at = [], 0
    for word in wanted:
        at = forms.forms.index(word, at)
        spans.append((at, at + 1))
        at += 1
    mentions = describe(forms, spans)
    speech = SpeechLinks(doc, forms, rules) if rules else None
    linker = EntityLinker(LinkOptions(), speech)
    anaphor, candidate = np.tril_indices(len(spans), -1)
    favourite = wanted.index(best) if best is not None else None
    near = candidate == (anaphor - 1 if favourite is None else favourite)
    scores = np.where(near, 3.0, -3.0).astype(np.float32)
    features = np.zeros((len(anaphor), 0), dtype=np.int64)
    if speech is not None:
        speech.add(mentions, mentions.start, 0)
    linker.add(Pairs(anaphor, candidate, features), scores, np.zeros(len(spans), dtype=np.float32))
    return linker.entity


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ('Ben ran. "I know," said Anna.', "Ben I Anna", [0, 1, 1]),
        ('Anna and Ben met. "I know," said Anna.', "Anna Ben I Anna", [0, 0, 2, 2]),
        ('Anna saw Ben. Anna said: "I told him about my dog."', "Anna Ben Anna I him my", [0, 0, 0, 0, 0, 0]),
        ('"I know Ben," said Anna, "and I like my dog."', "I Ben Anna I my", [0, 0, 0, 0, 0]),
        ('"You lie," Anna told Ben.', "You Anna Ben", [0, 1, 0]),
        ("ANN: I am tired.\nBEN: I am not.\nANN: Oh.\n", "ANN I BEN I ANN", [0, 0, 2, 2, 0]),
        ("ANN: Are you tired?\nBEN: I am not.\n", "ANN you BEN I", [0, 1, 1, 1]),
        ("ANN: I know BEN. Are you tired?\nBEN: Oh yes.\n", "ANN I BEN you BEN", [0, 0, 2, 2, 2]),
    ],
)
def test_rules_decide_against_scores(text: str, words: str, expected: list[int]) -> None:
    """Each mention is most similar to the one before it."""
    assert link(text, words) == expected
    assert link(text, words, rules=()) == [0] * len(expected)


def test_a_pronoun_waits_for_the_speaker_who_is_named_before() -> None:
    text = 'Anna came. Ben slept. "I am cold," said Anna. "So am I," said Ben.'
    assert link(text, "Anna Ben I Anna I Ben", best="Anna", rules=("quotations",)) == [0, 0, 0, 0, 0, 0]
    # the second Anna is most similar to the first: the pronoun follows her there
    assert link(text, "Anna I Anna", best="Anna") == [0, 0, 0]


def test_each_rule_can_be_switched_off() -> None:
    text = "ANN: I am tired.\nBEN: I am not.\n"
    assert link(text, "ANN I BEN I", rules=("quotations",)) == [0, 0, 0, 0]
    quoted = 'Ben ran. "I know," said Anna.'
    assert link(quoted, "Ben I Anna", rules=("turns",)) == [0, 0, 0]


def test_the_narrator_is_not_a_quoted_speaker() -> None:
    told = "I ran home. " * 10
    text = f'{told}"I know," said Anna. I left.'
    words = "I " * 10 + "I Anna I"
    entities = link(text, words)
    assert entities[:10] == [0] * 10
    assert entities[10] == entities[11] == 10
    assert entities[12] == 0
    assert link(f"I ran. {text.replace(told, '')}", "I I Anna I")[-1] == 1, "two words are no narrator"


def clusters(text: str, constraints: str = "all") -> list[list[str]]:
    doc = coindex.load(f"en-small(constraints={constraints})")(text)
    return [[mention.text for mention in entity.mentions] for entity in doc.entities if len(entity.mentions) > 1]


TALK = "ALICE: Hi Bob, I am tired.\nBOB: You look it.\nALICE: I know. Are you tired?\nBOB: I am not.\n"


def test_a_conversation() -> None:
    found = clusters(TALK)
    assert ["ALICE", "I", "ALICE", "I"] in [[m for m in cluster if m.lower() != "you"] for cluster in found]
    assert ["BOB", "BOB", "I"] in [
        [m for m in cluster if m.lower() not in ("you", "bob") or m == "BOB"] for cluster in found
    ]
    assert found != clusters(TALK, "-" + "/".join(RULES))


def test_an_email() -> None:
    text = (
        "From: Mia Stone <mia@example.org>\nTo: Leo Park <leo@example.org>\nSubject: Bread\n\nHi Leo,\n\n"
        "I am late. Can you wait for me?\n\nBest,\nMia\n\nOn Mon, 3 May 2024 at 10:00, Leo Park wrote:\n"
        "> When do you come? I am here.\n"
    )
    found = clusters(text)
    mia = next(cluster for cluster in found if "Mia Stone" in cluster)
    leo = next(cluster for cluster in found if "Leo Park" in cluster)
    assert {"I", "me"} <= set(mia)
    assert {"you", "I"} <= set(leo)


def test_links_of_rules_are_certain() -> None:
    doc = coindex.load("en-small", min_link=0.9)('Ben slept. "I know you," said Anna.')
    anna = next(entity for entity in doc.entities if any(mention.text == "Anna" for mention in entity.mentions))
    assert [mention.text for mention in anna.mentions] == ["I", "Anna"]
