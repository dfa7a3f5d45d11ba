"""Encoders of several kinds, each made here, loaded by its folder and trained for a few steps."""

import json

import pytest

import coindex

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from coindex.resolvers.neural.folder import make_pieces  # noqa: E402 - after the check for torch
from coindex.training.encoders import load_encoder, load_tokenizer  # noqa: E402
from coindex.training.loop import make_optimiser  # noqa: E402
from coindex.training.neural.config import Config, CorpusConfig, DecodeConfig, ModelConfig, TrainConfig  # noqa: E402
from coindex.training.neural.folder import load_model  # noqa: E402
from coindex.training.neural.run import NeuralRun  # noqa: E402
from tiny_encoders import KINDS, make_encoder  # noqa: E402
from tiny_stories import make_stories  # noqa: E402


@pytest.fixture(scope="module")
def encoder_of(tmp_path_factory):
    """The folder of an encoder of some kind, made once."""
    made = {}

    def get(kind):
        if kind not in made:
            made[kind] = make_encoder(kind, tmp_path_factory.mktemp(kind))
        return made[kind]

    return get


@pytest.fixture
def config_of(encoder_of, tmp_path):
    stories = make_stories(tmp_path / "stories.conllu")

    def make(kind, **train_settings):
        settings = {
            "epochs": 3,
            "encoder_rate": 3e-3,
            "head_rate": 6e-3,
            "warmup": 4,
            "window": (60, 80),
            "average": 0.0,
        }
        sizes = {"mention": 32, "query": 16, "pair": 16, "tag_hidden": 32}
        no_dropout = {"dropout": 0.0, "word_dropout": 0.0, "encoder_dropout": 0.0}
        return Config(
            name="tiny",
            model=ModelConfig(encoder=encoder_of(kind), **sizes, **no_dropout),
            corpora=(CorpusConfig(name="stories", train=stories, dev=stories, share=5),),
            train=TrainConfig(**settings | train_settings),
            decode=DecodeConfig(window=80),
        )

    return make


def states(encoder, ids):
    mask = torch.ones_like(ids)
    return encoder(inputs_embeds=encoder.get_input_embeddings()(ids), attention_mask=mask).last_hidden_state


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_is_loaded_and_made_again_from_its_settings(kind, encoder_of, tmp_path):
    config = ModelConfig(encoder=encoder_of(kind))
    encoder = load_encoder(config).eval()
    ids = torch.tensor([[5, 6, 7, 8]])
    assert states(encoder, ids).shape == (1, 4, 32)
    assert not encoder.get_input_embeddings().weight.requires_grad
    settings = tmp_path / "encoder.json"
    settings.write_text(json.dumps(encoder.config.to_dict(), default=list), encoding="utf-8")
    again = load_encoder(config, settings=settings, attention="eager").eval()
    again.load_state_dict(encoder.state_dict())
    assert torch.allclose(states(again, ids), states(encoder, ids), atol=1e-5)


def test_of_a_whole_t5_only_the_encoder_is_taken(encoder_of):
    from transformers import T5ForConditionalGeneration

    whole = T5ForConditionalGeneration.from_pretrained(encoder_of("t5")).eval()
    encoder = load_encoder(ModelConfig(encoder=encoder_of("t5"))).eval()
    assert not any("decoder" in name or "shared" in name for name, _ in encoder.named_parameters())
    ids = torch.tensor([[5, 6, 7, 8]])
    expected = whole.encoder(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    assert torch.allclose(states(encoder, ids), expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["roberta", "t5"])
def test_a_single_word_has_the_same_pieces_as_after_a_space(kind, encoder_of):
    tokenizer = load_tokenizer(ModelConfig(encoder=encoder_of(kind)))
    words = [make_pieces(tokenizer).of([form])[0] for form in ("old", "king")]
    text = tokenizer.encode(" old king", add_special_tokens=False).ids
    assert [piece for word in words for piece in word] == text


@pytest.mark.parametrize("kind", ["bert", "roberta", "mpnet", "rembert", "t5"])
def test_an_encoder_is_trained_saved_and_exported(kind, config_of, tmp_path):
    losses = []
    config = config_of(kind)
    best = NeuralRun.train(
        config, tmp_path / "run", coindex.read, lambda row: None, tick=lambda now: losses.append(dict(now.losses))
    )
    first, last = ([sum(one.values()) for one in losses if one][at] for at in (0, -1))
    assert last < first / 2
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from coindex.training.neural.export import export_model

    docs = list(coindex.read(config.corpora[0].dev))
    for bits in (32, 4):
        agreement = export_model(best, tmp_path / f"graphs{bits}", bits=bits, check=docs)
        assert agreement.documents == len(docs)
    graph = (tmp_path / "graphs4" / "words.onnx").read_bytes()
    assert b"MatMulNBits" in graph
    assert load_model(best).resolver("stories")(docs[0]).entities


def test_lower_layers_of_a_t5_learn_more_slowly(config_of, tmp_path):
    run = NeuralRun(config_of("t5", layer_decay=0.5), tmp_path / "run", coindex.read, lambda row: None)
    rate_of = {
        id(weight): group["base"]
        for group in make_optimiser(run.trained.model, run.config.train).param_groups
        for weight in group["params"]
    }
    named = dict(run.trained.model.named_parameters())
    query = "words.encoder.block.{}.layer.0.SelfAttention.q.weight"
    assert rate_of[id(named[query.format(1)])] == pytest.approx(3e-3)
    assert rate_of[id(named[query.format(0)])] == pytest.approx(1.5e-3)
