"""Documents of one text whose words are cut differently."""

from collections.abc import Sequence

import pytest

from coindex.document import Document, Entity, Multiword, Token, Tokens
from coindex.scoring import MismatchError, make_settings, score_documents
from coindex.scoring.token_alignment import cut_alike
from scoring.texts import doc


def text(*forms: str, sentences: Sequence[int] = (), **columns: str) -> Document:
    """Return a document of these words; a word that ends with "_" has no space after it."""
    tokens = Tokens(
        Token(str(number), form.rstrip("_").replace("~", " "), space="" if form.endswith("_") else " ", **columns)
        for number, form in enumerate(forms, 1)
    )
    return Document.from_sentences(tokens, sentences or [len(forms)], id="d")


def with_mention(document: Document, *positions: int, head: int | None = None) -> Document:
    mention = document.mention(positions, head=head, attributes={"func": "def"})
    return document.replace(entities=(Entity("e", (mention,), "person"),))


def forms(document: Document) -> list[str]:
    return [token.form for token in document.tokens]


def test_both_get_the_borders_of_both() -> None:
    one = with_mention(text("north-west", "wind", "blew"), 0, 1, head=0)
    other = with_mention(text("north_", "-_", "west", "wi_", "nd", "blew"), 2, 3, head=3)
    key, response = cut_alike(one, other)
    assert forms(key) == forms(response) == ["north", "-", "west", "wi", "nd", "blew"]
    assert key.text == one.text
    (entity,) = key.entities
    (mention,) = entity.mentions
    assert (entity.id, entity.type, mention.attributes) == ("e", "person", {"func": "def"})
    assert (mention.positions, mention.head, mention.text) == ((0, 1, 2, 3, 4), 0, "north-west wind")
    assert response is other


def test_of_a_head_that_is_cut_the_longest_piece_is_the_head() -> None:
    key, _ = cut_alike(with_mention(text("a", "sub-marine"), 0, 1, head=1), text("a", "sub_", "-_", "marine"))
    (mention,) = key.entities[0].mentions
    assert key.tokens[mention.head or 0].form == "marine"


def test_white_space_is_ignored() -> None:
    """A space inside a word, and a line end instead of a space, make no difference."""
    key, response = cut_alike(text("1~000_", ",", "yes"), text("1", "000,", "yes"))
    assert forms(key) == forms(response) == ["1", "000", ",", "yes"]
    assert key.text == "1 000, yes "


def test_sentences_are_those_of_the_key() -> None:
    key, response = cut_alike(text("one.", "two", sentences=(1, 1)), text("one_", ".", "two"))
    assert (
        [(s.start, s.end) for s in key.sentences] == [(s.start, s.end) for s in response.sentences] == [(0, 2), (2, 3)]
    )
    key, response = cut_alike(text("one", "two", sentences=(1, 1)), text("one", "two"))
    assert [s.end for s in response.sentences] == [1, 2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (text("one", "two"), text("one", "three")),
        (text("one", "two"), text("one", "two")),
        (text("onetwo", head="0"), text("one_", "two")),
        (text("one_", "two"), text("onetwo", head="0")),
        (doc("one @ two"), doc("on e @ two")),
        (
            Document.from_sentences(Tokens([Token("1", "dela")], multiwords=[Multiword(0, 1, "dela")]), [1]),
            text("de_", "la"),
        ),
    ],
)
def test_others_are_left_as_they_are(one: Document, other: Document) -> None:
    key, response = cut_alike(one, other)
    assert key is one
    assert response is other


def test_cut_words_are_accepted_only_if_the_rules_allow_it() -> None:
    one, other = text("one", "two"), text("one_", "two")
    score_documents([one], [other], make_settings("rueval14-coref"))
    other = text("on_", "e", "two")
    score_documents([one], [other], make_settings("rueval14-anaphora"))
    with pytest.raises(MismatchError, match="the word 'on'; expected the word 'one' as in the key"):
        score_documents([one], [other], make_settings("crac24"))
    with pytest.raises(MismatchError, match="the word 'onze'; expected the word 'one' as in the key"):
        score_documents([one], [text("onze", "two")], make_settings("rueval14-coref"))
