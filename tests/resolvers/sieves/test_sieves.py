"""Each sieve on a text made for it."""

import pytest

import coindex
from coindex import Document
from coindex.document import Sentence, Tokens
from parsed_text import chains, parsed, with_mentions

HE = "Gender=Masc|Number=Sing|Person=3|PronType=Prs"
SHE = "Gender=Fem|Number=Sing|Person=3|PronType=Prs"
IT = "Gender=Neut|Number=Sing|Person=3|PronType=Prs"
ME = "Number=Sing|Person=1|PronType=Prs"
YOU = "Person=2|PronType=Prs"
THE = "Definite=Def|PronType=Art"
A = "Definite=Ind|PronType=Art"
RAN = "Bo Bo PROPN Number=Sing 2 nsubj\nran run VERB _ 0 root"


def resolved(text, **fields):
    return coindex.load("sieves(singletons=no)")(parsed(text, **{"language": "en", **fields}))


def sources(doc):
    return [[mention.attributes["by"] for mention in entity.mentions] for entity in doc.entities]


def test_exact_strings():
    doc = resolved(f"""
The    the    DET   {THE} 3 det
red    red    ADJ   _ 3 amod
kite   kite   NOUN  Number=Sing 4 nsubj
fell   fall   VERB  _ 0 root

A      a      DET   {A} 2 det
kite   kite   NOUN  Number=Sing 3 nsubj
rose   rise   VERB  _ 0 root

He     he     PRON  {HE} 2 nsubj
took   take   VERB  _ 0 root
the    the    DET   {THE} 5 det
red    red    ADJ   _ 5 amod
kite   kite   NOUN  Number=Sing 2 obj
""")
    assert chains(doc) == [["The red kite", "the red kite"]]
    assert sources(doc) == [["sieves/mentions", "sieves/exact"]]


def test_a_link_has_the_precision_of_its_sieve_as_score():
    doc = resolved(f"{RAN}\n\n{RAN}")
    first, second = doc.entities[0].mentions
    assert "score" not in first.attributes
    assert 0.5 < float(second.attributes["score"]) < 1


def test_appositions_and_copulas_unless_they_are_denied():
    doc = resolved(f"""
Nora   Nora   PROPN Number=Sing 6 nsubj
,      ,      PUNCT _ 4 punct
a      a      DET   {A} 4 det
nurse  nurse  NOUN  Number=Sing 1 appos
,      ,      PUNCT _ 1 punct
left   leave  VERB  _ 0 root

Bo     Bo     PROPN Number=Sing 4 nsubj
is     be     AUX   _ 4 cop
a      a      DET   {A} 4 det
cook   cook   NOUN  Number=Sing 0 root

Max    Max    PROPN Number=Sing 5 nsubj
is     be     AUX   _ 5 cop
not    not    PART  Polarity=Neg 5 advmod
a      a      DET   {A} 5 det
king   king   NOUN  Number=Sing 0 root
""")
    assert chains(doc) == [["Nora", "a nurse"], ["Bo", "a cook"]]
    assert sources(doc) == [["sieves/mentions", "sieves/appositions"], ["sieves/mentions", "sieves/copulas"]]


def test_an_age_beside_a_name_is_not_the_person():
    doc = resolved(f"""
Stein  Stein  PROPN Number=Sing 5 nsubj
,      ,      PUNCT _ 3 punct
58     58     NUM   NumType=Card 1 appos
,      ,      PUNCT _ 1 punct
left   leave  VERB  _ 0 root

She    she    PRON  {SHE} 2 nsubj
waved  wave   VERB  _ 0 root
""")
    assert chains(doc) == [["Stein", "She"]]


