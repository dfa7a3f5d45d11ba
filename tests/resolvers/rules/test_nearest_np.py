"""Pronouns to the nearest phrase that agrees, with trees, tags, or nothing; strings that are equal."""

import pytest

import coindex
from coindex.document import Document, Entity
from coindex.errors import CoindexError, DataWarning
from parsed_text import chains, parsed, with_mentions, words

ENGLISH = """
The     the   DET   _                      2 det
mother  mother NOUN Number=Sing            5 nsubj
of      of    ADP   _                      4 case
Tom     Tom   PROPN Number=Sing            2 nmod
saw     see   VERB  _                      0 root
two     two   NUM   _                      7 nummod
cats    cat   NOUN  Number=Plur            5 obj
.       .     PUNCT _                      5 punct

They    they  PRON  Number=Plur|Person=3|PronType=Prs             2 nsubj
liked   like  VERB  _                      0 root
her     she   PRON  Gender=Fem|Number=Sing|Person=3|PronType=Prs  2 obj
.       .     PUNCT _                      2 punct

It      it    PRON  Gender=Neut|Number=Sing|Person=3|PronType=Prs 2 expl
rained  rain  VERB  _                      0 root
"""


def test_trees():
    doc = coindex.load("nearest-np")(parsed(ENGLISH, language="en"))
    assert chains(doc) == [["The mother of Tom", "her"], ["two cats", "They"]]
    assert doc.entities[0].mentions[0].head == 1
    assert {mention.attributes["by"] for mention, _ in doc.mentions()} == {"nearest-np"}


CROSSING = """
old     old   ADJ   _            3 amod
cats    cat   NOUN  Number=Plur  4 nsubj
dogs    dog   NOUN  Number=Plur  2 nmod
sleep   sleep VERB  _            0 root
"""


def test_a_span_is_found_once_where_branches_cross():
    """Both nouns reach over all three words; the upper one heads them."""
    doc = coindex.load("are-baseline")(parsed(CROSSING + CROSSING, language="en"))
    assert chains(doc) == [["old cats dogs", "old cats dogs"]]
    assert [mention.head for mention, _ in doc.mentions()] == [1, 5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mary met John. She smiled.", [["Mary", "She"]]),
        # nobody knows the names, but once Quux is a she, he is somebody else
        ("Zork met Quux. She smiled. He left.", [["Zork", "He"], ["Quux", "She"]]),
        ("Mr. Hill lost his keys. They were old.", [["Mr. Hill", "his"], ["his keys", "They"]]),
        ("The old farmer sold the barn because it was empty.", [["the barn", "it"]]),
        ("I told you that I knew.", [["I", "I"]]),
        ("The girls found a boat. Their brother painted it.", [["The girls", "Their"], ["a boat", "it"]]),
        ("Nora's uncle, who lives in a village, wrote to her.", [["Nora's uncle", "who"], ["Nora", "her"]]),
        ("He left.", []),
        ("Dog", []),
        ("😀 🎉", []),
    ],
)
def test_raw_english(text, expected):
    assert chains(coindex.load("nearest-np")(text)) == expected


def test_an_empty_text():
    with pytest.warns(DataWarning, match="an empty text"):
        assert chains(coindex.load("nearest-np")("")) == []


def test_other_languages_need_tags():
    with pytest.raises(CoindexError, match=r"language 'ru' without tags or trees; .*spacy"):
        coindex.load("nearest-np", language="ru")("Анна ушла. Она устала.")


def test_tags_without_trees():
    text = """
Старая  старый ADJ  Gender=Fem|Number=Sing
лодка   лодка  NOUN Gender=Fem|Number=Sing
и       и      CCONJ
дом     дом    NOUN Gender=Masc|Number=Sing
.       .      PUNCT

Она     она    PRON Gender=Fem|Number=Sing|Person=3|PronType=Prs
"""
    assert chains(coindex.load("nearest-np")(parsed(text, language="ru"))) == [["Старая лодка", "Она"]]


def test_tags_of_their_own():
    doc = parsed("der der _\nHund Hund _\nsie sie _", language="de")
    tagged = [t._replace(xpos=x) for t, x in zip(doc.tokens, ("ART", "NN", "PPER"), strict=True)]
    doc = Document.from_sentences(type(doc.tokens)(tagged), [3], language="de")
    assert chains(coindex.load("nearest-np")(doc)) == [["der Hund", "sie"]]


def test_zeros_by_their_own_features_or_their_verb():
    text = """
Ana     Ana     PROPN Gender=Fem|Number=Sing 2 nsubj
llamó   llamar  VERB  Number=Sing|Person=3   0 root
a       a       ADP   _                      5 case
sus     su      DET   Number=Plur|Person=3|Poss=Yes|PronType=Prs 5 det
hijos   hijo    NOUN  Gender=Masc|Number=Plur 2 obj
.       .       PUNCT _                      2 punct

0.1     _       _     PRON _ _ _ 1:nsubj
Vino    venir   VERB  Number=Sing|Person=3   0 root
.       .       PUNCT _                      2 punct
"""
    doc = coindex.load("nearest-np")(parsed(text, language="es"))
    assert chains(doc) == [["Ana", "sus", "∅_"]]


