"""What makes a score meaningless is an error; without `strict`, the official number where there is one."""

import warnings

import pytest

from coindex.document import Document
from coindex.errors import CoindexError, DataWarning, Place
from coindex.scoring import MismatchError, make_settings, score_documents
from scoring.texts import doc, expect, score
from wording import says

KEY = [doc("(a) Ann saw (a) herself .", "(a) She waved .", id="d1"), doc("(b) Bob left (b) his home .", id="d2")]


def changed(number: int, *sentences: str, **fields: object) -> list[Document]:
    docs = list(KEY)
    docs[number] = doc(*sentences, id=docs[number].id).replace(**fields)
    return docs


OTHER_WORD = changed(0, "(a) Ann saw (a) him .", "(a) She waved .")
MORE_WORDS = changed(0, "(a) Ann saw (a) herself . !", "(a) She waved .")
LESS_WORDS = changed(0, "(a) Ann saw (a) herself", "(a) She waved .")
CUT_SHORT = changed(0, "(a) Ann saw (a) herself .")
LAST_CUT_SHORT = [KEY[0].replace(id="d2"), doc("(a) Ann saw (a) herself .", id="d1")]
OTHER_SENTENCE_ID = [doc("(a) Ann saw (a) herself .", "(a) She waved .", id="d1", ids=("s1", "t2")), KEY[1]]


@pytest.mark.parametrize(
    ("response", "code", "place", "found", "expected"),
    [
        (OTHER_WORD, "word-mismatch", "document 'd1', sentence 's1', word 3", "the word 'him'", "the word 'herself'"),
        (MORE_WORDS, "extra-word", "document 'd1', sentence 's1', word 5", "the word '!'", "the end of the sentence"),
        (LESS_WORDS, "missing-word", "document 'd1'", "no more words in this sentence", "the word '.'"),
        (CUT_SHORT, "missing-sentences", "document 'd1', end of sentence 's1'", "1 sentences", "2 as in the key"),
        (OTHER_SENTENCE_ID, "sentence-id-mismatch", "document 'd1', sentence 't2'", "the sentence 't2'", "'s2'"),
        (KEY[:1], "missing-document", "response", "the end of the documents", "document 'd2'"),
        ([*KEY, doc("w", id="d3")], "extra-document", "document 'd3'", "document 'd3'", "no more documents"),
        (KEY[::-1], "document-mismatch", "document 'd2'", "document 'd2'", "document 'd1'"),
        (
            [KEY[0].replace(id=None), KEY[1]],
            "document-mismatch",
            "document without an id",
            "a document without an id",
            "document 'd1'",
        ),
    ],
)
def test_another_text_is_an_error(response: list[Document], code: str, place: str, found: str, expected: str) -> None:
    with pytest.raises(MismatchError) as caught:
        score(KEY, response)
    problem = caught.value.problem
    assert place in problem.where or place == problem.side
    assert (problem.code, caught.value.code) == (code, code)
    assert says(problem.found, found)
    assert says(problem.expected, expected)
    assert says(problem.remedy, " ")


@pytest.mark.parametrize(
    "response",
    [OTHER_WORD, OTHER_SENTENCE_ID, KEY[:1], KEY[::-1], CUT_SHORT],
    ids=["words", "sent_id", "missing document", "order", "sentences in the middle"],
)
def test_what_official_scorers_refuse_is_always_an_error(response: list[Document]) -> None:
    with pytest.raises(MismatchError):
        score(KEY, response, strict=False)


@pytest.mark.parametrize(
    ("response", "links", "of"),
    [
        (MORE_WORDS, 3, 3),
        (LESS_WORDS, 3, 3),
        ([*KEY, doc("(c) w (c) w", id="d3")], 3, 3),
        ([KEY[0], doc("(b) Bob left (b) his", id="d2")], 3, 3),
    ],
)
def test_what_official_scorers_pass_over(response: list[Document], links: int, of: int) -> None:
    expect(score(KEY, response, strict=False), muc=links / of)


def test_a_last_document_cut_short() -> None:
    """Two of the three mentions are there: one of two links."""
    key = doc("(a) Ann saw (a) herself .", "(a) She waved .")
    response = doc("(a) Ann saw (a) herself .")
    expect(score(key, response, strict=False), muc=(1 / 2, 1))
    expect(score(response, key, strict=False), muc=(1, 1 / 2))


def test_more_of_a_document_after_the_end_of_the_key() -> None:
    """Official scorers pass over documents that the key has not, but not over more of one that it has."""
    response = [*KEY, doc("(x) w (x) w", id="d1")]
    found = score(KEY, response, strict=False)
    expect(found, muc=(1, 3 / 4))


