"""Rules on links, on sentences with known mentions and trees."""

import re

import numpy as np
import pytest

from coindex import Document
from coindex.errors import UnknownNameError
from coindex.resolvers.linguistics.mention_kinds import rule_head
from coindex.resolvers.neural.constraints import (
    NOTHING_KNOWN,
    PLURAL,
    RULES,
    SINGULAR,
    Constraints,
    Syntax,
    full_name,
    is_conflict,
    parse_rules,
)
from coindex.resolvers.neural.detection import describe
from coindex.resolvers.neural.words import NUMBER, document_words, in_reading_order


def parse(marked):
    """Return the words of a text and its mentions, which [brackets] enclose."""
    forms, spans, opened = [], [], []
    for part in re.findall(r"[\[\]]|[^\s\[\]]+", marked):
        if part == "[":
            opened.append(len(forms))
        elif part == "]":
            spans.append((opened.pop(), len(forms)))
        else:
            forms.append(part)
    return document_words(Document.from_tokens([forms])), in_reading_order(spans)


def judge(marked, tree="", rules=RULES, types=()):
    """Return the mentions with their verdicts; the tree is "child>parent:relation …"."""
    words, spans = parse(marked)
    forms = words.forms
    syntax = None
    if tree:
        syntax = Syntax.empty(len(forms))
        for arc in tree.split():
            child, parent, relation = re.split("[>:]", arc)
            at = forms.index(child)
            syntax.parents[at], syntax.relations[at] = forms.index(parent), NUMBER["deprel"][relation]
    heads = np.array([rule_head(forms, span) for span in spans])
    verdicts = Constraints(words, frozenset(rules)).add(describe(words, spans), heads, syntax, types)
    return {" ".join(forms[slice(*span)]): verdict for span, verdict in zip(spans, verdicts, strict=True)}


@pytest.mark.parametrize(
    ("text", "inner", "excluded"),
    [
        ("[[her] mother]", "her", True),
        ("[the owner of [the shop]]", "the shop", True),
        ("[the man who lost [his] hat]", "his", False),
        ("[the town of [Marlow]]", "Marlow", False),
        ("[her] for [the girl]", "the girl", False),
    ],
)
def test_a_mention_is_not_a_part_of_itself(text, inner, excluded):
    assert judge(text)[inner].barred == (frozenset([0]) if excluded else frozenset())
    assert judge(text, rules=())[inner] is NOTHING_KNOWN


THANKED = "Peter>thanked:nsubj thanked>thanked:root him>thanked:obj"


@pytest.mark.parametrize(
    ("text", "tree", "pronoun", "excluded"),
    [
        ("[Peter] thanked [him]", THANKED, "him", {0}),
        ("[Peter] gave [Tom] [it]", "Peter>gave:nsubj Tom>gave:iobj it>gave:obj", "it", {0, 1}),
        ("[Peter] spoke to [him]", "Peter>spoke:nsubj him>spoke:obl to>him:case", "him", {0}),
        ("[Peter] looked behind [him]", "Peter>looked:nsubj him>looked:obl behind>him:case", "him", set()),
        ("[Peter] wants to thank [him]", "Peter>wants:nsubj thank>wants:xcomp him>thank:obj", "him", {0}),
        (
            "[Ann] asked [Ben] to help [her]",
            "Ann>asked:nsubj Ben>asked:obj help>asked:xcomp her>help:obj",
            "her",
            {1},
        ),
        (
            "[Ann] crossed [the road] to avoid [her]",
            "Ann>crossed:nsubj road>crossed:obj avoid>crossed:advcl her>avoid:obj",
            "her",
            {0},
        ),
        ("[Peter] came and thanked [him]", "Peter>came:nsubj thanked>came:conj him>thanked:obj", "him", {0}),
        (
            "[Peter] said [Tom] thanked [him]",
            "Peter>said:nsubj thanked>said:ccomp Tom>thanked:nsubj him>thanked:obj",
            "him",
            {1},
        ),
    ],
)
def test_a_pronoun_is_not_another_argument_of_its_verb(text, tree, pronoun, excluded):
    assert judge(text, tree)[pronoun].barred == excluded
    assert judge(text, tree, rules=["nested"])[pronoun].barred == frozenset()
    assert judge(text)[pronoun].barred == frozenset(), "without a tree, nothing is known"


@pytest.mark.parametrize(
    ("text", "tree", "pronoun", "binder"),
    [
        ("[Peter] hurt [himself]", "Peter>hurt:nsubj himself>hurt:obj", "himself", 0),
        ("[Ann] told [Ben] about [herself]", "Ann>told:nsubj Ben>told:obj herself>told:obl", "herself", 0),
        ("[I] hurt [himself]", "I>hurt:nsubj himself>hurt:obj", "himself", None),
        ("[Ann and Ben] hurt [himself]", "Ann>hurt:nsubj himself>hurt:obj", "himself", None),
        ("[They] hurt [themselves]", "They>hurt:nsubj themselves>hurt:obj", "themselves", 0),
    ],
)
def test_a_reflexive_refers_to_the_subject(text, tree, pronoun, binder):
    assert judge(text, tree)[pronoun].required == binder
    assert judge(text, tree, rules=["nested"])[pronoun].required is None


