"""The tagger of cross-document coreference: learned, stopped, resumed, exported."""

import json

import numpy as np
import pytest

import coindex
from tiny_cross import documents

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from coindex.document import Document  # noqa: E402 - after the check for torch
from coindex.errors import CoindexError  # noqa: E402
from coindex.resolvers.cross.model import tags_description  # noqa: E402
from coindex.resolvers.cross.vectors import Encoder  # noqa: E402
from coindex.resolvers.cross.within import load_tagger  # noqa: E402
from coindex.resolvers.neural.folder import file_hash  # noqa: E402
from coindex.settings import parse_section  # noqa: E402
from coindex.training.cross.config import CrossConfig  # noqa: E402
from coindex.training.cross.tagger import (  # noqa: E402  # noqa: E402  # noqa: E402  # noqa: E402
    TaggerLoop,
    choose_bias,
    epoch_batches,
    folds,
    make_examples,
    make_tags,
    new_tagger,
    put_graphs,
    put_weights,
    read_topics,
    score_tagger,
    select_trained_weights,
)
from coindex.training.run import (  # noqa: E402
    CheckpointError,
    Stopped,
)

PLACES = {"model": {"encoder": "some/encoder"}, "corpus": {"path": "news", "train": ["1"]}}


def tagger_loop(config, path, *, members=1, tick=lambda progress: None, fingerprint="mine", rows=None):
    train, _ = read_topics(config.corpus, coindex.read)
    tags = make_tags(train, config.model)
    report = (lambda row: None) if rows is None else rows.append
    return TaggerLoop(
        config,
        train,
        tags,
        path,
        name="tagger",
        members=members,
        fingerprint=fingerprint,
        report=report,
        tick=tick,
    )


def train_tagger(*arguments, **options):
    loop = tagger_loop(*arguments, **options)
    loop.run()
    return loop.trained


def stop_at(epoch, step):
    def tick(progress):
        if (progress.epoch, progress.step) == (epoch, step):
            raise Stopped("enough")

    return tick


def texts(doc):
    return [(mention.text, entity.kind) for mention, entity in doc.mentions()]


@pytest.fixture(scope="module")
def learned(make_config, tmp_path_factory):
    return train_tagger(make_config(epochs=24), tmp_path_factory.mktemp("run") / "tagger.pt")


def test_learns_mentions_of_both_kinds(learned):
    docs = documents()[:9]
    scores = score_tagger(learned.tagger(), docs)
    assert scores["event"]["f1"] > 95
    assert scores["entity"]["f1"] > 95
    assert scores["event"]["signature"].startswith("coindex|ecb-topic@1|match:exact|sing:yes")
    assert "kind:event" in scores["event"]["signature"]


def test_the_plain_part_stays_as_it_came(learned, make_config):
    before = new_tagger(make_config().model, learned.tags, 1).network.plain.state_dict()
    after = learned.network.plain.state_dict()
    assert all(torch.equal(weight, after[name]) for name, weight in before.items())


@pytest.mark.parametrize("place", [(1, 2), (2, 1)])
def test_a_stopped_run_ends_as_an_unbroken_one(make_config, tmp_path, place):
    config = make_config(model={"dropout": 0.2})
    whole = select_trained_weights(train_tagger(config, tmp_path / "whole.pt", members=2).network)
    with pytest.raises(Stopped):
        train_tagger(config, tmp_path / "broken.pt", members=2, tick=stop_at(*place))
    rows = []
    broken = select_trained_weights(train_tagger(config, tmp_path / "broken.pt", members=2, rows=rows).network)
    assert rows[0]["resumed"]
    assert all(torch.equal(whole[name], broken[name]) for name in whole)


def test_more_members_are_added_to_those_that_are_there(make_config, tmp_path):
    config = make_config(epochs=1)
    first = select_trained_weights(train_tagger(config, tmp_path / "tagger.pt").network)
    first = {name: weight.clone() for name, weight in first.items()}
    rows = []
    both = select_trained_weights(train_tagger(config, tmp_path / "tagger.pt", members=2, rows=rows).network)
    assert {row["member"] for row in rows} == {2}
    assert any(not torch.equal(first[name], both[name]) for name in first)


def test_a_checkpoint_of_another_run_is_refused(make_config, tmp_path):
    train_tagger(make_config(epochs=1), tmp_path / "tagger.pt")
    with pytest.raises(CheckpointError, match="another configuration"):
        train_tagger(make_config(epochs=1), tmp_path / "tagger.pt", fingerprint="other")


@pytest.fixture(scope="module")
def exported(learned, make_config, tmp_path_factory):
    """The learned tagger in a model folder, weights in 32 bits."""
    folder = tmp_path_factory.mktemp("graphs")
    config = make_config()
    copy = new_tagger(config.model, learned.tags, 1, attention="eager")
    put_weights(copy.network, select_trained_weights(learned.network))
    put_graphs(copy, folder, 32)
    description = {
        "version": 1,
        "kind": "cross",
        "config": config.to_dict(),
        "tags": tags_description(learned.tags),
        "weights": {file.name: file_hash(file) for file in folder.iterdir()},
    }
    (folder / "model.json").write_text(json.dumps(description), encoding="utf-8")
    return folder


def test_graphs_find_the_same_mentions(learned, exported):
    docs = [*documents(), Document.from_text(""), Document.from_text("A fire burned nothing. " * 30)]
    for doc, first, second in zip(docs, learned.tagger().pipe(docs), load_tagger(exported).pipe(docs), strict=True):
        assert texts(first) == texts(second), doc.id