def test_hungarian_zeros_are_classified_by_their_form():
    text = """
Anna    Anna  PROPN Number=Sing            2 nsubj
látja   lát   VERB  Number=Sing|Person=3   0 root
a       a     DET   _                      4 det
fiúkat  fiú   NOUN  Number=Plur            2 obj

Jönnek  jön   VERB  Number=Plur|Person=3   0 root
1.1     SUBJ
kutyája kutya NOUN  Number=Sing|Number[psor]=Sing|Person[psor]=3 1 obl
2.1     POSS
3.1     COP
"""
    doc = coindex.load("nearest-np")(parsed(text, language="hu"))
    assert chains(doc) == [["a fiúkat", "∅SUBJ"], ["kutyája", "∅POSS"]]


def test_czech_possessive_agrees_by_its_owner():
    text = """
Eva   Eva  PROPN Gender=Fem|Number=Sing  2 nsubj
zná   znát VERB  _                       0 root
Jana  Jan  PROPN Gender=Masc|Animacy=Anim|Number=Sing 2 obj
a     a    CCONJ _                       6 cc
její  jeho DET   Gender[psor]=Fem|Number[psor]=Sing|Person=3|Poss=Yes|PronType=Prs 6 det
dům   dům  NOUN  Gender=Masc|Animacy=Inan|Number=Sing 3 conj
"""
    assert chains(coindex.load("nearest-np")(parsed(text, language="cs"))) == [["Eva", "její"]]


def test_given_mentions_all_stay():
    doc = with_mentions(words("Ann saw the dog / It barked at her"), [0], [2, 3], [4], [7], language="en")
    result = coindex.load("nearest-np", mentions="given")(doc)
    assert chains(result) == [["Ann", "her"], ["the dog", "It"]]


def test_given_pronouns_to_resolve():
    doc = words("Ann saw a dog / It barked / It rained", language="en")
    asked = Entity("c1", (doc.mention([0]),)), Entity("c2", (doc.mention([2, 3]),))
    first = Entity("c3", (doc.mention([4], attributes={"anaphoric": "yes", "id": "7", "antecedent": "4"}),))
    second = Entity("c4", (doc.mention([6], attributes={"id": "9"}),))
    result = coindex.load("nearest-np", mentions="given")(doc.replace(entities=(*asked, first, second)))
    assert chains(result) == [["Ann"], ["a dog", "It"], ["It"]]
    assert dict(result.entities[1].mentions[1].attributes) == {"id": "7", "anaphoric": "yes", "by": "nearest-np"}


def test_scores_as_task_1_of_are():
    doc = words("Mary saw John / She waved / He saw her", language="en")
    key = doc.replace(
        id="d",
        entities=(
            Entity("a", (doc.mention([0]), doc.mention([3]), doc.mention([7]))),
            Entity("b", (doc.mention([2]), doc.mention([5]))),
        ),
    )
    response = coindex.load("nearest-np", mentions="given")(key)
    assert coindex.score(key, response, profile="are07-task1")["success"].f1 == 3 / 3
    raw = coindex.load("nearest-np")(key)
    assert coindex.score(key, raw, profile="are07-task3")["antecedent"].f1 == 3 / 3


def test_baseline_adds_equal_strings():
    text = "The storm hit Rome. Then the storm hit a town. A town is small. We like Rome."
    doc = coindex.load("are-baseline")(text)
    assert chains(doc) == [["The storm", "the storm"], ["Rome", "Rome"], ["a town", "A town"]]
    assert doc.entities[0].mentions[1].attributes["by"] == "are-baseline/string"


def test_baseline_with_given_mentions():
    doc = with_mentions(words("the dog saw the cat / it saw the dog", language="en"), [0, 1], [3, 4], [5], [7, 8])
    assert chains(coindex.load("are-baseline", mentions="given")(doc)) == [["the dog", "the dog"], ["the cat", "it"]]


def test_bad_trees_do_no_harm():
    text = "a a NOUN _ 2 nmod\nb b NOUN _ 1 nmod\nit it PRON PronType=Prs 9 obj"
    assert chains(coindex.load("nearest-np")(parsed(text, language="en"))) == [["a b", "it"]]


@pytest.mark.parametrize("resolver", ["nearest-np", "are-baseline"])
def test_long_documents(resolver):
    doc = words(" ".join(["the king"] * 60_000 + ["her"] * 80_000) + " / The queen saw her", language="en")
    sizes = sorted(map(len, coindex.load(resolver)(doc).entities))
    assert sizes == ([2, 80_000] if resolver == "nearest-np" else [2, 60_000, 80_000])


def test_given_pronouns_are_known_by_tags_of_their_own_and_by_lists():
    doc = parsed("der\nHund\nsie", language="de")
    tags = zip(doc.tokens, ("ART", "NN", "PPER"), strict=True)
    tagged = Document.from_sentences(type(doc.tokens)(t._replace(xpos=x) for t, x in tags), [3], language="de")
    load = coindex.load("nearest-np", mentions="given")
    assert chains(load(with_mentions(tagged, [0, 1], [2]))) == [["der Hund", "sie"]]
    assert chains(load(with_mentions(words("Eva jeho dům", language="cs"), [0], [1]))) == [["Eva", "jeho"]]
