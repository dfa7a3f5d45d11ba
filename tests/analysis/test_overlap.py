"""Unknown and rare words: PreCo's definition by hand, and what must not change it."""

from __future__ import annotations

import random
import warnings

import pytest

import coindex
from coindex.analysis.figures import Bars
from coindex.analysis.overlap import Vocabulary, is_word, measure_overlap
from coindex.document import Document, Entity, Token, Tokens
from coindex.errors import CoindexError, DataWarning


def text(words: str, id: str = "d", *spans: tuple[int, int]) -> Document:
    """Return a document with one sentence of these words; each span is an entity."""
    tokens = Tokens(Token(str(n), form) for n, form in enumerate(words.split(), 1))
    doc = Document.from_sentences(tokens, [len(tokens)], id=id)
    entities = tuple(Entity(f"e{n}", (doc.mention(range(*span)),)) for n, span in enumerate(spans))
    return doc.replace(entities=entities)


# the: 3, cat: 2, saw: 1, a: 1, Ann: 1; "." and "2" are no words
TRAIN = [text("the cat saw the cat . 2", "t1"), text("the a Ann", "t2")]
# words: the cat met Ann Bell the the -> 7 of 10 tokens; "Bell" and "met" are unknown
TEST = text("the cat met Ann Bell 's 3 the the .", "x", (0, 2), (3, 5), (7, 8))


def test_the_definition_by_hand() -> None:
    found = coindex.overlap(TRAIN, TEST, below=[2, 3])
    words = found.kinds["words"]
    assert (words.words, words.types) == (7, 5)
    assert words.rare == {1: 2, 2: 3, 3: 4}  # met Bell; and Ann; and cat
    assert found.oov == 2 / 7
    assert words.rate(3) == 4 / 7
    assert (found.train.documents, found.train.words, found.train.types) == (2, 8, 5)
    assert (found.test.documents, found.test.words, found.test.types) == (1, 7, 5)


def test_heads_and_names_by_hand() -> None:
    found = coindex.overlap(TRAIN, TEST, below=[2, 3])
    heads = found.kinds["heads"]  # cat, Bell, the: without a tree the last word of a noun phrase
    assert (heads.words, heads.rare) == (3, {1: 1, 2: 1, 3: 2})
    names = found.kinds["names"]  # Ann Bell
    assert (names.words, names.oov, names.rate(2)) == (2, 1 / 2, 1.0)


def test_a_word_that_heads_two_mentions_counts_once() -> None:
    found = coindex.overlap(TRAIN, text("the dog sat", "x", (0, 2), (1, 2)))
    assert found.kinds["heads"].words == 1


def test_given_heads_are_taken() -> None:
    doc = text("dog of Ann", "x")
    doc = doc.replace(entities=(Entity("e", (doc.mention(range(3), head=2),)),))
    assert coindex.overlap(TRAIN, doc).kinds["heads"].oov == 0


def test_zeros_are_no_words() -> None:
    tokens = Tokens([Token("1", "the"), Token("1.1", "she"), Token("2", "cat")])
    doc = Document.from_sentences(tokens, [3], id="x")
    doc = doc.replace(entities=(Entity("e", (doc.mention([1]), doc.mention([2]))),))
    found = coindex.overlap(TRAIN, doc)
    assert (found.kinds["words"].words, found.kinds["heads"].words, found.oov) == (2, 1, 0)
    assert Vocabulary.of([doc]).counts == {"the": 1, "cat": 1}


WORDS = ("cat", "Žižka", "हिन्दी", "e\u0301t", "猫")
OTHERS = ("don't", "B2", "well-known", "…", "\u0301a", "")


@pytest.mark.parametrize(("form", "expected"), [*((one, True) for one in WORDS), *((one, False) for one in OTHERS)])
def test_definition_of_a_word(form: str, expected: bool) -> None:
    assert is_word(form) is expected


def test_case_counts_by_default() -> None:
    test = text("The CAT", "x", (0, 2))
    assert coindex.overlap(TRAIN, test).oov == 1
    assert coindex.overlap(TRAIN, test, ignore_case=True).oov == 0
    assert "|case:kept|" in coindex.overlap(TRAIN, test).signature
    assert "|case:ignored|" in coindex.overlap(TRAIN, test, ignore_case=True).signature


# --- what changes nothing


def rates(train: list[Document], test: list[Document]) -> dict[str, object]:
    return coindex.overlap(train, test).to_dict()