def test_plain_vectors_are_those_of_the_encoder(exported, make_config):
    """Each sentence alone, words as the mean of their pieces, sentences as the mean of all pieces with the marks."""
    from transformers import AutoModel

    doc = documents()[0]
    (found,) = Encoder(exported).encode([doc])
    encoder = Encoder(exported)
    plain = AutoModel.from_pretrained(make_config().model.encoder).eval()
    for number, sentence in enumerate(doc.sentences):
        pieces = encoder.model.pieces.of(doc.tokens.forms[sentence.start : sentence.end])
        ids = [encoder.model.pieces.begin, *(piece for word in pieces for piece in word), encoder.model.pieces.end]
        with torch.inference_mode():
            given = plain(torch.tensor([ids]), output_hidden_states=True)
        states, lower = given.last_hidden_state[0].numpy(), given.hidden_states[1][0].numpy()
        assert np.allclose(found.sentences[number], states.mean(0), atol=1e-4)
        at = 1
        for word, piece in zip(range(sentence.start, sentence.end), pieces, strict=True):
            assert np.allclose(found.words[word], states[at : at + len(piece)].mean(0), atol=1e-4)
            assert np.allclose(found.lower[word], lower[at : at + len(piece)].mean(0), atol=1e-4)
            at += len(piece)


def test_vectors_do_not_depend_on_the_company(exported):
    docs = documents()
    together = Encoder(exported).encode(docs)
    alone = [Encoder(exported).encode([doc])[0] for doc in docs]
    assert all(np.allclose(a.words, b.words, atol=1e-4) for a, b in zip(together, alone, strict=True))
    (empty,) = Encoder(exported).encode([Document.from_text("")])
    assert empty.words.shape == (0, 32)
    assert empty.sentences.shape == (0, 32)


def test_the_bias_is_the_best_on_dev(learned):
    docs = documents()
    best = choose_bias(learned.tagger(), docs)
    for kind in best.tags:
        assert score_tagger(best, docs)[kind]["f1"] >= score_tagger(learned.tagger(), docs)[kind]["f1"]


@pytest.mark.parametrize("kind", ["roberta", "mpnet", "electra"])
def test_other_encoders(kind, make_config, tmp_path):
    from tiny_encoders import make_encoder

    config = make_config(model={"encoder": make_encoder(kind, tmp_path / kind), "apart": True})
    tagger = train_tagger(config, tmp_path / "tagger.pt").tagger()
    assert list(tagger.pipe(documents()[:2]))


@pytest.mark.parametrize(("kind", "frozen", "said"), [("t5", 1, "no list of layers"), ("bert", 3, "2 layers")])
def test_encoders_whose_layers_cannot_be_split(kind, frozen, said, make_config, tmp_path):
    from tiny_encoders import make_encoder

    config = make_config(model={"encoder": make_encoder(kind, tmp_path / kind), "frozen": frozen})
    with pytest.raises(CoindexError, match=said):
        tagger_loop(config, tmp_path / "tagger.pt")


def test_an_encoder_that_is_not_tuned(make_config, tmp_path):
    tuned = train_tagger(make_config(model={"frozen": 2}), tmp_path / "tagger.pt")
    assert not any(".layers." in name for name in select_trained_weights(tuned.network))


def test_types_that_are_rare_are_one(make_config):
    tags = make_tags(documents(), make_config(model={"types": 8}).model)  # two documents in three name somebody
    assert tags["event"].types == ("ACTION",)
    assert tags["entity"].types == ("HUMAN", "LOC")
    tags = make_tags(documents(), make_config(model={"types": 9}).model)
    assert tags["entity"].types == ("LOC", "other")
    assert make_tags(documents(), make_config(model={"types": 0}).model)["entity"].types == ("other",)


def test_an_unknown_topic_and_a_missing_kind_are_reported(make_config):
    from dataclasses import replace

    corpus = make_config().corpus
    with pytest.raises(CoindexError, match="no document of topic '9'"):
        read_topics(replace(corpus, dev=("9",)), coindex.read)
    with pytest.raises(CoindexError, match="in train and in dev"):
        replace(corpus, dev=("1",))
    bare = [doc.replace(entities=tuple(e for e in doc.entities if e.kind == "entity")) for doc in documents()]
    with pytest.raises(CoindexError, match="the training topics have no mentions of the kind event"):
        make_tags(bare, make_config().model)


def test_unknown_keys_are_refused():
    with pytest.raises(CoindexError, match="epoch"):
        parse_section(CrossConfig, {"name": "x", "train": {"epoch": 1}} | PLACES, "x.toml")


def test_folds_part_topics():
    parts = folds(documents(), 3)
    assert sorted(topic for part in parts for topic in part) == ["1", "2", "3", "4"]
    assert parts == folds(documents(), 3)


def test_sentences_that_are_context_are_not_learned(learned, make_config):
    from dataclasses import replace

    from coindex.document.documents import CONTEXT
    from coindex.resolvers.neural.detection import NO_TARGET

    doc = documents()[0]
    first, second = doc.sentences
    doc = doc.replace(sentences=(first, replace(second, comments=(CONTEXT,))))
    (targets,) = make_examples([doc], learned.pieces, learned.tags, make_config().model).targets
    assert (targets[first.start : first.end] >= 0).all()
    assert (targets[second.start : second.end] == NO_TARGET).all()


def test_batches_hold_every_window_once(learned, make_config):
    examples = make_examples(documents(), learned.pieces, learned.tags, make_config().model)
    batches = epoch_batches(examples.windows, 5, np.random.default_rng(1))
    assert sorted(number for batch in batches for number in batch) == list(range(len(examples.windows)))
    assert batches != epoch_batches(examples.windows, 5, np.random.default_rng(2))
