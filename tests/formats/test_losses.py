"""What a format cannot say is lost only with a warning that counts it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import coindex
from coindex.document import Document, Entity, Multiword, Sentence, Token, Tokens
from coindex.errors import LossWarning
from coindex.formats.losses import FEATURES, count_losses, watch_losses
from coindex.formats.registry import all_formats, get_format
from stories import story

NOTHING: frozenset[str] = frozenset()


def test_every_feature_is_counted() -> None:
    # counted by hand in stories.py
    expected = {
        "columns": 1,  # the empty node has a lemma
        "sentences": 2,
        "speakers": 2,
        "zeros": 1,
        "discontinuous": 1,
        "entities": 8,
        "heads": 7,
        "attributes": 2,
        "types": 4,
        "events": 1,
        "entity-attributes": 1,
        "bridging": 1,
        "split-antecedents": 1,
        "genre": 1,
    }
    assert {name: n for name, n in count_losses(story(), NOTHING).items() if n} == expected


def test_what_a_format_carries_is_not_lost() -> None:
    assert count_losses(story(), frozenset(FEATURES)) == {}
    assert set(count_losses(story(), frozenset({"heads"}))) == set(FEATURES) - {"heads"}


def words(*tokens: Token, ends: tuple[int, ...], multiwords: tuple[Multiword, ...] = ()) -> Document:
    layer = Tokens(tokens, multiwords=multiwords)
    starts = (0, *ends)
    return Document(layer, tuple(Sentence(layer, start, end) for start, end in zip(starts, ends, strict=False)))


def test_spaces() -> None:
    doc = words(Token("1", "a", space=""), Token("2", "b", space="  "), Token("3", "c"), Token("4", "d"), ends=(4,))
    assert count_losses(doc, NOTHING)["spaces"] == 2


def test_spaces_at_the_end_of_a_sentence_are_not_counted() -> None:
    zero = Token("2.1", "_", space="")
    last = Token("2", "b", space="\n")
    assert count_losses(words(Token("1", "a"), last, ends=(2,)), NOTHING)["spaces"] == 0
    assert count_losses(words(Token("1", "a"), last, zero, ends=(3,)), NOTHING)["spaces"] == 0
    assert count_losses(words(Token("1", "a"), last, zero, ends=(1, 3)), NOTHING)["spaces"] == 0


def test_spaces_after_multiword_tokens() -> None:
    tokens = [Token(str(n), "w") for n in range(1, 5)]
    doc = words(*tokens, ends=(4,), multiwords=(Multiword(0, 2, "ww", space=""),))
    assert count_losses(doc, NOTHING)["spaces"] == 1
    doc = words(*tokens, ends=(4,), multiwords=(Multiword(2, 4, "ww", space=""),))
    assert count_losses(doc, NOTHING)["spaces"] == 0


@pytest.mark.parametrize(
    ("spans", "number"),
    [
        ([(0, 3), (1, 2)], 0),
        ([(0, 3), (3, 5)], 0),
        ([(0, 3), (0, 5)], 0),
        ([(0, 3), (2, 5)], 1),
        ([(0, 5), (0, 3), (1, 4)], 1),
        ([(0, 3), (0, 4), (1, 4)], 1),
    ],
)
def test_entities_that_cross_themselves(spans: list[tuple[int, int]], number: int) -> None:
    doc = words(*(Token(str(n), "w") for n in range(1, 7)), ends=(3, 6))
    doc = doc.replace(entities=(Entity("e", tuple(doc.mention(range(*span)) for span in spans)),))
    losses = count_losses(doc, NOTHING)
    assert losses["self-crossing"] == number
    assert losses["cross-sentence"] == sum(end > 3 > start for start, end in spans)


def test_what_is_left_of_a_discontinuous_mention_may_cross_another(tmp_path: Path) -> None:
    """Written are the first three words and the second to fourth; read are the first to fourth, and two inside."""
    doc = words(*(Token(str(n), "w") for n in range(1, 7)), ends=(6,))
    doc = doc.replace(id="d", entities=(Entity("0", (doc.mention([0, 1, 2, 5]), doc.mention([1, 2, 3]))),))
    with pytest.warns(LossWarning) as caught:
        coindex.write(doc, tmp_path / "d.conll", "conll2012")
    (message,) = (str(warning.message) for warning in caught)
    assert "1 discontinuous mentions; 1 entities whose mentions cross each other" in message
    (read,) = coindex.read(tmp_path / "d.conll")
    assert [mention.positions for mention, _ in read.mentions()] == [(0, 1, 2, 3), (1, 2)]


def test_gaps_of_empty_nodes_are_no_gaps() -> None:
    doc = words(Token("1", "a"), Token("1.1", "_"), Token("2", "b"), Token("3", "c"), ends=(4,))
    doc = doc.replace(entities=(Entity("e", (doc.mention([0, 2]), doc.mention([0, 3]))),))
    assert count_losses(doc, NOTHING)["discontinuous"] == 1


LOSSLESS = ("json", "parquet", "arrow")


def test_all_losses_of_a_corpus_are_one_warning() -> None:
    docs = watch_losses([story(), story()], frozenset(FEATURES) - {"heads", "zeros", "multiwords"}, "some")
    with pytest.warns(LossWarning) as caught:
        assert len(list(docs)) == 2
    assert [str(w.message) for w in caught] == ["some cannot represent: 2 zero mentions; 14 mention heads"]


@pytest.mark.parametrize("name", [f.name for f in all_formats() if f.read and f.write and f.name not in LOSSLESS])
def test_writing_warns_about_losses(name: str, tmp_path: Path) -> None:
    lost = {feature: n for feature, n in count_losses(story(), get_format(name).carries).items() if n}
    with pytest.warns(LossWarning) as caught:
        coindex.write(story(), tmp_path / "out", name)
    message = next(str(w.message) for w in caught if str(w.message).startswith(f"{name} cannot represent: "))
    said = message.partition(": ")[2].split("; ")
    assert said == [f"{number} {FEATURES[feature][0]}" for feature, number in lost.items()]


@pytest.mark.parametrize("name", [f.name for f in all_formats() if f.write])
def test_a_plain_text_loses_nothing_but_spaces(name: str, tmp_path: Path) -> None:
    doc = Document.from_text("Ann left", id="d")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        coindex.write(doc, tmp_path / "out", name)
    assert [str(w.message) for w in caught] == []
