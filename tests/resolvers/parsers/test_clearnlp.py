"""ClearNLP's relations turned into UD, one construction a test; trees written by hand as a parser would give them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.resolvers.parsers.clearnlp import RENAMED, to_ud
from coindex.resolvers.parsers.spacy import CLEAR, UD, scheme_of
from coindex.resolvers.parsers.step import ROOT, Word, repair_tree

TAGS = {
    "NN": "NOUN",
    "NNP": "PROPN",
    "PRP": "PRON",
    "PRP$": "PRON",
    "DT": "DET",
    "IN": "ADP",
    "CC": "CCONJ",
    "MD": "AUX",
}
TAGS |= {
    "JJ": "ADJ",
    "RB": "ADV",
    "TO": "PART",
    "POS": "PART",
    "CD": "NUM",
    "WP": "PRON",
    "WDT": "PRON",
    "WRB": "SCONJ",
}
TAGS |= {"EX": "PRON", "RP": "ADP", ".": "PUNCT", ",": "PUNCT", "UH": "INTJ", "-": "PUNCT"}
BE = ("is", "was", "were", "are", "be", "been", "'s")


def parse(text: str) -> list[Word]:
    """Words "form/TAG/head/relation", heads counted from 1, "!" after the tag of a word of a person's name."""
    words = []
    for item in text.split():
        form, tag, head, rel = item.rsplit("/", 3)
        name = "I-PERSON" if tag.endswith("!") else "O"
        tag = tag.rstrip("!")
        is_be = form.lower() in BE
        upos = TAGS.get(tag, "AUX" if rel.startswith("aux") or is_be else "VERB")
        lemma = "be" if is_be else form.lower()
        words.append(Word(form, lemma, upos, tag, "_", int(head) - 1, rel, name))
    return words


def converted(text: str) -> str:
    """The words with their new heads and relations, in the form that they were given in, without tags."""
    words = to_ud(parse(text))
    return " ".join(f"{word.form}/{(word.head or 0) + 1}/{word.deprel}" for word in words)


