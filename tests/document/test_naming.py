"""Labels and names."""

import pytest

from coindex.document import Document, Entity, Mention, Token, Tokens
from coindex.document.naming import LONGEST_NAME, count, entity_name, labels, mention_name


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
        (["she/PRON", "the/DET mayor/NOUN", "Ann/PROPN", "Ann/PROPN Lee/PROPN"], "Ann"),
        (["she/PRON", "the/DET mayor/NOUN"], "the mayor"),
        (["on/ZERO", "she/PRON"], "she"),
        (["on/ZERO"], "∅ on"),
        (["_/ZERO"], "∅"),
        (["Hij", "de man", "meneer Jansen"], "meneer Jansen"),
        (["Hij", "de man"], "de man"),
        ([], ""),
    ],
)
def test_an_entity_is_named_by_its_most_telling_mention(mentions, name):
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
