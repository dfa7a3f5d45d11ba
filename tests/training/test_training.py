"""A tiny model is trained, killed, resumed, saved, exported."""

import json
import shutil

import pytest

import coindex

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from coindex.errors import CoindexError  # noqa: E402 - after the check for torch
from coindex.training.checkpoint import CheckpointError, write_whole  # noqa: E402
from coindex.training.data import strip_columns  # noqa: E402
from coindex.training.folder import load_model  # noqa: E402
from coindex.training.loop import Run, train  # noqa: E402


@pytest.fixture(scope="module")
def learned(tmp_path_factory, encoder_path, corpus_path):
    """A model that has learned its corpus by heart, and the rows of its log."""
    from dataclasses import replace

    from coindex.training.config import Config, CorpusConfig, ModelConfig, TrainConfig

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
    folder = train(config, tmp_path_factory.mktemp("run"), coindex.read, rows.append)
    return folder, rows


def test_learns_a_tiny_corpus(learned):
    _, rows = learned
    scores = [row["scores"]["stories"]["conll"] for row in rows if "scores" in row]
    assert len(scores) == 12
    assert max(scores) > 95


def test_the_folder_describes_itself(learned):
    folder, _ = learned
    data = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert data["tags"][0] == ""
    assert "PUSH,POP:1" in data["tags"]
    assert data["corpora"] == ["stories"]
    assert len(next(iter(data["data"].values()))) == 64
    assert "crac24" in data["scores"][-1]["scores"]["stories"]["signature"]


def test_a_loaded_model_resolves(learned):
    folder, _ = learned
    found = load_model(folder).resolver("stories")(coindex.Document.from_text("Anna met Boris . She lost her dog ."))
    assert ["Anna", "She", "her"] in [[mention.text for mention in entity.mentions] for entity in found.entities]


@pytest.mark.parametrize("half", [False, True])
def test_export_gives_the_same_entities(learned, corpus_path, tmp_path, half):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from coindex.training.export import check_export, export_model

    folder, _ = learned
    target = export_model(folder, tmp_path / "graphs", half=half)
    docs = [strip_columns(doc) for doc in coindex.read(corpus_path)]
    assert check_export(folder, target, docs, "stories") == len(docs)
    resolve = coindex.load(f"{target}(scheme=stories, singletons=no)")
    found = resolve("Anna met Boris . She lost her dog .")
    assert ["Anna", "She", "her"] in [[mention.text for mention in entity.mentions] for entity in found.entities]
    assert not any(entity.is_singleton for entity in found.entities)


def weights(run):
    return {name: weight.clone() for name, weight in run.model.state_dict().items()}


def test_a_killed_run_goes_on_to_the_same_place(make_config, tmp_path):
    config = make_config(epochs=2)
    whole = Run(config, tmp_path / "whole", coindex.read, lambda row: None)
    for _ in range(2):
        whole.train_epoch()

    killed = Run(config, tmp_path / "killed", coindex.read, lambda row: None)
    order = killed._order(0)
    for number in range(5):
        killed.model.train()
        killed._step(order[number], number)
        killed.done = number + 1
    killed.save()

    again = Run(config, tmp_path / "killed", coindex.read, lambda row: None)
    again.resume()
    assert again.done == 5
    for _ in range(2):
        again.train_epoch()
    assert all(torch.equal(value, weights(again)[name]) for name, value in weights(whole).items())
    assert all(torch.equal(whole.average.weights[name], again.average.weights[name]) for name in whole.average.weights)


def test_a_checkpoint_of_another_run_is_refused(make_config, tmp_path):
    run = Run(make_config(), tmp_path / "run", coindex.read, lambda row: None)
    run.save()
    other = Run(make_config(seed=5), tmp_path / "run", coindex.read, lambda row: None)
    with pytest.raises(CheckpointError, match="another configuration"):
        other.resume()


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path):
    path = tmp_path / "checkpoint.pt"
    write_whole(path, lambda beside: beside.write_bytes(b"good"))

    def full(beside):
        beside.write_bytes(b"ha")
        raise OSError(28, "No space left on device")

    with pytest.raises(CheckpointError, match="No space left on device; the last one is still there"):
        write_whole(path, full)
    assert path.read_bytes() == b"good"
    assert list(tmp_path.iterdir()) == [path]


def change_version(folder):
    path = folder / "model.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"version": 1', '"version": 99'), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change_version, "version 99; expected version 1"),
        (lambda folder: (folder / "model.safetensors").unlink(), r"model\.safetensors is missing"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"x"), "another file than the model was saved with"),
        (lambda folder: (folder / "model.json").write_text("{"), r"no readable model\.json"),
    ],
)
def test_a_spoilt_folder_is_refused(learned, tmp_path, spoil, message):
    folder = tmp_path / "model"
    shutil.copytree(learned[0], folder)
    spoil(folder)
    with pytest.raises(CoindexError, match=message):
        load_model(folder)


def test_a_run_may_begin_with_the_weights_of_another_and_more_features(learned, make_config, tmp_path):
    from dataclasses import replace

    from coindex.resolvers.neural.pairs import FEATURES

    config = make_config()
    grown = replace(config.model, start=str(learned[0]), features=tuple(FEATURES))
    run = Run(replace(config, model=grown), tmp_path / "run", coindex.read, lambda row: None)
    first = load_model(learned[0]).model.state_dict()
    assert all(torch.equal(weight, run.model.state_dict()[name]) for name, weight in first.items())
    assert run.devs[0].score(run.trained.resolver("stories"))["conll"] > 95


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (("match", "kinds", "distnce"), "unknown feature of a pair 'distnce'"),
        (("gap",), "features without kinds and match"),
    ],
)
def test_features_must_exist_and_suffice(make_config, tmp_path, features, message):
    from dataclasses import replace

    config = make_config()
    with pytest.raises(CoindexError, match=message):
        Run(replace(config, model=replace(config.model, features=features)), tmp_path, coindex.read, print)
