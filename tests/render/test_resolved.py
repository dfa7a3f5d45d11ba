"""Resolved text: what is replaced, by what, in which form; what stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.document import Document, Entity, Multiword, Sentence, SplitAntecedent, Token, Tokens
from coindex.errors import CoindexError
from coindex.render.resolved_text import parse_keep, resolve_text, resolved_text
from marked_text import marked, tagged
from strategies import documents

ENGLISH = [
    # pronouns, capitals
    ("[Alice|a] met [Bob|b]. [She|a] greeted [him|b].", "Alice met Bob. Alice greeted Bob."),
    ("[The mayor|m] spoke. Then [she|m] sat down.", "The mayor spoke. Then the mayor sat down."),
    ("[The mayor|m] spoke. [She|m] sat down.", "The mayor spoke. The mayor sat down."),
    ("[A man|m] came in. [He|m] sat down.", "A man came in. The man sat down."),
    ("We saw [some men|m]. Nobody knew [them|m].", "We saw some men. Nobody knew the men."),
    # possessives
    ("[Alice|a] lost it. Bob found [[her|a] book|b].", "Alice lost it. Bob found Alice's book."),
    ("[Alice|a] slept. The book is [hers|a].", "Alice slept. The book is Alice's."),
    ("[James|j] slept. [His|j] dog barked.", "James slept. James's dog barked."),
    ("[The girls|g] slept. [Their|g] dog barked.", "The girls slept. The girls' dog barked."),
    ("[The mayor of Ulm|m] slept. [Her|m] dog barked.", "The mayor of Ulm slept. The mayor of Ulm's dog barked."),
    ("[Ann and Bob|g] slept. [Their|g] dog barked.", "Ann and Bob slept. Ann and Bob's dog barked."),
    ("It’s late. [Ann|a] slept. [Her|a] dog barked.", "It’s late. Ann slept. Ann’s dog barked."),
    ("[Alice|a] slept. Bob woke [her|a].", "Alice slept. Bob woke Alice."),
    ("[Alice|a] slept. Bob saw [her|a] again.", "Alice slept. Bob saw Alice again."),
    ("[Alice|a] slept. Bob found [her|a] book.", "Alice slept. Bob found Alice's book."),
    # short forms
    ("[Alice|a] ran. [She|a]'ll win, for [she|a]'s fast.", "Alice ran. Alice will win, for Alice is fast."),
    ("[Ann and Bob|g] ran. [They|g]'re fast.", "Ann and Bob ran. Ann and Bob are fast."),
    # descriptions
    ("[Alice|a] ran. [The girl|a] won.", "Alice ran. Alice won."),
    ("[Alice|a] ran. Bob beat [the girl|a].", "Alice ran. Bob beat Alice."),
    ("[Alice|a] ran. Bob knew [[the girl's|a] mother|m].", "Alice ran. Bob knew Alice's mother."),
    ("[Mary|m] ran. I saw that [[his|b] wife|m] won. [Bob|b] left.", "Mary ran. I saw that Mary won. Bob left."),
    ("[Alice Ray|a] won. [Alice|a] smiled. [She|a] left.", "Alice Ray won. Alice smiled. Alice Ray left."),
    # what was left out of the name
    ("[Alice, the mayor,|a] spoke. [She|a] left.", "Alice, the mayor, spoke. Alice left."),
    ("[The man who came in|m] spoke. [He|m] left.", "The man who came in spoke. The man left."),
    # cataphora
    ("Before [she|a] left, [Alice|a] spoke.", "Before Alice left, Alice spoke."),
    # names in names
    (
        "[Alice|a] has a dog. [[Her|a] brother|b] came. [He|b] left.",
        "Alice has a dog. Alice's brother came. Alice's brother left.",
    ),
]

STAY = [
    "[Alice|a] hurt [herself|a].",
    "[The man|m] [who|m] came in left.",
    "“[I|a] am here,” said [Alice|a].",
    "[Alice|a] said: [you|b] know [my|a] dog. [Bob|b] did.",
    "[Alice|a] is [the mayor|a].",
    "[Alice|a], [the mayor|a], spoke.",
    "[Alice|a] ran. [A girl|a] won.",
    "[Alice|a] ran. [The girl who had lost a shoe|a] won.",
    "[Alice|a] ran. [Alice|a] won.",
    "[The man|m] ran. [The winner|m] smiled.",
    "[He|m] ran. [A man|m] won.",
    "[The man who lost [his|m] hat|m] ran.",
    "[Alice|a] came. [They|a] are late.",
    "[She|a] ran. [Her|a] dog barked.",
    "[Alice|a] ran alone.",
    "[Every dog|d] barks when [it|d] is hungry.",
    "[Alice Ray|a] ran. [The great Ray|a] won.",
    "Nothing here.",
    "",
    "  \n\tOdd  blanks \r\n stay.\n\n",
]


@pytest.mark.parametrize(("text", "expected"), ENGLISH)
def test_replaced(text, expected):
    assert resolved_text(marked(text)) == expected


@pytest.mark.parametrize("text", STAY)
def test_stays(text):
    doc = marked(text)
    assert resolved_text(doc) == doc.text
    assert resolve_text(doc).replacements == ()


@pytest.mark.parametrize(("text", "expected"), ENGLISH)
def test_what_was_replaced_where(text, expected):
    doc = marked(text)
    result = resolve_text(doc)
    assert result.text == expected
    assert [doc.text[r.start : r.end] for r in result.replacements] == [r.old for r in result.replacements]
    assert [expected[r.start_new : r.end_new] for r in result.replacements] == [r.new for r in result.replacements]
    for r in result.replacements:
        assert r.mention in doc.entity(r.entity).mentions


def test_english_is_known_by_its_words():
    text = "[Alice|a] ran. [She|a] won."
    assert resolved_text(marked(text, language=None)) == "Alice ran. Alice won."
    assert resolved_text(marked(text, language="fr")) == "Alice ran. She won."
    assert resolved_text(marked(text, language="en-GB")) == "Alice ran. Alice won."


# --- options


def test_all_persons():
    text = "“[I|a] moved,” said [Alice|a]. “Where is [my|a] hat? [I|a] am cold. Help [me|a]!”"
    expected = "“Alice moved,” said Alice. “Where is Alice's hat? I am cold. Help Alice!”"
    assert resolved_text(marked(text), persons="all", quotations=True).replace("’", "'") == expected


def test_without_descriptions():
    doc = marked("[Alice|a] ran. [The girl|a] won. [She|a] smiled.")
    assert resolved_text(doc, nominals=False) == "Alice ran. The girl won. Alice smiled."


KEPT = "[Alice|a] ran. [She|a] won. [Her|a] dog, which [she|a] likes, barked."


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ([], "Alice ran. Alice won. Alice's dog, which Alice likes, barked."),
        ([(11, 14)], "Alice ran. She won. Alice's dog, which Alice likes, barked."),
        ([(13, 14)], "Alice ran. She won. Alice's dog, which Alice likes, barked."),
        ([(14, 15), (0, 11)], "Alice ran. Alice won. Alice's dog, which Alice likes, barked."),
        (["She"], "Alice ran. She won. Alice's dog, which Alice likes, barked."),
        (["she", "Her dog"], "Alice ran. Alice won. Her dog, which she likes, barked."),
        (["absent", (5000, 6000), ""], "Alice ran. Alice won. Alice's dog, which Alice likes, barked."),
        ([(0, 1000)], "Alice ran. She won. Her dog, which she likes, barked."),
    ],
)
def test_protected_spans(keep, expected):
    assert resolved_text(marked(KEPT), keep=keep) == expected


def test_protected_spans_as_text():
    assert parse_keep("10-25; the girl;;3-3;a-b") == [(10, 25), "the girl", (3, 3), "a-b"]
    assert parse_keep(r"a\;b;\10-25") == ["a;b", "10-25"]
    assert parse_keep("") == []
    with pytest.raises(CoindexError, match="keep 9-3: invalid range; use START-END"):
        parse_keep("9-3")
    with pytest.raises(CoindexError, match="keep -1-3"):
        resolved_text(marked(KEPT), keep=[(-1, 3)])


# --- tags and trees

HEAD = "Alice PROPN 2 nsubj Number=Sing (a)\nran VERB 0 root Tense=Past\n\n"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            "I PRON 2 nsubj _\nsaw VERB 0 root _\nher PRON 2 obj PronType=Prs (a)\nduck VERB 2 xcomp _",
            "I saw Alice duck",
        ),
        (
            "I PRON 2 nsubj _\nsaw VERB 0 root _\nher PRON 4 nmod:poss Poss=Yes (a)\nduck NOUN 2 obj _",
            "I saw Alice's duck",
        ),
        ("They PRON 2 nsubj Number=Plur (a)\nleft VERB 0 root Tense=Past", "Alice left"),
        ("They PRON 2 nsubj Number=Plur (a)\nleave VERB 0 root Tense=Pres", "They leave"),
        ("They PRON 3 nsubj Number=Plur (a)\nwill AUX 3 aux _\nleave VERB 0 root VerbForm=Inf", "Alice will leave"),
        ("They PRON 3 nsubj Number=Plur (a)\nare AUX 3 aux _\nleaving VERB 0 root _", "They are leaving"),
        ("That PRON 2 nsubj PronType=Dem (a)\nleft VERB 0 root Tense=Past", "Alice left"),
        ("that PRON 2 nsubj PronType=Rel (a)\nleft VERB 0 root Tense=Past", "that left"),
        ("The DET 2 det _ (a\ngirl NOUN 3 nsubj Number=Sing a)\nleft VERB 0 root Tense=Past", "Alice left"),
        ("The DET 2 det _ (a\ngirls NOUN 3 nsubj Number=Plur a)\nleft VERB 0 root Tense=Past", "The girls left"),
        ("It PRON 4 nsubj _\nwas AUX 4 cop _\nthe DET 4 det _ (a\ngirl NOUN 0 root Number=Sing a)", "It was the girl"),
        ("Nobody PRON 2 nsubj _ (a)\nleft VERB 0 root _", "Nobody left"),
    ],
)
def test_with_trees(rows, expected):
    assert resolved_text(tagged(HEAD + rows)).strip() == f"Alice ran {expected}"


def test_quotation_marks_stay_in_pairs():
    doc = marked("[The so-called “yellow man”|m] spoke. [He|m] left.")
    assert resolved_text(doc) == "The so-called “yellow man” spoke. The so-called “yellow man” left."


def test_relative_clauses_and_appositions_are_cut_off_by_the_tree():
    rows = """\
