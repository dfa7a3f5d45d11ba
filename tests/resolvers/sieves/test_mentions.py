"""Mentions from trees, and their attributes."""

from coindex.resolvers.sieves.candidates import FEM, MASC, NEUT, PERSON, PLUR, SING, THING
from coindex.resolvers.sieves.resolver import Sieves
from parsed_text import parsed, with_mentions

PHRASE = """
The     the     DET   Definite=Def|PronType=Art 3 det
old     old     ADJ   _           3 amod
captain captain NOUN  Number=Sing 9 nsubj
of      of      ADP   _           6 case
a       a       DET   Definite=Ind|PronType=Art 6 det
ship    ship    NOUN  Number=Sing 3 nmod
,       ,       PUNCT _           3 punct
slowly  slowly  ADV   _           9 advmod
opened  open    VERB  _           0 root
his     his     PRON  Gender=Masc|Number=Sing|Person=3|Poss=Yes|PronType=Prs 11 nmod:poss
door    door    NOUN  Number=Sing 9 obj
for     for     ADP   _           14 case
Dr.     Dr.     PROPN Number=Sing 14 nmod:desc
Mary    Mary    PROPN Number=Sing 9 obl
Stone   Stone   PROPN Number=Sing 14 flat
and     and     CCONJ _           17 cc
Tom     Tom     PROPN Number=Sing 14 conj
.       .       PUNCT _           9 punct
"""


def candidates(text, **fields):
    return Sieves().prepare(parsed(text, **fields)).candidates


def by_text(text, **fields):
    doc = parsed(text, **fields)
    return {" ".join(doc.tokens.forms[one.start : one.end]): one for one in Sieves().prepare(doc).candidates}


def test_phrases_with_what_hangs_inside():
    assert list(by_text(PHRASE, language="en")) == [
        "The old captain of a ship",
        "a ship",
        "his door",
        "his",
        "Dr. Mary Stone and Tom",
        "Dr. Mary Stone",
        "Tom",
    ]


def test_attributes_of_mentions():
    found = by_text(PHRASE, language="en")
    captain, ship, his = found["The old captain of a ship"], found["a ship"], found["his"]
    assert (captain.definite, captain.animacy, captain.gender, captain.number) == ("def", PERSON, MASC | FEM, SING)
    assert captain.modifiers == {"old", "ship"}
    assert (ship.definite, ship.animacy, ship.gender) == ("indef", THING, NEUT)
    assert (his.kind, his.possessive, his.gender, his.person) == ("pronoun", True, MASC, 3)
    assert found["his door"].definite == "poss"


def test_names_without_titles_and_groups():
    found = by_text(PHRASE, language="en")
    stone, both = found["Dr. Mary Stone"], found["Dr. Mary Stone and Tom"]
    assert (stone.name, stone.gender, stone.animacy) == (("mary", "stone"), FEM, PERSON)
    assert (both.whole, both.number, both.optional) == (True, PLUR, True)


PREDICATE = """
Nora    Nora    PROPN Number=Sing 4 nsubj
is      be      AUX   _           4 cop
a       a       DET   Definite=Ind|PronType=Art 4 det
pilot   pilot   NOUN  Number=Sing 0 root
.       .       PUNCT _           4 punct
"""


def test_a_predicate_is_without_its_subject():
    assert list(by_text(PREDICATE, language="en")) == ["Nora", "a pilot"]


EXPLETIVES = """
It      it      PRON  Gender=Neut|Number=Sing|Person=3|PronType=Prs 2 expl
seems   seem    VERB  _ 0 root
there   there   PRON  _ 4 expl
is      be      VERB  _ 2 ccomp
nothing nothing PRON  PronType=Neg 4 nsubj
"""


def test_pleonastic_pronouns_are_left_alone():
    assert list(by_text(EXPLETIVES, language="en")) == ["nothing"]


SPANISH = """
La       el       DET   Definite=Def|PronType=Art 2 det
ministra ministro NOUN  Gender=Fem|Number=Sing 5 nsubj
Rosa     Rosa     PROPN _ 2 appos
Mora     Mora     PROPN _ 3 flat
dijo     decir    VERB  Number=Sing|Person=3 0 root
que      que      SCONJ _ 7 mark
6.1      _        _     PRON _ _ _ 7:nsubj
irían    ir       VERB  Number=Plur|Person=1 5 ccomp
"""


def test_an_apposition_belongs_to_its_noun_in_languages_whose_corpora_include_it():
    ministra, zero = candidates(SPANISH, language="es")
    assert (ministra.start, ministra.end, ministra.name) == (0, 4, ("rosa", "mora"))
    assert zero.kind == "zero"


def test_a_zero_has_the_features_of_its_verb():
    zero = candidates(SPANISH, language="es")[1]
    assert (zero.person, zero.number) == (1, PLUR)


def test_given_mentions_are_taken_as_they_are():
    doc = with_mentions(parsed(PHRASE, language="en"), [0, 1, 2], [9], [13, 14, 15, 16])
    found = Sieves(detected=False).prepare(doc).candidates
    assert [(one.start, one.end, one.head, one.whole) for one in found] == [
        (0, 3, 2, False),
        (9, 10, 9, False),
        (13, 17, 13, True),
    ]
