"""What a parser is given, and the tree made sound."""

from hypothesis import given
from hypothesis import strategies as st

from coindex import Document, Sentence, Token
from coindex.document import Multiword, Tokens
from coindex.resolvers.parsers.step import ROOT, Word, join_pieces, repair_tree, split_document


def with_zero_and_multiword() -> Document:
    """ "Voy al río", with the subject that is not said and "al" in two words."""
    tokens = Tokens(
        [
            Token("0.1", "_"),
            Token("1", "Voy"),
            Token("2", "a"),
            Token("3", "el"),
            Token("4", "río", space=""),
            Token("5", "."),
        ],
        multiwords=[Multiword(2, 4, "al")],
    )
    return Document(tokens, (Sentence(tokens, 0, 6),))


def test_a_parser_sees_words_and_no_empty_nodes():
    (piece,) = split_document(with_zero_and_multiword(), 100)
    assert piece.positions == [1, 2, 3, 4, 5]
    assert piece.forms == ["Voy", "a", "el", "río", "."]
    assert piece.spaces == [True, False, True, False, True]


def test_a_long_sentence_comes_in_pieces():
    doc = Document.from_text("one two three four five")
    assert [piece.forms for piece in split_document(doc, 2)] == [["one", "two"], ["three", "four"], ["five"]]


def test_the_pieces_of_a_sentence_become_one_tree():
    first = [Word("a", head=1, deprel="det"), Word("b", head=ROOT, deprel="root")]
    second = [Word("c", head=ROOT, deprel="root"), Word("d", head=0, deprel="obj")]
    words = join_pieces([first, second])
    assert [word.head for word in words] == [1, ROOT, 1, 2]
    assert [word.deprel for word in words] == ["det", "root", "parataxis", "obj"]


def test_the_first_root_that_is_no_punctuation_stays():
    marks = [Word("“", upos="PUNCT", head=ROOT, deprel="root"), Word("Go", upos="VERB", head=ROOT, deprel="root")]
    words = repair_tree(marks)
    assert [(word.head, word.deprel) for word in words] == [(1, "punct"), (ROOT, "root")]


def test_words_without_a_tree_stay_without():
    assert join_pieces([[Word("a", upos="NOUN")], [Word("b")]]) == [Word("a", upos="NOUN"), Word("b")]


@given(st.lists(st.integers(-1, 9), min_size=1, max_size=10))
def test_any_heads_become_a_tree(heads: list[int]):
    words = repair_tree([Word("w", head=head, deprel="x") for head in heads])
    assert [word.head for word in words].count(ROOT) == 1
    for start in range(len(words)):
        at, steps = start, 0
        while (head := words[at].head) != ROOT:
            assert head is not None
            at, steps = head, steps + 1
            assert steps <= len(words)