The DET 2 det Definite=Def (m
mayor NOUN 11 nsubj Number=Sing
of ADP 4 case _
Ulm PROPN 2 nmod _
~, PUNCT 9 punct _
who PRON 8 nsubj PronType=Rel
had AUX 8 aux _
won VERB 2 acl:relcl _
, PUNCT 8 punct _ m)
soon ADV 11 advmod _
left VERB 0 root _

She PRON 2 nsubj PronType=Prs (m)
smiled VERB 0 root _"""
    assert resolved_text(tagged(rows)).strip().endswith("left The mayor of Ulm smiled")


def test_a_group_is_called_by_its_members():
    doc = marked("[Ann|a] met [[her|a] brother|b]. [They|t] left.")
    they = doc.entity("t").mentions[0]
    split = doc.replace(split_antecedents=(SplitAntecedent(they, "t", ("a", "b")),))
    assert resolved_text(split) == "Ann met her brother. Ann and her brother left."
    nobody = doc.replace(split_antecedents=(SplitAntecedent(they, "t", ("a", "elsewhere")),))
    assert resolved_text(nobody) == "Ann met her brother. They left."


def test_words_inside_a_multiword_token():
    tokens = Tokens(
        [
            Token("1", "Ann", upos="PROPN"),
            Token("2", "ran", upos="VERB", space="\n"),
            Token("1", "She", upos="PRON"),
            Token("2", "'s", upos="AUX"),
            Token("3", "fast", upos="ADJ", space=""),
        ],
        multiwords=[Multiword(2, 4, "She's")],
    )
    doc = Document(tokens, (Sentence(tokens, 0, 2), Sentence(tokens, 2, 5)), language="en")
    doc = doc.replace(entities=(Entity("e", (doc.mention([0]), doc.mention([2]))),))
    assert resolved_text(doc) == "Ann ran\nAnn is fast"
    hidden = Tokens(list(tokens), multiwords=[Multiword(2, 4, "Shes")])
    doc = Document(hidden, (Sentence(hidden, 0, 2), Sentence(hidden, 2, 5)), language="en")
    doc = doc.replace(entities=(Entity("e", (doc.mention([0]), doc.mention([2]))),))
    assert resolved_text(doc) == "Ann ran\nShes fast"


# --- other languages

SPANISH = """\
Inés PROPN 2 nsubj _ (i)
llegó VERB 0 root _