def test_no_pronoun_means_a_month_unless_a_woman_has_its_name():
    text = f"""
Zork   Zork   PROPN Number=Sing 2 nsubj
came   come   VERB  _ 0 root
in     in     ADP   _ 4 case
June   June   PROPN Number=Sing 2 obl

June   June   PROPN Number=Sing 2 nsubj
passed pass   VERB  _ 0 root

She    she    PRON  {SHE} 2 nsubj
waved  wave   VERB  _ 0 root
"""
    assert chains(resolved(text)) == [["Zork", "She"], ["June", "June"]]
    woman = f"""
Ms.    Ms.    PROPN Number=Sing 2 nmod:desc
June   June   PROPN Number=Sing 3 nsubj
left   leave  VERB  _ 0 root

She    she    PRON  {SHE} 2 nsubj
waved  wave   VERB  _ 0 root
"""
    assert chains(resolved(woman)) == [["Ms. June", "She"]]


def test_relative_pronouns_where_corpora_have_them():
    text = """
Vidí     vidět   VERB  Number=Sing|Person=3 0 root
ženu     žena    NOUN  Gender=Fem|Number=Sing 1 obj
,        ,       PUNCT _ 5 punct
která    který   DET   Gender=Fem|Number=Sing|PronType=Int,Rel 5 nsubj
spí      spát    VERB  Number=Sing|Person=3 2 acl:relcl
"""
    assert chains(resolved(text, language="cs")) == [["ženu , která spí", "která"]]


def test_names_and_acronyms():
    doc = resolved("""
Ann     Ann     PROPN Number=Sing 3 nsubj
Marsh   Marsh   PROPN Number=Sing 1 flat
left    leave   VERB  _ 0 root
World   World   PROPN Number=Sing 6 compound
Kite    Kite    PROPN Number=Sing 6 compound
Club    Club    PROPN Number=Sing 3 obj

Marsh   Marsh   PROPN Number=Sing 2 nsubj
hates   hate    VERB  _ 0 root
WKC     WKC     PROPN Number=Sing 2 obj
""")
    assert chains(doc) == [["Ann Marsh", "Marsh"], ["World Kite Club", "WKC"]]
    assert sources(doc)[0][1] == "sieves/names"
    assert sources(doc)[1][1] == "sieves/acronyms"


def test_heads_without_new_information():
    doc = resolved(f"""
A      a      DET   {A} 3 det
small  small  ADJ   _ 3 amod
boat   boat   NOUN  Number=Sing 4 nsubj
sank   sink   VERB  _ 0 root

The    the    DET   {THE} 2 det
boat   boat   NOUN  Number=Sing 3 nsubj
leaked leak   VERB  _ 0 root

A      a      DET   {A} 3 det
large  large  ADJ   _ 3 amod
boat   boat   NOUN  Number=Sing 4 nsubj
came   come   VERB  _ 0 root
""")
    assert chains(doc) == [["A small boat", "The boat"]]
    assert sources(doc)[0][1] == "sieves/heads"


def test_the_same_words_up_to_the_head():
    doc = resolved(f"""
The    the    DET   {THE} 3 det
old    old    ADJ   _ 3 amod
clock  clock  NOUN  Number=Sing 7 nsubj
in     in     ADP   _ 6 case
the    the    DET   {THE} 6 det
hall   hall   NOUN  Number=Sing 3 nmod
stopped stop  VERB  _ 0 root

The    the    DET   {THE} 3 det
old    old    ADJ   _ 3 amod
clock  clock  NOUN  Number=Sing 4 nsubj
rang   ring   VERB  _ 0 root
""")
    assert chains(doc) == [["The old clock in the hall", "The old clock"]]
    assert sources(doc)[0][1] == "sieves/relaxed-strings"