def test_a_reciprocal_refers_to_the_subject():
    verdicts = judge("[They] met [each other] .", "They>met:nsubj each>other:det other>met:obj")
    assert verdicts["each other"].required == 0


def test_reciprocals_are_mentions():
    words, spans = parse("[the boys] saw [each] other , [they]")
    assert Constraints(words, frozenset(("reflexives",))).complete(spans) == [(0, 2), (3, 5), (6, 7)]


def test_an_expletive_is_not_linked():
    tree = "It>rained:expl rained>rained:root"
    assert judge("[It] rained", tree)["It"].alone
    assert not judge("[It] rained", tree.replace("expl", "nsubj"))["It"].alone


def test_another_one_is_not_the_one_before():
    text = "[a letter] and [the stamp] , then [another letter] , [a second stamp] , [another day]"
    verdicts = judge(text)
    assert verdicts["another letter"].barred == {0}
    assert verdicts["a second stamp"].barred == {1}
    assert not verdicts["another day"].barred


@pytest.mark.parametrize(
    ("text", "second", "excluded"),
    [
        ("[Anna] and [I] left", "I", True),
        ("[the cat] and [the dog]", "the dog", True),
        ("[Anna] came and [she] left", "she", False),
        ("for [Anna] and [her] brother", "her", False),
        ("[the median] or [the middle value]", "the middle value", False),
    ],
)
def test_parts_of_a_coordination_differ(text, second, excluded):
    assert judge(text)[second].barred == (frozenset([0]) if excluded else frozenset())


def test_contrasting_modifiers():
    verdicts = judge(
        "[the old filter] , [the new filter] , [the second group] , [the east west street] , [the new group]"
    )
    values = {name: traits(verdict) for name, verdict in verdicts.items()}
    assert values["the old filter"] == {"filter/age": 0}
    assert values["the new filter"] == {"filter/age": 1}
    assert values["the second group"] == {"group/order": 1}
    assert values["the new group"] == {"group/age": 1}
    assert values["the east west street"] == {}, "two directions contradict each other"


def test_a_noun_is_not_another_argument_of_its_verb():
    tree = "Harlow>beat:nsubj Dunmore>beat:obj"
    assert judge("[Harlow] beat [Dunmore]", tree)["Dunmore"].barred == {0}


def traits(verdict):
    return dict(verdict.traits)


def test_people_and_things():
    verdicts = judge("[Mrs. Berg] , [it] , [the uncle] , [the table]")
    assert traits(verdicts["Mrs. Berg"]) == {"gender": 2, "animacy": 1}
    assert traits(verdicts["it"]) == {"animacy": 2, "number": 1}
    assert traits(verdicts["the uncle"]) == {"gender": 1, "animacy": 1}
    assert verdicts["the table"] is NOTHING_KNOWN


@pytest.mark.parametrize(
    ("text", "plural"),
    [
        ("the dogs", True),
        ("her two children", True),
        ("these letters", True),
        ("the dog", False),
        ("the television series", False),
        ("the mathematics", False),
        ("dogs", False),
        ("the cup and saucers", False),
        ("the boss", False),
    ],
)
def test_plural_nouns_exclude_singular_pronouns(text, plural):
    own, pronoun = (traits(judge(f"[{words}] slept")[words]).get("number") for words in (text, "it"))
    assert pronoun == SINGULAR
    assert own == (PLURAL if plural else None)
    assert "number" not in traits(judge(f"[{text}] slept", rules=["gender"])[text])


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("[Anna] and [Ben] left", "Anna and Ben"),
        ("[the cat] and [the old dog] slept", "the cat and the old dog"),
        ("[[Anna] and [Ben]] left", None),
        ("[Anna] sang and [Ben] left", None),
        ("[Anna] and [he] left", None),
    ],
)
def test_coordinations_are_proposed_as_mentions(text, group):
    words, spans = parse(text)
    constraints = Constraints(words, frozenset(RULES))
    added = set(constraints.complete(spans)) - set(spans)
    assert [" ".join(words.forms[slice(*span)]) for span in added] == ([group] if group else [])
    assert Constraints(words, frozenset(["nested"])).complete(spans) == spans