Ella PRON 2 nsubj Case=Nom|PronType=Prs|Person=3 (i)
cantó VERB 0 root _

Juan PROPN 3 nsubj _
la PRON 3 obj Case=Acc|PronType=Prs|Person=3 (i)
vio VERB 0 root _

Su DET 2 det Poss=Yes|PronType=Prs (i)
voz NOUN 3 nsubj _
tembló VERB 0 root _

∅ PRON 1 nsubj Person=3 (i)
Salió VERB 0 root _"""


def test_other_languages_replace_subjects_and_leave_the_rest():
    doc = tagged(SPANISH, language="es")
    assert resolved_text(doc).strip() == "Inés llegó Inés cantó Juan la vio Su voz tembló Salió"
    with_zeros = "Inés llegó Inés cantó Juan la vio Su voz tembló Inés salió"
    assert resolved_text(doc, zeros=True).strip() == with_zeros


FRENCH = """\
{} DET 2 det Definite={}|PronType=Art (d
dame NOUN 3 nsubj Number=Sing d)
chante VERB 0 root _

Il PRON 2 nsubj _
dit VERB 0 root _
{} SCONJ 5 mark _
elle PRON 5 nsubj PronType=Prs|Person=3|Number=Sing (d)
rit VERB 2 ccomp _"""


def test_articles_and_elision():
    def end(*parts):
        return resolved_text(tagged(FRENCH.format(*parts), language="fr")).strip().split("dit ")[1]

    assert end("La", "Def", "comme") == "comme la dame rit"
    assert end("Une", "Ind", "comme") == "comme elle rit"
    assert end("La", "Def", "qu'") == "qu' elle rit"


def test_plural_names():
    rows = "The DET 2 det _ (s\nSams PROPN 3 nsubj Number=Plur s)\nslept VERB 0 root Tense=Past\n\n"
    rows += "Their PRON 2 nmod:poss Poss=Yes (s)\ndog NOUN 3 nsubj _\nbarked VERB 0 root Tense=Past"
    assert resolved_text(tagged(rows)).strip() == "The Sams slept The Sams' dog barked"


def test_cases_must_be_the_same():
    first = "Anna PROPN 2 nsubj Case={} (a)\nviděla VERB 0 root _\n\n"
    second = "Petr PROPN 2 nsubj Case=Nom\nviděl VERB 0 root _\nji PRON 2 obj Case=Acc|PronType=Prs|Person=3 (a)"
    assert resolved_text(tagged(first.format("Nom") + second, language="cs")).strip().endswith("viděl ji")
    assert resolved_text(tagged(first.format("Acc") + second, language="cs")).strip().endswith("viděl Anna")


# --- whatever the document


@given(documents(), st.sampled_from(["en", "es", None]), st.booleans())
def test_never_fails_and_says_what_it_did(doc, language, zeros):
    doc = doc.replace(language=language)
    result = resolve_text(doc, persons="all", zeros=zeros)
    back, at = "", 0
    for r in result.replacements:
        assert (doc.text[r.start : r.end], result.text[r.start_new : r.end_new]) == (r.old, r.new)
        back += result.text[at : r.start_new] + r.old
        at = r.end_new
    assert back + result.text[at:] == doc.text


RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)))
WORDS = st.sampled_from(["Ann", "Bob", "she", "He", "her", "his", "them", "the", "The", "girl", "dog", ",", ".", "'s"])


@given(documents(forms=WORDS, columns=False, multiwords=False), RANGES)
def test_what_is_kept_stays(doc, ranges):
    doc = doc.replace(language="en")
    spans = [(start, start + length) for start, length in ranges if length]
    result = resolve_text(doc, keep=spans, persons="all", zeros=True)
    for r in result.replacements:
        assert not any(r.start < end and start < r.end for start, end in spans)
    assert resolved_text(doc, keep=[(0, len(doc.text))], persons="all", zeros=True) == doc.text
    assert resolved_text(doc.replace(entities=(), bridges=(), split_antecedents=())) == doc.text
