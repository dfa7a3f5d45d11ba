"""Named entities are read in many notations and used to correct entities."""

import pytest

import coindex
from coindex.document import Document, Entity, Token, Tokens
from coindex.errors import CoindexError, DataWarning
from coindex.resolvers.rules.ne_post import Name, find_names
from parsed_text import chains


def text(words, **fields):
    """Words "form" or "form!NE" with a value for MISC; "/" between sentences."""
    sentences = [sentence.split() for sentence in words.split(" / ")]
    tokens = []
    for sentence in sentences:
        for number, word in enumerate(sentence, 1):
            form, _, value = word.partition("!")
            tokens.append(Token(str(number), form, misc=f"NE={value}" if value else "_"))
    return Document.from_sentences(Tokens(tokens), map(len, sentences), **fields)


def with_chains(doc, *clusters):
    entities = (Entity(f"x{n}", tuple(doc.mention(span) for span in spans)) for n, spans in enumerate(clusters))
    return doc.replace(entities=tuple(entities))


def mended(doc, options=""):
    return coindex.load("ne-post" + options, keep_entities=True)(doc)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Ann!B-PER Lee!I-PER saw!O Rome!B-LOC", [Name(0, 2, "PER"), Name(3, 4, "LOC")]),
        ("Ann!B-PER Bob!B-PER", [Name(0, 1, "PER"), Name(1, 2, "PER")]),
        ("Ann!I-PER Lee!I-PER Rome!I-LOC", [Name(0, 2, "PER"), Name(2, 3, "LOC")]),
        ("Ann!B-PER Lee!E-PER Rome!S-LOC Oslo!U-LOC", [Name(0, 2, "PER"), Name(2, 3, "LOC"), Name(3, 4, "LOC")]),
        ("Ann!PER Lee!PER left", [Name(0, 2, "PER")]),
        ("Ann!(PERSON* Lee!*) in!* Rome!(GPE)", [Name(0, 2, "PERSON"), Name(3, 4, "GPE")]),
        ("Bank!(ORG* of!* Rome!(GPE*)*)", [Name(0, 3, "ORG")]),
        ("Sara!(PER*)", [Name(0, 1, "PER")]),
        ("Ann!P_1-pf_2 Lee!P_1-ps_3 Brno!gu_4 Praha!gu_5", [Name(0, 2, "P"), Name(2, 3, "gu"), Name(3, 4, "gu")]),
        ("Ann!B-PER / Lee!I-PER", [Name(0, 1, "PER"), Name(1, 2, "PER")]),
        ("Ann!*) Lee!(PER*", []),
        ("nobody here", []),
    ],
)
def test_notations(words, expected):
    assert find_names(text(words)) == expected


def test_names_from_typed_entities():
    tokens = Tokens([Token("1", "Ann", upos="PROPN"), Token("2", "she", upos="PRON"), Token("3", "Rome")])
    doc = Document.from_sentences(tokens, [3])
    people = Entity("a", (doc.mention([0], head=0), doc.mention([1], head=1)), "person")
    places = Entity("b", (doc.mention([2]),), "PROP_GPE")
    assert find_names(doc.replace(entities=(people, places))) == [Name(0, 1, "person"), Name(2, 3, "GPE")]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("PERSON", "PER", True), ("GPE", "LOC", True), ("P", "pf", True), ("gu", "ps", False), ("ORG", "LOC", False)],
)
def test_types_that_are_the_same(one, other, same):
    assert (Name(0, 1, one).group == Name(0, 1, other).group) == same


def test_spans_become_those_of_names():
    doc = text("President Ann!B-PER Lee!I-PER of Peru!B-LOC came / Lee!B-PER left / She won")
    result = mended(with_chains(doc, [[0, 1, 2, 3, 4], [8]], [[6]]))
    assert chains(result) == [["Ann Lee", "She"], ["Lee"]]
    assert result.entities[0].mentions[0].attributes["by"] == "ne-post/span"


def test_of_two_mentions_on_one_name_that_of_the_larger_entity_stays():
    doc = text("Ann!B-PER Lee!I-PER came / She won")
    assert chains(mended(with_chains(doc, [[0, 1]], [[1], [3]]))) == [["Ann Lee", "She"]]


def test_links_between_types_are_cut_and_pronouns_go_with_the_name_before():
    doc = text("it hit Paris!B-LOC it Paris!B-PER she he Paris!B-LOC")
    result = mended(with_chains(doc, [[0], [2], [3], [4], [5], [6], [7]]))
    assert chains(result) == [["it", "Paris", "it", "Paris"], ["Paris", "she", "he"]]
    assert [entity.id for entity in result.entities] == ["x0", "e1"]


def test_similar_names_of_one_type_are_linked():
    doc = text("Muammar!B-PER Gaddafi!I-PER met Ann!B-PER / Muammar!B-PER Gadaffi!I-PER saw Anne!B-ORG and Ann!B-PER")
    assert chains(mended(doc, "(similarity=0.85)")) == [["Muammar Gaddafi", "Muammar Gadaffi"], ["Ann", "Ann"]]
    assert chains(mended(doc, "(1)")) == [["Ann", "Ann"]]


def test_entities_of_similar_names_are_merged_and_lemmas_come_first():
    tokens = Tokens(
        Token(str(n), form, lemma, misc="NE=B-LOC" if lemma == "Praha" else "_")
        for n, (form, lemma) in enumerate([("Praha", "Praha"), ("tam", "tam"), ("Prahy", "Praha"), ("ona", "on")], 1)
    )
    doc = Document.from_sentences(tokens, [4])
    assert chains(mended(with_chains(doc, [[0], [1]], [[2], [3]]))) == [["Praha", "tam", "Prahy", "ona"]]


def test_without_names_nothing_changes():
    doc = with_chains(text("Ann left / She won"), [[0], [2]])
    assert mended(doc) is doc
    with pytest.warns(DataWarning, match="an empty text"):
        assert mended("").entities == ()


def test_bad_similarity():
    with pytest.raises(CoindexError, match=r"invalid similarity 'high'; expected a number greater than 0"):
        coindex.load("ne-post(high)", keep_entities=True)


def test_long_document():
    doc = text(" / ".join(f"Person{n % 10_000}!B-PER" for n in range(200_000)))
    result = coindex.load("ne-post(similarity=1)", keep_entities=True)(doc)
    assert len(result.entities) == 10_000
