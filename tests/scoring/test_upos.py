"""Scores by the part of speech of heads, as in Table 8 of the CRAC 2022 paper."""

from coindex.scoring import make_settings, score_by_upos
from coindex.scoring.corpus import head_tags
from scoring.texts import doc, expect

TEXT = "(a:1 Mr./NOUN/3/nsubj Brown/PROPN/1/flat )a saw/VERB/0/root (b) Ann/PROPN/3/obj"
KEY = doc(TEXT, "(a) He/PRON/2/nsubj saw/VERB/0/root (c:2 the/DET/4/det cat/NOUN/2/obj )c", "(c) It/PRON left/VERB")
RESPONSE = doc(
    TEXT, "(b) He/PRON/2/nsubj saw/VERB/0/root (c:2 the/DET/4/det cat/NOUN/2/obj )c", "(c) It/PRON left/VERB"
)


def test_tags_of_heads_and_their_flat_children() -> None:
    assert head_tags(KEY) == [{"NOUN", "PROPN", "PRON"}, {"PROPN"}, {"NOUN", "PRON"}]


def test_entities_without_such_a_head_are_left_out() -> None:
    found = score_by_upos([KEY], [RESPONSE], make_settings(singletons=True))
    assert list(found) == ["NOUN", "PRON", "PROPN"]
    # NOUN keeps a and c of the key, a (without "He") and c of the response
    expect(found["NOUN"], muc=(1 / 2, 1))
    # PRON keeps a and c of the key, b (with "He") and c of the response
    expect(found["PRON"], muc=(1 / 2, 1 / 2))
    # PROPN keeps a and b of the key, a and b of the response: "He" is with b
    expect(found["PROPN"], muc=0, ceafm=(1 + 1) / 3, mor=1)


def test_chosen_tags_only() -> None:
    assert list(score_by_upos([KEY], [RESPONSE], make_settings(), tags=("PRON", "ADV"))) == ["PRON"]


def test_subtypes_of_flat() -> None:
    text = "(a:1 Ann/PROPN/0/root Lee/X/1/flat:name )a (a) she/PRON/1/dep"
    assert head_tags(doc(text)) == [{"PROPN", "X", "PRON"}]
