"""A tiny encoder and a tiny corpus for all tests of training."""

import pytest

from tiny_model import make_corpus, make_encoder


@pytest.fixture(scope="session")
def corpus_path(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("corpus") / "stories.jsonlines")


@pytest.fixture(scope="session")
def encoder_path(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def make_config(encoder_path, corpus_path):
    """A configuration of a run that takes seconds; what is given replaces its training settings."""
    from coindex.training.neural.config import Config, CorpusConfig, ModelConfig, TrainConfig

    def make(**train):
        settings = {
            "epochs": 2,
            "encoder_rate": 2e-3,
            "head_rate": 4e-3,
            "warmup": 2,
            "window": (16, 40),
            "average": 0.8,
            "predicted_after": 6,
        } | train
        return Config(
            name="tiny",
            model=ModelConfig(encoder=encoder_path, mention=32, query=16, pair=16, tag_hidden=32, dropout=0.0),
            corpora=(CorpusConfig(name="stories", train=corpus_path, dev=corpus_path, match="exact", singletons=True),),
            train=TrainConfig(**settings),
        )

    return make


@pytest.fixture(scope="session")
def learned(tmp_path_factory, encoder_path, corpus_path):
    """A model that has learned its corpus by heart, and the rows of its log."""
    from dataclasses import replace

    import coindex
    from coindex.training.neural.config import Config, CorpusConfig, ModelConfig, TrainConfig
    from coindex.training.neural.run import NeuralRun

    config = Config(
        name="tiny",
        model=ModelConfig(encoder=encoder_path, mention=32, query=16, pair=16, tag_hidden=32, dropout=0.0),
        corpora=(CorpusConfig(name="stories", train=corpus_path, dev=corpus_path, match="exact", singletons=True),),
        train=TrainConfig(
            epochs=12, encoder_rate=2e-3, head_rate=6e-3, warmup=4, window=(16, 40), average=0.8, predicted_after=60
        ),
    )
    config = replace(config, model=replace(config.model, word_dropout=0.0, encoder_dropout=0.0))
    rows = []
    folder = NeuralRun.train(config, tmp_path_factory.mktemp("run"), coindex.read, rows.append)
    return folder, rows