CASES = {
    "an object of a preposition, of a verb and of a noun": (
        "She/PRP/2/nsubj lives/VBZ/0/ROOT in/IN/2/prep a/DT/5/det house/NN/3/pobj of/IN/5/prep stone/NN/6/pobj",
        "She/2/nsubj lives/0/root in/5/case a/5/det house/2/obl of/7/case stone/5/nmod",
    ),
    "a preposition before a preposition": (
        "He/PRP/2/nsubj ran/VBD/0/ROOT from/IN/2/prep behind/IN/3/prep it/PRP/4/pobj",
        "He/2/nsubj ran/0/root from/5/case behind/5/case it/2/obl",
    ),
    "a fixed expression": (
        "Home/RB/0/ROOT because/IN/1/prep of/IN/2/pcomp rain/NN/3/pobj",
        "Home/0/root because/4/case of/2/fixed rain/1/obl",
    ),
    "a clause after a preposition": (
        "Left/VBD/0/ROOT without/IN/1/prep paying/VBG/2/pcomp him/PRP/3/dobj",
        "Left/0/root without/3/mark paying/1/advcl him/3/obj",
    ),
    "prepositional phrases in coordination": (
        "Good/JJ/0/ROOT for/IN/1/prep you/PRP/2/pobj and/CC/2/cc for/IN/2/conj me/PRP/5/pobj",
        "Good/0/root for/3/case you/1/obl and/6/cc for/6/case me/3/conj",
    ),
    "an agent": (
        "It/PRP/3/nsubjpass was/VBD/3/auxpass seen/VBN/0/ROOT by/IN/3/agent Ann/NNP/4/pobj",
        "It/3/nsubj:pass was/3/aux:pass seen/0/root by/5/case Ann/3/obl:agent",
    ),
    "a preposition left alone in a relative clause": (
        "The/DT/2/det house/NN/0/ROOT we/PRP/4/nsubj live/VBP/2/relcl in/IN/4/prep",
        "The/2/det house/0/root we/4/nsubj live/2/acl:relcl in/4/obl",
    ),
    "a noun that be says of its subject": (
        "He/PRP/3/nsubj will/MD/3/aux be/VB/0/ROOT a/DT/5/det king/NN/3/attr ././3/punct",
        "He/5/nsubj will/5/aux be/5/cop a/5/det king/0/root ./5/punct",
    ),
    "an adjective that be says of its subject, in a relative clause": (
        "Men/NN/0/ROOT who/WP/3/nsubj were/VBD/1/relcl late/JJ/3/acomp",
        "Men/0/root who/4/nsubj were/4/cop late/1/acl:relcl",
    ),
    "a place that be says of its subject": (
        "She/PRP/2/nsubj is/VBZ/0/ROOT in/IN/2/prep Rome/NNP/3/pobj",
        "She/4/nsubj is/4/cop in/4/case Rome/0/root",
    ),
    "here": (
        "She/PRP/2/nsubj is/VBZ/0/ROOT here/RB/2/advmod",
        "She/3/nsubj is/3/cop here/0/root",
    ),
    "a clause that be says of its subject": (
        "News/NN/2/nsubj is/VBZ/0/ROOT that/IN/5/mark he/PRP/5/nsubj left/VBD/2/ccomp",
        "News/5/nsubj:outer is/5/cop that/5/mark he/5/nsubj left/0/root",
    ),
    "there is": (
        "There/EX/2/expl is/VBZ/0/ROOT a/DT/4/det man/NN/2/attr",
        "There/2/expl is/0/root a/4/det man/2/nsubj",
    ),
    "a verb other than be with a predicate": (
        "He/PRP/2/nsubj became/VBD/0/ROOT king/NN/2/attr",
        "He/2/nsubj became/0/root king/2/xcomp",
    ),
    "three conjuncts": (
        "Ann/NNP/6/nsubj ,/,/1/punct Bob/NNP/1/conj and/CC/3/cc Cid/NNP/3/conj left/VBD/0/ROOT",
        "Ann/6/nsubj ,/3/punct Bob/1/conj and/5/cc Cid/1/conj left/0/root",
    ),
    "and at the beginning": (
        "And/CC/3/cc he/PRP/3/nsubj left/VBD/0/ROOT",
        "And/3/cc he/3/nsubj left/0/root",
    ),
    "possessives and a person's name": (
        "Ann/NNP!/3/compound B./NNP!/3/compound Poe/NNP!/5/poss 's/POS/3/case dog/NN/0/ROOT",
        "Ann/5/nmod:poss B./1/flat Poe/1/flat 's/1/case dog/0/root",
    ),
    "a fixed expression at the end, its object unsaid": (
        "Cold/JJ/0/ROOT as/IN/1/prep of/IN/2/pcomp",
        "Cold/0/root as/1/case of/2/fixed",
    ),
    "a title before a name": (
        "Dr./NNP/3/compound Ann/NNP!/3/compound Poe/NNP!/4/nsubj left/VBD/0/ROOT",
        "Dr./2/nmod:desc Ann/4/nsubj Poe/2/flat left/0/root",
    ),
    "a number after a name": (
        "Title/NNP/2/compound IV/NNP/3/nsubj fell/VBD/0/ROOT",
        "Title/3/nsubj IV/1/flat fell/0/root",
    ),
    "a clause about what": (
        "I/PRP/2/nsubj know/VBP/0/ROOT what/WP/5/dobj you/PRP/5/nsubj did/VBD/2/ccomp",
        "I/2/nsubj know/0/root what/2/obj you/5/nsubj did/3/acl:relcl",
    ),
    "a clause that asks": (
        "I/PRP/2/nsubj wonder/VBP/0/ROOT what/WP/5/dobj you/PRP/5/nsubj did/VBD/2/ccomp",
        "I/2/nsubj wonder/0/root what/5/obj you/5/nsubj did/2/ccomp",
    ),
    "a name of no person": (
        "Lake/NNP/2/compound Como/NNP/0/ROOT",
        "Lake/2/compound Como/0/root",
    ),
    "somebody given something": (
        "Give/VB/0/ROOT us/PRP/1/dative it/PRP/1/dobj",
        "Give/0/root us/1/iobj it/1/obj",
    ),
    "something given to somebody": (
        "Give/VB/0/ROOT it/PRP/1/dobj to/IN/1/dative us/PRP/3/pobj",
        "Give/0/root it/1/obj to/4/case us/1/obl",
    ),
    "a verb below a verb": (
        "They/PRP/2/nsubj want/VBP/0/ROOT him/PRP/5/nsubj to/TO/5/aux go/VB/2/ccomp",
        "They/2/nsubj want/0/root him/2/obj to/5/mark go/2/xcomp",
    ),
    "a clause with tense below a verb": (
        "They/PRP/2/nsubj say/VBP/0/ROOT he/PRP/4/nsubj left/VBD/2/ccomp",
        "They/2/nsubj say/0/root he/4/nsubj left/2/ccomp",
    ),
    "an adjective below a verb": (
        "It/PRP/2/nsubj made/VBD/0/ROOT her/PRP/4/nsubj sad/JJ/2/ccomp",
        "It/2/nsubj made/0/root her/2/obj sad/2/xcomp",
    ),
    "measures": (
        "two/CD/2/nummod days/NN/3/npadvmod old/JJ/0/ROOT",
        "two/2/nummod days/3/obl:unmarked old/0/root",
    ),
    "a particle, a negation, a greeting": (
        "Oh/UH/4/intj do/VBP/4/aux not/RB/4/neg give/VB/0/ROOT up/RP/4/prt",
        "Oh/4/discourse do/4/aux not/4/advmod give/0/root up/4/compound:prt",
    ),
    "both, all": (
        "all/DT/3/predet the/DT/3/det men/NN/0/ROOT about/RB/5/quantmod ten/CD/3/nummod",
        "all/3/det:predet the/3/det men/0/root about/5/advmod ten/3/nummod",
    ),
    "an infinitive of a noun": (
        "a/DT/2/det way/NN/0/ROOT to/TO/4/aux go/VB/2/relcl",
        "a/2/det way/0/root to/4/mark go/2/acl",
    ),
    "brackets": (
        "Ann/NNP/5/nsubj (/-/5/punct 42/CD/1/appos )/-/5/punct left/VBD/0/ROOT",
        "Ann/5/nsubj (/3/punct 42/1/appos )/3/punct left/0/root",
    ),
    "a fragment that begins with a preposition": (
        "In/IN/0/ROOT Rome/NNP/1/pobj",
        "In/2/case Rome/0/root",
    ),
}