def test_the_order_and_names_of_documents_and_entities_do_not_matter() -> None:
    rng = random.Random(4)
    letters = ["ab", "cd", "ef", "gh", "ij", "kl", "mn"]
    docs = [text(" ".join(rng.choices(letters, k=6)), f"d{n}", (0, 2), (3, 4)) for n in range(8)]
    train, test = docs[:5], docs[5:]
    renamed = [
        doc.replace(id=f"z{n}", entities=tuple(Entity(f"q{at}", e.mentions) for at, e in enumerate(doc.entities)))
        for n, doc in enumerate(reversed(test))
    ]
    assert rates(train[::-1], renamed) == rates(train, test)


def test_a_repeated_training_corpus_has_the_same_oov_and_fewer_rare_words() -> None:
    once, twice = coindex.overlap(TRAIN, TEST), coindex.overlap(TRAIN * 2, TEST)
    assert twice.oov == once.oov
    assert twice.kinds["words"].rare[2] < once.kinds["words"].rare[2]
    with pytest.warns(DataWarning):
        assert coindex.overlap([*TRAIN, TEST], TEST).oov == 0


def test_rates_grow_with_the_level() -> None:
    found = coindex.overlap(TRAIN, TEST, below=[9, 2, 4, 2])
    assert found.below == (2, 4, 9)
    for known in found.kinds.values():
        assert list(known.rare.values()) == sorted(known.rare.values())


def test_streams_are_read_once_each() -> None:
    found = measure_overlap(Vocabulary.of(iter(TRAIN)), iter([TEST]))
    assert found.to_dict() == coindex.overlap(TRAIN, TEST).to_dict()


# --- what is odd


def test_the_same_corpus_on_both_sides_is_warned_of() -> None:
    with pytest.warns(DataWarning, match=r"1 of 1 documents also occur in the training corpus, word for word"):
        found = coindex.overlap([TEST], TEST)
    assert (found.oov, found.repeated) == (0, 1)
    assert "1 of 1 documents of the test corpus are also in the training corpus." in str(found)


def test_a_test_corpus_without_entities_has_rates_of_words_alone() -> None:
    with pytest.warns(DataWarning, match="no mention has a word as its head"):
        found = coindex.overlap(TRAIN, text("the dog", "x"))
    assert found.oov == 1 / 2
    assert (found.kinds["heads"].oov, found.kinds["names"].rate(10)) == (None, None)


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ([], TEST, "the training corpus: no words, that is tokens made of letters, in 0 documents"),
        (TRAIN, text("1 2 .", "x"), "the test corpus: no words, that is tokens made of letters, in 1 documents"),
        ("-", "-", "both corpora are standard input"),
    ],
)
def test_nothing_to_compare_is_refused(train: object, test: object, message: str) -> None:
    with warnings.catch_warnings(), pytest.raises(CoindexError, match=message):
        coindex.overlap(train, test)  # type: ignore[arg-type]


def test_a_level_that_is_too_low_is_an_error() -> None:
    with pytest.raises(CoindexError, match="frequency for rare words: 1; expected a number above 1"):
        coindex.overlap(TRAIN, TEST, below=[1])


# --- forms


def test_frame_and_data() -> None:
    pytest.importorskip("pandas")
    found = coindex.overlap(TRAIN, TEST, below=[3])
    frame = found.to_frame()
    assert list(frame.columns) == ["words", "types", "oov", "below_3"]
    assert frame.loc["words", "below_3"] == pytest.approx(4 / 7)
    assert frame.attrs["signature"] == found.signature
    assert found.to_dict()["kinds"]["names"] == {"words": 2, "types": 2, "oov": 0.5, "below_3": 1.0}


def test_the_table() -> None:
    lines = coindex.overlap(TRAIN, TEST, below=[3]).render().splitlines()
    assert lines[4].split() == ["all", "words", "7", "5", "28.57", "57.14"]
    assert "coindex|overlap:preco@1|words:letters|case:kept|" in lines[7]
    assert "<table>" in coindex.overlap(TRAIN, TEST)._repr_html_()


def test_the_rates_are_a_chart_too() -> None:
    pytest.importorskip("matplotlib")
    found = coindex.overlap(TRAIN, TEST)
    (chart,) = found.charts()
    assert isinstance(chart, Bars)
    assert chart.labels == ["never", "fewer than 2", "fewer than 5", "fewer than 10"]
    assert found.oov is not None
    assert chart.series["all words"][0] == 100 * found.oov
    assert list(chart.series) == ["all words", "heads of mentions", "words of names"]
    assert found.render("html").count("<svg") == found._repr_html_().count("<svg") == 1
    assert "<svg" not in found.render("markdown")