def test_empty_nodes_may_differ_since_2024_only() -> None:
    key, response = doc("(a) w w @2:nsubj w (a) w"), doc("(a) w w w (a) w")
    expect(score(key, response), muc=1)
    for profile in ("crac22", "crac23"):
        with pytest.raises(MismatchError, match=r"empty node '_' as in the key; crac22 and crac23"):
            score(key, response, profile)
        with pytest.raises(MismatchError):
            score(key, response, profile, strict=False)


def test_empty_nodes_are_compared_as_far_as_both_sentences_go() -> None:
    """The scorers of 2022 and 2023 see no difference at a sentence's end, nor one between words that look alike."""
    for key, response in (
        (doc("(a) w (a) w @2:nsubj"), doc("(a) w (a) w")),
        (doc("(a) _ @1:nsubj _ (a) _"), doc("(a) _ _ @2:nsubj (a) _")),
    ):
        for profile in ("crac22", "crac23"):
            expect(score(key, response, profile), muc=1)
    with pytest.raises(MismatchError, match="the word 'w'; expected the end of the sentence"):
        score(doc("(a) w (a) w"), doc("(a) w (a) w w"), "crac23")


def test_sentences_without_ids_have_none_to_compare() -> None:
    response = doc("(a) w (a) w")
    without = response.replace(sentences=tuple(type(s)(s.layer, s.start, s.end) for s in response.sentences))
    expect(score(response, without), muc=1)


def test_documents_without_ids() -> None:
    key = doc("(a) w (a) w", id=None)
    expect(score([key, key], [key, key]), muc=1)


def test_the_perl_scorer_compares_no_words() -> None:
    key, response = doc("(a) w (a) w"), doc("(a) w (a) x", "y", ids=("s1", "s2"))
    expect(score(key, response, "conll12", strict=False), muc=1)
    with pytest.raises(MismatchError):
        score(key, response, "conll12")


def test_the_perl_scorer_refuses_many_repeated_mentions() -> None:
    words = " ".join("(a) (b) w" for _ in range(11))
    key = doc(" ".join("(a) w" for _ in range(11)))
    with pytest.raises(MismatchError, match="11 repeated mentions in one document; expected at most 10"):
        score(key, doc(words), "conll12")


def test_iterators_go_once_over_everything() -> None:
    settings = make_settings()
    assert score_documents(iter(KEY), iter(KEY), settings)["muc"].f1 == 1
    apart = [KEY[0], KEY[1], KEY[0]]
    with pytest.raises(CoindexError, match="pass paths or lists"):
        score_documents(iter(apart), iter(apart), settings)


@pytest.mark.parametrize(
    ("key", "response", "code", "words"),
    [
        (
            "(a) (b) w (a) w (b) w",
            "(a) w (a) w w",
            "repeated-mentions",
            ["1 mentions of the key occur more than once", "sentence 's1', word 1"],
        ),
        (
            "(a) w (a) w w",
            "(a) (a) w (a) w w",
            "repeated-mentions",
            ["1 mentions of the response occur more than once", "'d'", "'w'"],
        ),
        (
            "(a w w )a (a) w",
            "(a:1 w w )a (a) w",
            "no-head",
            ["1 mentions of the key have no head", "coindex heads"],
        ),
        (
            "(a:1 w w )a (a) w",
            "(a w w )a (a) w",
            "no-head",
            ["1 mentions of the response have no head", "coindex heads"],
        ),
        ("(a) w (a) @", "(a) w (a) @1:x", "no-deps", ["1 zeros of the key have no DEPS", "word 1.1"]),
    ],
)
def test_unusual_input_causes_warnings(key: str, response: str, code: str, words: list[str]) -> None:
    with pytest.warns(DataWarning) as caught:
        score(doc(key), doc(response), quiet=False)
    assert [warning.message.code for warning in caught if isinstance(warning.message, DataWarning)] == [code]
    assert says(caught[0].message, *words)


def test_a_warning_does_not_list_all_places() -> None:
    many = doc(" ".join("(a) (b) w" for _ in range(30)))
    with pytest.warns(DataWarning, match="30 mentions of the key .*; and 10 more$") as caught:
        score(many, doc(" ".join(["(a) w"] * 30)), quiet=False)
    assert len(caught) == 1


def test_exact_matching_needs_no_heads() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score(doc("(a w w )a (a) w"), doc("(a w w )a (a) w"), match="exact", quiet=False)
        score(doc("(a:1 w w )a (a) w"), doc("(a w w )a (a) w"), match="partial", quiet=False)


def test_places_can_be_given_by_the_caller() -> None:
    with pytest.raises(MismatchError, match=r"response: file\.conllu:3: the word 'him'"):
        score_documents(KEY, OTHER_WORD, locate=lambda doc, position: Place("file.conllu", position + 1))
