"""Versions of one text: on the same words, with the empty nodes of all, or over the words that all have."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotated import annotated, chains, text
from coindex.annotation.versions import NotOneTextError, align, common_run, on_same_words, side_by_side
from coindex.document import Document, Entity, Token, Tokens
from coindex.document.edits import add_mention, insert_zero
from coindex.document.validation import check
from coindex.errors import CoindexError


def words(forms: str, spans: dict[str, list[tuple[int, ...]]]) -> Document:
    tokens = Tokens([Token(str(number), form) for number, form in enumerate(forms.split(), 1)])
    return annotated(Document.from_sentences(tokens, [len(tokens)], id="d"), spans)


def test_versions_share_their_words() -> None:
    base = text(6)
    one, other = on_same_words([annotated(base, {"x": [(0,)]}), annotated(text(6), {"y": [(1, 2)]})])
    assert other.tokens is one.tokens
    assert chains(other) == {frozenset({(1, 2)})}
    assert other.entities[0].mentions[0].text == "w1 w2"


def test_empty_nodes_of_all() -> None:
    """Each has a zero of its own and both one at the same place; a mention around an empty node takes it in."""
    base = annotated(text(6), {"x": [(0, 1, 2)]})
    one = add_mention(insert_zero(base, after=3), [4], entity="x")
    other = add_mention(insert_zero(insert_zero(base, after=3), after=0), [5], entity="x")
    found = on_same_words([one, other])
    assert [token.id for token in found[0].tokens] == ["1", "1.1", "2", "3", "1", "1.1", "2", "3"]
    assert [chains(doc) for doc in found] == [{frozenset({(0, 1, 2, 3), (5,)})}] * 2
    for doc in found:
        assert [finding for finding in check(doc) if finding.severity == "error"] == []


def test_different_words_are_reported_with_their_place() -> None:
    with pytest.raises(NotOneTextError) as caught:
        on_same_words([words("a b c", {}), words("a x c", {})], ["Ada", "Ben"])
    message = str(caught.value)
    assert message.startswith("Ben: document 'd', sentence 1, word 2: the word 'x'; expected the word 'b' as in Ada; ")


def test_missing_documents_are_reported() -> None:
    sides = {"Ada": [text(3, id="1"), text(3, id="2")], "Ben": [text(3, id="1")]}
    with pytest.raises(CoindexError, match="Ben: the end of the documents; expected document '2' as in Ada"):
        list(side_by_side(sides))


@settings(max_examples=60)
@given(st.text("abc", max_size=9), st.text("abc", max_size=9))
def test_the_longest_common_run(one: str, other: str) -> None:
    lengths = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if a == b else max(lengths[i][j + 1], lengths[i + 1][j])
    pairs = common_run(one, other, len(one) + len(other))
    assert pairs is not None
    assert len(pairs) == lengths[-1][-1]
    assert all(one[i] == other[j] for i, j in pairs)
    assert pairs == sorted(pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    least = len(one) + len(other) - 2 * len(pairs)
    assert common_run(one, other, least) is not None
    assert common_run(one, other, least - 1) is None


def test_aligned_versions_have_the_common_words() -> None:
    many = "b c d e f g h i j k l m n o p q r s t u"
    one = words(f"a ' {many}", {"x": [(1, 2), (3,)], "y": [(1,)]})
    other = words(f"a {many} v", {"x": [(1,), (2,)], "z": [(21,)]})
    found = align([one, other], ["Ada", "Ben"])
    assert found.docs[0].tokens.forms == f"a {many}".split()
    assert [chains(doc) for doc in found.docs] == [{frozenset({(1,), (2,)})}] * 2
    assert (found.words, found.mentions) == ([1, 1], [1, 1])


def test_other_texts_are_not_aligned() -> None:
    with pytest.raises(CoindexError, match=r"Ben: more than 1 words differ from Ada"):
        align([words("a b c", {}), words("d e f", {})], ["Ada", "Ben"])


def test_shared_ids_stay() -> None:
    one = text(3).replace(entities=(Entity("x", (text(3).mention([0]),)),), shared_ids=True)
    assert [doc.shared_ids for doc in on_same_words([one, text(3)])] == [True, False]