def test_pronouns_agree_and_prefer_subjects():
    doc = resolved(f"""
Mary   Mary   PROPN Number=Sing 2 nsubj
sold   sell   VERB  _ 0 root
John   John   PROPN Number=Sing 2 iobj
a      a      DET   {A} 5 det
lamp   lamp   NOUN  Number=Sing 2 obj
in     in     ADP   _ 8 case
the    the    DET   {THE} 8 det
garden garden NOUN  Number=Sing 2 obl

He     he     PRON  {HE} 2 nsubj
broke  break  VERB  _ 0 root
it     it     PRON  {IT} 2 obj
and    and    CCONJ _ 6 cc
she    she    PRON  {SHE} 6 nsubj
wept   weep   VERB  _ 2 conj
""")
    assert chains(doc) == [["Mary", "she"], ["John", "He"], ["a lamp", "it"]]


def test_two_arguments_of_a_verb_are_one_only_if_reflexive():
    text = f"""
Tom    Tom    PROPN Number=Sing 2 nsubj
ran    run    VERB  _ 0 root

John   John   PROPN Number=Sing 2 nsubj
saw    see    VERB  _ 0 root
him    he     PRON  {HE} 2 obj
"""
    assert chains(resolved(text)) == [["Tom", "him"]]
    reflexive = text.replace("him    he     PRON  ", "himself he PRON Reflex=Yes|")
    assert chains(resolved(reflexive)) == [["John", "himself"]]


def test_a_possessive_is_not_its_own_owner():
    doc = resolved(f"""
Bo     Bo     PROPN Number=Sing 2 nsubj
sold   sell   VERB  _ 0 root
his    he     PRON  {HE}|Poss=Yes 4 nmod:poss
coat   coat   NOUN  Number=Sing 2 obj
""")
    assert chains(doc) == [["Bo", "his"]]


def test_possessives_of_one_owner():
    doc = resolved(f"""
Mary   Mary   PROPN Number=Sing 3 nmod:poss
's     's     PART  _ 1 case
aunt   aunt   NOUN  Number=Sing 4 nsubj
left   leave  VERB  _ 0 root

Mary   Mary   PROPN Number=Sing 2 nsubj
missed miss   VERB  _ 0 root
her    she    PRON  {SHE}|Poss=Yes 5 nmod:poss
dear   dear   ADJ   _ 5 amod
aunt   aunt   NOUN  Number=Sing 2 obj
""")
    assert ["Mary 's aunt", "her dear aunt"] in chains(doc)


def test_zeros_by_the_features_of_the_verb():
    doc = resolved(
        """
Los     el      DET   Definite=Def|PronType=Art 2 det
niños   niño    NOUN  Gender=Masc|Number=Plur 3 nsubj
vieron  ver     VERB  Number=Plur|Person=3 0 root
a       a       ADP   _ 5 case
Rosa    Rosa    PROPN _ 3 obj

0.1     _       _     PRON _ _ _ 1:nsubj
Gritó   gritar  VERB  Number=Sing|Person=3 0 root

0.1     _       _     PRON _ _ _ 1:nsubj
Rieron  reír    VERB  Number=Plur|Person=3 0 root
""",
        language="es",
    )
    assert chains(doc) == [["Los niños", "∅_"], ["Rosa", "∅_"]]


def with_speakers(text, *speakers, comments=((),) * 9):
    doc = parsed(text, language="en")
    pairs = zip(doc.sentences, speakers, comments, strict=False)
    return doc.replace(
        sentences=tuple(
            Sentence(doc.tokens, one.start, one.end, speaker=name, comments=tuple(said)) for one, name, said in pairs
        )
    )


TALK = f"""
I      I      PRON  {ME} 2 nsubj
know   know   VERB  _ 0 root
you    you    PRON  {YOU} 2 obj

You    you    PRON  {YOU} 2 nsubj
bore   bore   VERB  _ 0 root
me     I      PRON  {ME} 2 obj
"""


def test_speakers_of_two():
    doc = coindex.load("sieves")(with_speakers(TALK, "Ann", "Bo"))
    assert chains(doc) == [["I", "You"], ["you", "me"]]


