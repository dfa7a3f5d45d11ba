"""The model folder describes its contents, and is refused if they differ from the description."""

import hashlib
import json
import shutil

import pytest

import coindex

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from coindex.errors import CoindexError  # noqa: E402 - after the check for torch
from coindex.training.neural.folder import load_model  # noqa: E402
from coindex.training.neural.run import NeuralRun  # noqa: E402


@pytest.fixture(scope="module")
def model(tmp_path_factory, encoder_path, corpus_path):
    """A model trained for an epoch."""
    from coindex.training.neural.config import Config, CorpusConfig, ModelConfig, TrainConfig

    config = Config(
        name="tiny",
        model=ModelConfig(encoder=encoder_path, mention=32, query=16, pair=16, tag_hidden=32),
        corpora=(
            CorpusConfig(name="stories", train=corpus_path, licence="CC0"),
            CorpusConfig(name="tales", train=corpus_path, dev=corpus_path, match="exact", licence="CC BY 4.0"),
        ),
        train=TrainConfig(epochs=1, window=(16, 40), seed=7),
    )
    return NeuralRun.train(config, tmp_path_factory.mktemp("run"), coindex.read, lambda row: None)


def test_corpora_of_one_name_keep_all_licences():
    from coindex.training.neural.config import CorpusConfig
    from coindex.training.neural.run import list_licences

    corpora = [CorpusConfig(name=name, licence=licence) for name, licence in (("a", "CC0"), ("b", ""), ("a", "MIT"))]
    assert list_licences([*corpora, corpora[0]]) == {"a": "CC0; MIT"}


def test_it_describes_itself(model, corpus_path):
    data = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert data["coindex"] == coindex.__version__
    assert data["corpora"] == ["stories", "tales"]
    assert data["licences"] == {"stories": "CC0", "tales": "CC BY 4.0"}
    assert data["seed"] == data["config"]["train"]["seed"] == 7
    assert data["epoch"] == 1
    assert data["torch"] == torch.__version__
    assert list(data["scores"][0]["scores"]) == ["tales"]
    assert data["scores"][0]["scores"]["tales"]["signature"].startswith("coindex|crac24@1|match:exact")
    with open(corpus_path, "rb") as stream:
        assert data["data"] == {corpus_path: hashlib.sha256(stream.read()).hexdigest()}


def test_it_has_the_hash_of_each_of_its_files(model):
    data = json.loads((model / "model.json").read_text(encoding="utf-8"))
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in model.iterdir()}
    del found["model.json"]
    assert data["weights"] == found


def edit(old, new):
    def spoil(folder):
        path = folder / "model.json"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return spoil


def forget(name):
    """Remove a file and its hash, as an older version may have left it out."""

    def spoil(folder):
        (folder / name).unlink()
        path = folder / "model.json"
        data = json.loads(path.read_text(encoding="utf-8"))
        del data["weights"][name]
        path.write_text(json.dumps(data), encoding="utf-8")

    return spoil


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (edit('"version": ', '"version": 9'), r"version 9\d is not supported; expected version"),
        (lambda folder: (folder / "model.safetensors").unlink(), r"model\.safetensors is missing"),
        (lambda folder: (folder / "tokenizer.json").unlink(), r"tokenizer\.json is missing"),
        (
            lambda folder: (folder / "model.safetensors").write_bytes(b"x"),
            "differs from the file that the model was saved with",
        ),
        (
            lambda folder: (folder / "encoder.json").write_text("{}"),
            "differs from the file that the model was saved with",
        ),
        (lambda folder: (folder / "model.json").write_text("{"), r"cannot read model\.json"),
        (forget("model.safetensors"), r"model\.safetensors is missing; use the folder that coindex train wrote"),
        (edit('"mention": 32', '"mention": 64'), "the weights do not match model.json"),
        (edit('"mention": 32', '"mentoin": 32'), "unknown key in .*'mentoin'; did you mean mention"),
    ],
)
def test_a_spoilt_folder_is_refused(model, tmp_path, spoil, message):
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    spoil(folder)
    with pytest.raises(CoindexError, match=message):
        load_model(folder)


def test_it_is_a_resolver_by_its_path(model):
    resolve = coindex.load(f"{model}(scheme=tales)")
    assert resolve("Anna met Boris .").tokens.forms == ["Anna", "met", "Boris", "."]
    with pytest.raises(CoindexError, match="'nix'"):
        coindex.load(f"{model}(scheme=nix)")
