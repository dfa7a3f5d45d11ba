"""Documents as examples."""

import numpy as np
import pytest

import coindex
from coindex import Document, Entity
from coindex.errors import CoindexError
from coindex.training.config import CorpusConfig
from coindex.training.data import cut, epoch_order, make_example, part, read_examples, strip_columns
from corefud_text import GUM


def example(sentences=20):
    doc = Document.from_text(" ".join("Anna saw the old dog ." for _ in range(sentences)), id="d")
    anna = Entity("e1", tuple(doc.mention([6 * n]) for n in range(sentences)))
    dogs = Entity("e2", tuple(doc.mention([6 * n + 2, 6 * n + 3, 6 * n + 4], head=6 * n + 4) for n in range(sentences)))
    return make_example(doc.replace(entities=(anna, dogs)), "toy")


def test_mentions_are_in_reading_order_with_heads_and_entities():
    made = example(2)
    assert made.spans == ((0, 1), (2, 5), (6, 7), (8, 11))
    assert made.entities == (0, 1, 0, 1)
    assert made.heads == (-1, 4, -1, 10)


def test_a_part_is_numbered_anew():
    made = part(example(3), 1, 3)
    assert made.spans == ((0, 1), (2, 5), (6, 7), (8, 11))
    assert made.heads == (-1, 4, -1, 10)
    assert made.words.sentences == [(0, 6), (6, 12)]


def test_long_examples_are_cut_into_whole_sentences():
    made = cut(example(), 30, np.random.default_rng(1))
    assert len(made.words) == 30
    assert made.words.forms[0] == "Anna"
    assert cut(example(5), 30, np.random.default_rng(1)) == example(5)


def test_the_order_depends_on_seed_and_epoch_alone():
    corpora = [CorpusConfig(name="toy", share=0.5)]
    examples = [[part(example(), n, n + 1) for n in range(10)]]
    first = epoch_order(corpora, examples, 1, 0)
    assert len(first) == 5
    assert epoch_order(corpora, examples, 1, 0) == first
    starts = [[e.words.positions[0] for e in epoch_order(corpora, examples, 1, epoch)] for epoch in range(3)]
    assert starts[0] != starts[1] != starts[2]


def test_a_corpus_without_entities_is_refused(tmp_path):
    path = tmp_path / "plain.txt"
    path.write_text("Anna left .", encoding="utf-8")
    with pytest.raises(CoindexError, match="no entities in it; expected a corpus with coreference"):
        read_examples(CorpusConfig(name="plain"), str(path), coindex.read)


def test_stripped_documents_are_raw_tokens(tmp_path):
    path = tmp_path / "gum.conllu"
    path.write_text(GUM, encoding="utf-8")
    for doc in coindex.read(path):
        bare = strip_columns(doc)
        assert bare.text == doc.text
        assert bare.tokens.forms == doc.tokens.forms
        assert [s.speaker for s in bare.sentences] == [s.speaker for s in doc.sentences]
        assert bare.entities == ()
        assert {(t.lemma, t.upos, t.head, t.deps, t.misc) for t in bare.tokens} == {("_",) * 5}
