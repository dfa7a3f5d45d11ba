"""A frozen encoder with adapters: what is saved, trained and exported."""

from dataclasses import replace

import pytest

import coindex

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402 - after the check for torch

from coindex.resolvers.neural.folder import DESCRIPTION, ModelFolderError, file_hash  # noqa: E402
from coindex.settings import ConfigError  # noqa: E402
from coindex.training.encoders import (  # noqa: E402
    AdaptedEncoder,
    load_encoder,
)
from coindex.training.neural import export  # noqa: E402
from coindex.training.neural.data import strip_columns  # noqa: E402
from coindex.training.neural.export import clusters, export_model  # noqa: E402
from coindex.training.neural.folder import WEIGHTS, load_model  # noqa: E402
from coindex.training.neural.run import NeuralRun  # noqa: E402
from tiny_encoders import make_encoder  # noqa: E402


@pytest.fixture(scope="module", params=["bert", "mpnet"])
def encoder(request, tmp_path_factory):
    return make_encoder(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture
def adapted(make_config, encoder):
    config = make_config(epochs=3, encoder_rate=5e-3, window=(60, 60))
    return replace(config, model=replace(config.model, encoder=encoder, adapter=4, frozen=1))


@pytest.fixture
def trained(adapted, tmp_path):
    rows = []
    return NeuralRun.train(adapted, tmp_path / "run", coindex.read, rows.append), rows


def inputs(model, text="Anna met Boris . She lost her dog ."):
    ids = [model.pieces.begin, *(n for piece in model.pieces.of(text.split()) for n in piece), model.pieces.end]
    found = torch.tensor([ids])
    return found, torch.ones_like(found)


def run(encoder, ids, mask):
    with torch.inference_mode():
        return encoder(inputs_embeds=encoder.lower(ids, mask), attention_mask=mask).last_hidden_state


def test_untrained_adapters_change_nothing(adapted):
    plain = load_encoder(replace(adapted.model, adapter=0)).eval()
    ids = torch.arange(4, 16)[None]
    mask = torch.ones_like(ids)
    mask[:, -2:] = 0
    with torch.inference_mode():
        expected = plain(input_ids=ids, attention_mask=mask).last_hidden_state
    found = run(load_encoder(adapted.model).eval(), ids, mask)
    assert torch.allclose(found[:, :-2], expected[:, :-2], atol=2e-3)  # what is below is kept in 16 bits


def test_only_adapters_norms_and_heads_are_trained_and_kept(adapted, trained):
    folder, rows = trained
    losses = [row["link"] for row in rows if "link" in row] or [0.0]
    assert losses[-1] <= losses[0]
    weights = load_file(folder / WEIGHTS)
    own = {name for name in weights if name.startswith("words.encoder.")}
    assert own
    assert all(part in name for name in own for part in ["layer.1."])
    assert all(".down." in name or ".up." in name or "LayerNorm" in name for name in own)
    assert any(weights[name].abs().max() > 0 for name in own if ".up." in name)
    fresh = load_encoder(adapted.model).state_dict()
    now = load_model(folder).model.words.encoder.state_dict()
    changed = {name for name in now if not torch.equal(now[name], fresh[name])}
    assert changed <= {name.removeprefix("words.encoder.") for name in own}


def test_export_merges_them(trained, corpus_path, tmp_path):
    folder, _ = trained
    docs = [strip_columns(doc) for doc in coindex.read(corpus_path)][:6]
    assert export_model(folder, tmp_path / "graphs", bits=32, check=docs).documents == 6
    model = load_model(folder)
    network = model.model.words.encoder
    before = run(network, *inputs(model))
    network.merge()
    assert not any("up" in name.split(".") for name, _ in network.named_parameters())
    assert torch.allclose(run(network, *inputs(model)), before, atol=1e-4)


def test_what_is_rounded_to_8_bits_is_the_sum(trained, corpus_path, tmp_path, monkeypatch):
    """The exported model has the sum of layer and adapter alone, so the trained one must not round them apart."""
    names = []
    rounding = export.round_weights
    monkeypatch.setattr(
        export,
        "round_weights",
        lambda model, *bits: (names.extend(dict(model.named_parameters())), rounding(model, *bits)),
    )
    docs = [strip_columns(doc) for doc in coindex.read(corpus_path)][:3]
    assert export_model(trained[0], tmp_path / "graphs", bits=8, check=docs).documents == 3
    assert names
    assert not any("up" in name.split(".") for name in names)


def test_another_copy_of_the_encoder_can_be_named(trained, encoder, corpus_path, tmp_path):
    folder, _ = trained
    doc = strip_columns(next(iter(coindex.read(corpus_path))))
    expected = clusters(load_model(folder).resolver("stories")(doc))
    assert clusters(load_model(folder, encoder=encoder).resolver("stories")(doc)) == expected
    with pytest.raises(ConfigError, match="cannot be loaded"):
        load_model(folder, encoder=str(tmp_path / "nowhere"))


def test_a_missing_weight_is_reported(trained):
    folder, _ = trained
    weights = load_file(folder / WEIGHTS)
    name = next(name for name in weights if ".up." in name)
    del weights[name]
    save_file(weights, folder / WEIGHTS)
    text = (folder / DESCRIPTION).read_text(encoding="utf-8")
    old = coindex_hash(text)
    (folder / DESCRIPTION).write_text(text.replace(old, file_hash(folder / WEIGHTS)), encoding="utf-8")
    with pytest.raises(ModelFolderError, match=name):
        load_model(folder)


def coindex_hash(text):
    import json

    return json.loads(text)["weights"][WEIGHTS]


def test_the_lowest_layers_are_asked_once(adapted, monkeypatch):
    network = load_encoder(adapted.model).train()
    calls = []
    plain = AdaptedEncoder._lower
    monkeypatch.setattr(AdaptedEncoder, "_lower", lambda self, *args: calls.append(1) or plain(self, *args))
    ids = torch.arange(4, 10)[None]
    first = network.lower(ids, torch.ones_like(ids))
    again = network.lower(ids, torch.ones_like(ids))
    assert len(calls) == 1
    assert torch.allclose(first, again, atol=2e-3)


def test_more_frozen_layers_than_there_are(adapted):
    with pytest.raises(ConfigError, match="2 layers"):
        load_encoder(replace(adapted.model, frozen=2))
