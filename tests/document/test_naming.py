"""Labels and names."""

import pytest
from hypothesis import given

from coindex.document import Document, Entity, Mention, Token, Tokens
from coindex.document.naming import (
    LONGEST_NAME,
    Informativeness,
    core_positions,
    count,
    entity_name,
    labels,
    mention_name,
    rate_informativeness,
    representative,
)
from marked_text import marked, tagged
from strategies import documents


def entity(*mentions, id="e1"):
    """An entity of mentions "form/UPOS form/UPOS", each a sentence of its own, whose last word is its head."""
    tokens, spans = [], []
    for mention in mentions:
        start = len(tokens)
        for number, word in enumerate(mention.split(), 1):
            form, _, upos = word.partition("/")
            tokens.append(Token(f"{number}.1" if upos == "ZERO" else str(number), form, upos=upos or "_"))
        spans.append(range(start, len(tokens)))
    layer = Tokens(tokens)
    return Entity(id, tuple(Mention(layer, tuple(span), span[-1]) for span in spans))


@pytest.mark.parametrize(
    ("mentions", "name"),
    [
        (["she/PRON", "the/DET mayor/NOUN", "Ann/PROPN", "Ann/PROPN Lee/PROPN"], "Ann Lee"),
        (["she/PRON", "the/DET mayor/NOUN"], "the mayor"),
        (["on/ZERO", "she/PRON"], "she"),
        (["on/ZERO"], "∅ on"),
        (["_/ZERO"], "∅"),
        (["Hij", "de man", "meneer Jansen"], "meneer Jansen"),
        (["Hij", "de man"], "de man"),
        ([], ""),
    ],
)
def test_an_entity_is_named_by_its_most_informative_mention(mentions, name):
    assert entity_name(entity(*mentions)) == name


def test_long_names_are_cut():
    name = mention_name(entity("long " * 40).mentions[0])
    assert len(name) == LONGEST_NAME
    assert name.endswith("…")


def test_labels_are_ids_or_numbers():
    def named(*ids):
        return labels(Document(entities=tuple(entity("x", id=id) for id in ids)))

    assert named("e1", "T22") == ["e1", "T22"]
    assert named("e1", "e25754") == ["1", "2"]
    assert named("", "a") == ["1", "2"]
    assert named("a\n") == ["1"]


def test_counts():
    assert (count(1, "token"), count(1234, "token"), count(2, "entity", "entities")) == (
        "1 token",
        "1,234 tokens",
        "2 entities",
    )


# --- which mention, and how much of it


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[Ada|e] ran. [Ada Lovelace|e] won. [Countess Ada King of Lovelace|e] left.", "Countess Ada King of Lovelace"),
        ("[Ada|e] ran. [Ada Lovelace|e] won.", "Ada Lovelace"),
        ("[Lovelace|e] ran. [Ada|e] won.", "Lovelace"),
        ("[The mayor of London|e] ran. [A woman|e] won.", "The mayor of London"),
        ("[Houses|e] burnt, and all houses fell. [The old houses|e] fell.", "The old houses"),
        ("[Ludwig van Beethoven|e] played. [The composer|e] left.", "Ludwig van Beethoven"),
        ("[Ann, the mayor of Ulm,|e] spoke.", "Ann"),
        ("[Ann (born 1950)|e] spoke.", "Ann"),
        ("[Ann, Bob and Eve|e] spoke.", "Ann, Bob and Eve"),
        ("[the man whom we saw|e] spoke.", "the man"),
        ("We saw [Ann's|e] dog.", "Ann"),
    ],
)
def test_names_without_tags(text, name):
    assert entity_name(marked(text).entities[0]) == name


def test_a_very_long_noun_phrase_is_a_poor_name():
    long = "the man in the long grey coat on the other side of the street"
    assert entity_name(marked(f"[{long}|e] spoke. [The stranger|e] left.").entities[0]) == "The stranger"
    assert entity_name(marked(f"[{long}|e] spoke.").entities[0]).startswith("the man in the long")


TREE = """\
the DET 2 det _ (e
mayor NOUN 0 root _
~, PUNCT 5 punct _
Ann PROPN 5 flat _
Lee PROPN 2 {} _
~, PUNCT 5 punct _
{} VERB 2 {} _ e)"""


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("appos", "smiling", "acl"), "the mayor"),
        (("conj", "smiling", "acl"), "the mayor , Ann Lee"),
        (("conj", "smiling", "conj"), "the mayor , Ann Lee , smiling"),
    ],
)
def test_names_with_trees(parts, name):
    found = entity_name(tagged(TREE.format(*parts).replace("~,", ",")).entities[0])
    assert found == name


def test_a_name_beside_its_noun_stays():
    rows = "her PRON 2 nmod:poss _ (e\nbrother NOUN 0 root _\nTom PROPN 2 appos _ e)"
    assert entity_name(tagged(rows).entities[0]) == "her brother Tom"


@given(documents())
def test_every_entity_has_a_representative_and_a_name(doc):
    for one in doc.entities:
        mention = one.mentions[representative(one)]
        assert set(core_positions(mention)) <= set(mention.positions)
        assert (
            rate_informativeness(mention) == max(map(rate_informativeness, one.mentions))
            or rate_informativeness(mention) is Informativeness.OTHER
        )
        assert entity_name(one)