def test_a_group_starts_an_entity_that_does_not_contain_its_parts():
    words, spans = parse("[Anna] and [Ben] left ; [they] met [Anna] ; [Anna] and [Ben] sang")
    constraints = Constraints(words, frozenset(RULES))
    spans = constraints.complete(spans)
    heads = np.array([rule_head(words.forms, span) for span in spans])
    verdicts = constraints.add(describe(words, spans), heads)
    named = [(" ".join(words.forms[slice(*span)]), verdict) for span, verdict in zip(spans, verdicts, strict=True)]
    groups = [verdict for name, verdict in named if name == "Anna and Ben"]
    assert [verdict.alone for verdict in groups] == [True, False], "a repeated group can be linked to the first"
    later = [verdict for name, verdict in named if name == "Anna"][1]
    assert any(is_conflict(own, other) for own in later.traits for other in groups[0].traits)
    assert "group" not in traits(dict(named)["they"])


def test_types_exclude_each_other_if_the_model_is_sure():
    verdicts = judge(
        "[Sydney] and [Sydney 's sister] in [Sydney Harbour] , [it]", types=["person", "", "place", "place"]
    )
    assert traits(verdicts["Sydney"])["class"] != traits(verdicts["Sydney Harbour"])["class"]
    assert "class" not in traits(verdicts["Sydney 's sister"])
    assert "class" not in traits(verdicts["it"]), "the type of a pronoun depends on its antecedent"


def test_she_is_not_a_thing():
    verdicts = judge("[the web] , [she] , [it]", types=["object", "", ""])
    assert traits(verdicts["she"])["class"] != traits(verdicts["the web"])["class"]
    assert "class" not in traits(verdicts["it"])


@pytest.mark.parametrize(
    ("first", "second", "conflicts"),
    [
        ("Anna Berg", "Thomas Berg", True),
        ("Anna Berg", "Anna Holm", True),
        ("Anna Berg", "Dr. Anna Berg", False),
        ("Anna Berg", "Anna Maria Berg", False),
        ("Anna Berg", "Thomas Holm", False),
        ("William Berg", "Bill Berg", False),
    ],
)
def test_full_names(first, second, conflicts):
    names = [full_name(name.split()) for name in (first, second)]
    assert is_conflict(("name", names[0]), ("name", names[1])) == conflicts


def test_first_names():
    verdicts = judge("[Robert Berg] met [Anna Holm] , [Bob] , [Will] and [Berg]")
    full, bob, will, berg = (verdicts[name].traits for name in ("Robert Berg", "Bob", "Will", "Berg"))
    assert not any(is_conflict(a, b) for a in full for b in (*bob, *berg))
    assert any(is_conflict(a, b) for a in full for b in will)
    assert any(is_conflict(a, b) for a in bob for b in verdicts["Anna Holm"].traits)


@pytest.mark.parametrize(
    ("text", "mention", "person"),
    [
        ("[William Berg] ran . [Bill] fell .", "Bill", 0),
        ("[Kate] saw [William] . [Will] fell .", "Will", 1),
        ("[William Berg] met [William Holm] . [Bill] fell .", "Bill", None),
        ("[Elizabeth] met [Lisa] .", "Lisa", None),
        ("[Bill] met [William] .", "William", None),
        ("[Robert] ran . [Bill] fell .", "Bill", None),
    ],
)
def test_short_forms_of_first_names(text, mention, person):
    assert judge(text)[mention].required == person


@pytest.mark.parametrize(
    ("text", "mention", "meant"),
    [
        ('[Delta Bank] ( [the " Lender "] ) paid . [The Lender] left .', 'the " Lender "', 0),
        ('[Delta Bank] ( [the " Lender "] ) paid . [The Lender] left .', "The Lender", 0),
        ("[a loan from [Delta Bank]] ( “ [Lender] ” ) . [Lender] 's office", "Lender", 1),
        ('[Ann] and [Tom] ( hereinafter the " Parties " ) . [the Parties] agree', "the Parties", None),
        ('[Delta Bank] ( " Lender " ) and [another lender] .', "another lender", None),
        ("[Delta Bank] ( Berlin ) likes [Berlin] .", "Berlin", None),
    ],
)
def test_defined_terms(text, mention, meant):
    assert judge(text)[mention].required == meant


def test_two_terms_differ():
    verdicts = judge('[Rowan] ( " Company " ) hires [Ada Finch] ( " Employee " ) . [The Employee] left .')
    company, employee = (verdicts[name].traits for name in ("Rowan", "The Employee"))
    assert any(is_conflict(a, b) for a in company for b in employee)


@pytest.mark.parametrize("text", ["Berg", "New York", "the Berg family", "A. Berg", "Anna of Berg"])
def test_what_is_not_a_full_name(text):
    assert full_name(text.split()) is None


def test_rules_of_an_option():
    assert parse_rules("all") == frozenset(RULES)
    assert parse_rules("none") == frozenset()
    assert parse_rules("nested/names") == {"nested", "names"}
    assert parse_rules("-nested/names") == frozenset(RULES) - {"nested", "names"}
    with pytest.raises(UnknownNameError, match="nestd"):
        parse_rules("nestd")
