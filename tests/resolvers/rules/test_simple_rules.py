"""The few rules of CRAC 2022's simple-rule-based, on texts in Czech, Spanish, Russian and English."""

import pytest

import coindex
from coindex.errors import CoindexError, DataWarning
from parsed_text import chains, parsed, with_mentions, words

CZECH = """
Petr    Petr    PROPN Gender=Masc 2 nsubj
potkal  potkat  VERB  Gender=Masc 0 root
Evu     Eva     PROPN Gender=Fem  2 obj
.       .       PUNCT _           2 punct

On      on      PRON  Gender=Masc 2 nsubj
ji      on      PRON  Gender=Fem  3 obj
pozdravil pozdravit VERB Gender=Masc 0 root

Eva     Eva     PROPN Gender=Fem  3 nsubj
se      se      PRON  _           3 expl
zasmála zasmát  VERB  Gender=Fem  0 root
"""


def test_pronouns_go_to_the_nearest_noun_of_their_gender_and_names_meet():
    doc = coindex.load("simple-rules")(parsed(CZECH, language="cs"))
    assert chains(doc) == [["Petr", "On"], ["Evu", "ji", "Eva"]]
    assert [m.attributes["by"] for m in doc.entities[1].mentions] == ["simple-rules", "simple-rules", "propn-merge"]


def test_names_are_merged_in_some_languages_only():
    petr, eva = ["Petr", "On"], ["Evu", "ji"]
    assert chains(coindex.load("simple-rules")(parsed(CZECH, language="ru"))) == [petr, eva]
    assert chains(coindex.load("simple-rules(languages=none)")(parsed(CZECH, language="cs"))) == [petr, eva]
    assert chains(coindex.load("simple-rules(languages=all)")(parsed(CZECH, language="ru"))) == [petr, [*eva, "Eva"]]


ENGLISH = """
Nora  Nora  PROPN _ 2 nsubj
left  leave VERB  _ 0 root
town  town  NOUN  _ 2 obj

She   she   PRON  Gender=Fem 2 nsubj
told  tell  VERB  _ 0 root
them  they  PRON  _ 2 obj
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [["town", "them"]]),  # neither is annotated for gender
        ("(unknown=any)", [["town", "She", "them"]]),
        ("(unknown=none)", []),
        ("(unknown=any, nouns=common)", [["town", "She", "them"]]),
    ],
)
def test_a_gender_that_is_not_annotated(options, expected):
    assert chains(coindex.load("simple-rules" + options)(parsed(ENGLISH, language="en"))) == expected


def test_names_count_as_nouns_by_default():
    text = "casa casa NOUN Gender=Fem\nAna Ana PROPN Gender=Fem\nella él PRON Gender=Fem"
    assert chains(coindex.load("simple-rules")(parsed(text, language="es"))) == [["Ana", "ella"]]
    assert chains(coindex.load("simple-rules(nouns=common)")(parsed(text, language="es"))) == [["casa", "ella"]]


def test_possessive_determiners_and_zeros_are_left_alone():
    text = """
María  María  PROPN Gender=Fem 2 nsubj
llegó  llegar VERB  _          0 root
2.1    _      _     PRON Gender=Fem _ _ 2:nsubj
su     su     DET   Poss=Yes|Gender=Fem 4 det
"""
    assert chains(coindex.load("simple-rules")(parsed(text, language="es"))) == []


def test_given_mentions_are_linked_by_their_heads_and_keep_their_spans():
    text = """
молодая молодой ADJ  Gender=Fem 2 amod
сестра  сестра  NOUN Gender=Fem 3 nsubj
ушла    уйти    VERB _ 0 root

дом     дом     NOUN Gender=Masc 2 nsubj
видит   видеть  VERB _ 0 root
её      она     PRON Gender=Fem 2 obj
"""
    doc = with_mentions(parsed(text, language="ru"), [0, 1], [3], [5])
    resolved = coindex.load("simple-rules", mentions="given")(doc)
    assert chains(resolved) == [["молодая сестра", "её"], ["дом"]]


@pytest.mark.parametrize("text", ["Petr Petr PROPN", "On on PRON Gender=Masc"])
def test_one_word(text):
    assert chains(coindex.load("simple-rules")(parsed(text))) == []


def test_empty_document_and_one_without_tags():
    with pytest.warns(DataWarning, match="an empty text"):
        assert coindex.load("simple-rules")("").entities == ()
    with pytest.raises(CoindexError, match="no part-of-speech tags"):
        coindex.load("simple-rules")(words("She left ."))


def test_long_document():
    sentence = (
        "muž muž NOUN Gender=Masc\nžena žena NOUN Gender=Fem\nona on PRON Gender=Fem\nPetr Petr PROPN Gender=Masc"
    )
    doc = coindex.load("simple-rules")(parsed("\n\n".join([sentence] * 50_000), language="cs"))
    assert len(doc.entities) == 50_001
    assert max(map(len, doc.entities)) == 50_000