@pytest.mark.parametrize(("given", "expected"), CASES.values(), ids=CASES.keys())
def test_construction(given: str, expected: str):
    assert converted(given) == expected


def test_words_with_wh_are_relative_or_ask():
    relative = to_ud(parse("Men/NN/0/ROOT who/WP/3/nsubj came/VBD/1/relcl"))
    asking = to_ud(parse("Who/WP/2/nsubj came/VBD/0/ROOT"))
    assert relative[1].feats == "PronType=Rel"
    assert asking[0].feats == "PronType=Int"


def test_tags_follow_the_relation():
    words = to_ud(parse("Left/VBD/0/ROOT without/IN/1/prep paying/VBG/2/pcomp when/WRB/5/advmod asked/VBD/1/advcl"))
    assert [word.upos for word in words] == ["VERB", "SCONJ", "VERB", "ADV", "VERB"]


@given(
    st.lists(
        st.tuples(
            st.integers(-1, 11),
            st.sampled_from(sorted(CLEAR | UD)),
            st.sampled_from(["is", "of", "as", ",", "(", "who"]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["NOUN", "ADP", "AUX", "PROPN"]),
)
def test_any_parser_output_becomes_a_ud_tree(rows: Iterable[tuple[int, str, str]], upos: str):
    given = repair_tree([Word(form, "be", upos, "IN", "_", head, rel, "I-PER") for head, rel, form in rows])
    words = to_ud(given)
    assert [word.head for word in words].count(ROOT) == 1
    assert repair_tree(words) == words
    assert {word.deprel.partition(":")[0] for word in words} <= UD


def test_every_relation_has_a_new_name_or_a_pass_of_its_own():
    assert CLEAR - RENAMED.keys() == {"prep", "npadvmod"}
    assert {name.partition(":")[0] for name in RENAMED.values()} <= UD


@pytest.mark.parametrize(
    ("labels", "language", "scheme"),
    [
        (["ROOT", "dobj", "nsubj", "prep"], "en", "clear"),
        (["ROOT", "obj", "nsubj", "obl:agent"], "en", "ud"),
        (["ROOT", "nsubj"], "en", "clear"),
        (["ROOT", "nsubj"], "fr", "ud"),
        (["ROOT", "sb", "nk", "oa"], "de", "other"),
        ([], "fr", "ud"),
    ],
)
def test_the_scheme_is_known_by_its_relations(labels: list[str], language: str, scheme: str):
    assert scheme_of(labels, language) == scheme
