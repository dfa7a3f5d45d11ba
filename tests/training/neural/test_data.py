"""Documents as examples."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import coindex
from coindex import Document, Entity
from coindex.errors import CoindexError
from coindex.resolvers.neural.windows import Context
from coindex.resolvers.neural.words import NUMBER as COLUMN_NUMBER
from coindex.resolvers.neural.words import Pieces
from coindex.training.neural.config import Config, CorpusConfig, ModelConfig, TrainConfig
from coindex.training.neural.data import (
    count_examples,
    cut,
    cut_alone,
    epoch_order,
    hide_columns,
    hide_words,
    make_detector,
    make_example,
    make_stretch,
    read_examples,
    strip_columns,
)
from corefud_text import GUM
from tiny_model import make_corpus
from tiny_stories import make_stories


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


def test_a_part_is_renumbered():
    made = cut_alone(example(3), 1, 3)
    assert made.spans == ((0, 1), (2, 5), (6, 7), (8, 11))
    assert made.heads == (-1, 4, -1, 10)
    assert made.words.sentences == [(0, 6), (6, 12)]


def test_long_examples_are_cut_into_whole_sentences():
    made = cut(example(), 30, np.random.default_rng(1))
    assert len(made.words) == 30
    assert made.words.forms[0] == "Anna"
    assert cut(example(5), 30, np.random.default_rng(1)) == example(5)


def test_the_order_depends_on_seed_and_epoch_alone():
    config = run(CorpusConfig(name="toy", share=0.5))
    examples = [[cut_alone(example(), n, n + 1) for n in range(10)]]
    first = epoch_order(config, examples, 0)
    assert len(first) == 5
    assert epoch_order(config, examples, 0) == first
    starts = [[e.words.positions[0] for e in epoch_order(config, examples, epoch)] for epoch in range(3)]
    assert starts[0] != starts[1] != starts[2]


def test_corpora_are_sampled_by_share_size_or_its_logarithm():
    corpora = [CorpusConfig(name="large"), CorpusConfig(name="small"), CorpusConfig(name="dev only")]
    # 40 documents of 120 words, 10 of 6: 4800 and 60 words
    examples = [[example(20)] * 40, [example(1)] * 10, []]
    assert count_examples(corpora, examples, "share") == [40, 10, 0]
    assert count_examples(corpora, examples, "size") == [round(50 * 4800 / 4860), 1, 0]
    logs = math.log(4801), math.log(61)
    assert count_examples(corpora, examples, "log") == [round(50 * log / sum(logs)) for log in logs] + [0]
    order = epoch_order(run(*corpora, sampling="log"), examples, 0)
    assert sum(len(made.words) == 6 for made in order) == round(50 * logs[1] / sum(logs))


def test_a_small_share_of_a_small_corpus_is_one_document():
    corpora = [CorpusConfig(name="large", share=0.1), CorpusConfig(name="small", share=0.1), CorpusConfig(name="dev")]
    assert count_examples(corpora, [[example(1)] * 40, [example(1)] * 4, []], "share") == [4, 1, 0]


def test_segment_length_is_that_of_the_corpus_or_by_default_of_the_run():
    config = run(CorpusConfig(name="a"), CorpusConfig(name="b", words=60), words=30)
    order = epoch_order(config, [[example()], [example()]], 0)
    assert sorted(len(made.words) for made in order) == [30, 60]


def test_where_sentences_have_windows_of_their_own_the_text_around_a_stretch_stays():
    config = run(CorpusConfig(name="a"), words=30)
    config = replace(config, model=model(windows="sentence"))
    (made,) = epoch_order(config, [[example()]], 0)
    first, last = made.own
    assert len(made.words) == 120
    assert (last - first) * 6 == 30
    assert made.spans == tuple(span for span in example().spans if 6 * first <= span[0] < 6 * last)
    pieces = Pieces(WholeWords(), begin=1, end=2, pad=0, unknown=3)
    detector = make_detector(config.model, [example()])
    stretch = make_stretch(made, pieces, detector, 40, Context(40, 6))
    assert stretch.start == 6 * first
    assert stretch.sentences == [(0, 6), (6, 12), (12, 18), (18, 24), (24, 30)]
    assert (
        stretch.targets.tolist()
        == make_stretch(cut_alone(example(), first, last), pieces, detector, 40).targets.tolist()
    )
    assert len(stretch.batch.piece_index) == 30
    assert stretch.batch.ids.shape == (5, 40), "all windows are full of context"


class WholeWords:
    """A tokenizer for which every word is one piece."""

    class Encoding:
        def __init__(self, ids):
            self.ids = ids

    def encode(self, form, *, add_special_tokens):
        return self.Encoding([10])

    def token_to_id(self, token):
        return None


def model(**choices):
    return ModelConfig(encoder="none", **choices)


def run(*corpora, **settings):
    return Config(name="toy", model=model(), corpora=corpora, train=TrainConfig(seed=1, **settings))


def nested():
    """The old king of France, in which France is alone; the last two have no heads."""
    doc = Document.from_text("The old king of France saw his own dog .", id="d")
    king = Entity("e1", (doc.mention(range(5), head=2), doc.mention([6])))
    return doc.replace(entities=(king, Entity("e2", (doc.mention([4]),)), Entity("e3", (doc.mention([6, 7, 8]),))))


def test_spans_may_be_reduced_to_their_heads():
    made = make_example(nested(), "toy", model(spans="heads"))
    assert made.spans == ((2, 3), (4, 5), (6, 7), (8, 9))
    assert made.entities == (0, 1, 0, 2)
    assert made.heads == (2, 4, 6, 8)


def test_of_mentions_with_one_head_the_shortest_is_meant():
    doc = Document.from_text("Anna and Boris left", id="d")
    both, anna = doc.mention([0, 1, 2], head=0), doc.mention([0], head=0)
    made = make_example(
        doc.replace(entities=(Entity("e1", (both,)), Entity("e2", (anna,)))), "toy", model(spans="heads")
    )
    assert made.spans == ((0, 1),)
    assert made.entities == (1,)


def test_singletons_may_be_left_out():
    made = make_example(nested(), "toy", model(singletons=False))
    assert made.spans == ((0, 5), (6, 7))


def test_columns_follow_their_words(tmp_path):
    path = make_stories(tmp_path / "stories.conllu")
    whole = make_example(next(iter(coindex.read(path))), "toy", model(columns=("upos", "Gender")))
    second = cut_alone(whole, 1, 2)
    assert second.words.forms[0] == "She"
    pron, feminine = (COLUMN_NUMBER[name][value] for name, value in (("upos", "PRON"), ("Gender", "Fem")))
    assert second.words.columns[0].tolist() == [pron, feminine]
    assert not hide_columns(second).words.columns.any()
    assert make_example(next(iter(coindex.read(path))), "toy").words.columns is None


@pytest.mark.parametrize("detection", ["tags", "spans", "start-end"])
def test_what_is_learned_gives_the_mentions_back(detection):
    made = make_example(nested(), "toy")
    detector = make_detector(model(detection=detection, span_width=5, span_ratio=0.4), [made])
    targets = detector.targets(made.spans, made.words.sentences)
    one_hot = np.eye(detector.outputs)[targets] if detection == "tags" else targets
    scores = one_hot.astype(np.float32)
    assert tuple(detector.decode(scores, made.words.sentences)) == made.spans


def test_a_corpus_without_entities_is_refused(tmp_path):
    path = tmp_path / "plain.txt"
    path.write_text("Anna left .", encoding="utf-8")
    with pytest.raises(CoindexError, match="the training corpus has no entities"):
        read_examples(CorpusConfig(name="plain"), str(path), coindex.read)


def test_documents_are_excluded_by_id(tmp_path):
    path = make_corpus(tmp_path / "stories.jsonlines")
    corpus = CorpusConfig(name="stories", exclude=("d1", "d1?"))
    kept = read_examples(corpus, path, coindex.read)
    assert [example.id for example in kept] == ["d0", *(f"d{n}" for n in range(2, 10))]


def test_partial_documents_need_mentions_and_add_no_tags(tmp_path):
    lines = [
        {"doc_key": "a", "sentences": [["Anna", "saw", "the", "dog", "of", "Anna"]], "clusters": [[[2, 5], [5, 5]]]},
        {"doc_key": "b", "sentences": [["Anna", "left"]], "clusters": []},
    ]
    path = tmp_path / "partial.jsonlines"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    examples = read_examples(CorpusConfig(name="stories", partial=True), str(path), coindex.read)
    assert [example.id for example in examples] == ["a"]
    assert make_detector(model(), examples).names == make_detector(model(), []).names
    assert make_detector(model(), [replace(examples[0], is_partial=False)]).names != make_detector(model(), []).names


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


def test_masked_words_are_masked_completely_and_others_stay():
    pieces = Pieces(WholeWords(), begin=1, end=2, pad=0, unknown=3)
    made = example(20)
    plain = make_stretch(made, pieces, make_detector(model(), [made]), 40)
    hidden = hide_words(plain, 0.3, 99, np.random.default_rng(5))
    changed = hidden.batch.ids != plain.batch.ids
    assert 0.15 < changed.sum() / 120 < 0.45
    assert set(hidden.batch.ids[changed].tolist()) == {99}
    assert not np.isin(plain.batch.ids[changed], (0, 1, 2)).any(), "the marks of windows stay"
    assert (hidden.targets == plain.targets).all()
    assert (plain.batch.ids != 99).all(), "the stretch itself stays as it was"


def test_words_are_not_hidden_from_an_encoder_whose_lowest_layers_are_read_once():
    with pytest.raises(CoindexError, match=r"train\.hidden cannot be combined with"):
        Config(
            name="t",
            model=model(adapter=4),
            corpora=(CorpusConfig(name="a", train="a"),),
            train=TrainConfig(hidden=0.1),
        )