def test_the_addressee_is_that_of_the_comment():
    more = TALK + f"\nI      I      PRON  {ME} 2 nsubj\nleave  leave  VERB  _ 0 root\n"
    doc = with_speakers(more, "Ann", "Bo", "Cy", comments=[["# addressee = Cy"], ["# addressee = Ann"], []])
    assert chains(coindex.load("sieves")(doc)) == [["I", "You"], ["you", "I"], ["me"]]


def test_i_in_a_quotation_is_the_speaker():
    doc = resolved(f"""
“      “      PUNCT _ 3 punct
I      I      PRON  {ME} 3 nsubj
left   leave  VERB  _ 6 ccomp
”      ”      PUNCT _ 3 punct
,      ,      PUNCT _ 6 punct
said   say    VERB  _ 0 root
Mary   Mary   PROPN Number=Sing 6 nsubj

I      I      PRON  {ME} 2 nsubj
nodded nod    VERB  _ 0 root
and    and    CCONJ _ 4 cc
went   go     VERB  _ 2 conj
with   with   ADP   _ 6 case
me     I      PRON  {ME} 4 obl
""")
    assert chains(doc) == [["I", "Mary"], ["I", "me"]]
    assert sources(doc) == [["sieves/mentions", "sieves/speakers"]] * 2


def test_the_it_of_weather_and_time_means_nothing():
    doc = resolved(f"""
The    the    DET   {THE} 2 det
dog    dog    NOUN  Number=Sing 3 nsubj
barked bark   VERB  _ 0 root

It     it     PRON  {IT} 2 nsubj
rained rain   VERB  _ 0 root
""")
    assert chains(doc) == []


EXTRAPOSED = f"""
It     it     PRON  {IT} 3 expl
is     be     AUX   _ 3 cop
good   good   ADJ   _ 0 root
to     to     PART  _ 5 mark
see    see    VERB  _ 3 csubj
you    you    PRON  {YOU} 5 obj
"""


def test_an_announced_clause_only_if_asked_for():
    doc = parsed(EXTRAPOSED, language="en")
    assert chains(coindex.load("sieves")(doc)) == [["you"]]
    assert chains(coindex.load("sieves(extraposed=yes)")(doc)) == [["It", "to see you"], ["you"]]


def test_given_mentions_are_linked_and_none_is_added():
    doc = with_mentions(
        parsed(f"{RAN}\nhome home NOUN _ 2 obl\n\n{RAN}"),
        [0],
        [3],
    )
    assert chains(coindex.load("sieves", mentions="given")(doc)) == [["Bo", "Bo"]]


@pytest.mark.parametrize("heads", [["0", "0"], ["2", "1"], ["1", "2"], ["9", "x"], ["_", "0"]])
def test_bad_trees_do_no_harm(heads):
    doc = parsed(f"Bo Bo PROPN _ {heads[0]} nsubj\nBo Bo PROPN _ {heads[1]} obj")
    assert chains(coindex.load("sieves")(doc)) == [["Bo", "Bo"]]


def test_nothing_at_all():
    sieves = coindex.load("sieves")
    assert sieves(Document()).entities == ()
    assert sieves(Document(Tokens(), ())).entities == ()


def test_tokens_without_sentences():
    doc = parsed(TALK, language="en").replace(sentences=())
    assert chains(coindex.load("sieves")(doc)) == [["I", "me"], ["you", "You"]]


def test_a_phrase_of_a_broken_tree_is_not_as_long_as_the_text():
    chain = "\n".join(f"cat cat NOUN Number=Sing {n} nmod" for n in range(3000))
    doc = coindex.load("sieves")(parsed(chain, language="en"))
    assert max(len(mention) for mention, _ in doc.mentions()) <= 250


def test_links_that_stay_in_their_sentence():
    doc = parsed("\n\n".join([RAN] * 12), language="en")
    assert len(coindex.load("sieves")(doc).entities) == 1
    assert len(coindex.load("sieves(reach=sentence)")(doc).entities) == 12
