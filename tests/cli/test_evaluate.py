"""`coindex evaluate`: the scores of `coindex score` on what `coindex resolve` finds, in one file."""

import hashlib
import json
import sys
from pathlib import Path

import pytest

import coindex
from coindex.resolvers.resolver import find_shipped_folder
from command import run
from corefud_text import GUM
from tiny_model import make_corpus, train_model

METRICS = ("--match", "exact", "--singletons", "--metrics", "muc,b3,ceafe")


@pytest.fixture
def corpus(tmp_path):
    return make_corpus(tmp_path / "stories.jsonlines")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    for package in ("torch", "transformers", "onnx", "onnxruntime"):
        pytest.importorskip(package)
    return train_model(tmp_path_factory.mktemp("evaluate"))


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_a_resolver_is_scored(corpus, tmp_path):
    done = run("evaluate", "are-baseline", corpus, "--language", "en", *METRICS, "-o", tmp_path / "out" / "result.json")
    assert done.code == 0, done.err
    data = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
    assert run("resolve", corpus, "-r", "are-baseline", "--language", "en", "-o", tmp_path / "r.jsonlines").code == 0
    expected = coindex.score(
        corpus, tmp_path / "r.jsonlines", match="exact", singletons=True, metrics=("muc", "b3", "ceafe")
    )
    found = data["corpora"]["stories"]
    assert {name: found[name] for name in expected.to_dict()} == expected.to_dict()
    assert expected.conll > 0
    assert found["hash"] == digest(corpus)
    assert (found["path"], found["documents"], found["words"]) == (corpus, 12, 192)
    assert found["words_per_second"] > 0
    assert data["signature"] == expected.signature
    assert data["resolver"] == "are-baseline"
    assert data["models"] == {}
    assert data["input"] == "raw tokens, sentences and speakers"
    assert data["coindex"] == coindex.__version__
    shown = done.out.decode()
    assert f"{100 * expected.conll:.2f}" in shown
    assert expected.signature in shown
    assert "are-baseline: 192 words, " in shown


def test_the_hash_of_a_shipped_model_is_reported_despite_local_folders(corpus, tmp_path, monkeypatch):
    (tmp_path / "en-small").mkdir()
    (tmp_path / "en-small" / "model.json").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = run("evaluate", "en-small", corpus, *METRICS, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["models"] == {"en-small": digest(find_shipped_folder("en-small") / "model.json")}


def test_mentions_can_be_those_of_the_corpus(corpus):
    arguments = ("evaluate", "are-baseline", corpus, "--language", "en", "--match", "exact", "--metrics", "mentions")
    arguments += ("--singletons", "--mentions", "given")
    shown = run(*arguments)
    assert shown.code == 0, shown.err
    assert "are-baseline, given mentions: 192 words, " in shown.out.decode()
    data = json.loads(run(*arguments, "--json").out)
    assert data["mentions"] == "given"
    assert data["corpora"]["stories"]["metrics"]["mentions"]["recall"] == 1


def test_several_corpora_have_a_mean(corpus, tmp_path):
    (tmp_path / "other").mkdir()
    lines = Path(corpus).read_text(encoding="utf-8").splitlines()
    (tmp_path / "other" / "few.jsonlines").write_text("\n".join(lines[:5]) + "\n", encoding="utf-8")
    done = run("evaluate", "are-baseline", corpus, tmp_path / "other", "--language", "en", *METRICS, "--json")
    data = json.loads(done.out)
    one, two = (data["corpora"][name]["conll"] for name in ("stories", "other"))
    assert data["macro"]["conll"] == pytest.approx((one + two) / 2)
    assert "macro:2" in data["signature"]
    table = run("evaluate", "are-baseline", corpus, tmp_path / "other", "--language", "en", *METRICS).out.decode()
    assert "macro average" in table


def test_trees_are_seen_only_where_they_are_asked_for(tmp_path):
    path = tmp_path / "gum.conllu"
    path.write_text(GUM, encoding="utf-8")
    raw = run("evaluate", "sieves", path)
    assert raw.code == 2
    assert "sieves needs trees, but gets raw tokens" in raw.err
    assert "--columns keep" in raw.err
    kept = run("evaluate", "sieves", path, "--columns", "keep", "--json")
    assert kept.code == 0, kept.err
    assert json.loads(kept.out)["input"] == "all columns of the corpus"


def test_a_trained_model_scores_as_it_did_in_training(model, tmp_path):
    corpus = model.parents[2] / "stories.jsonlines"
    done = run("evaluate", f"{model}(scheme=stories)", corpus, *METRICS, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    said = json.loads((model / "model.json").read_text(encoding="utf-8"))["scores"][-1]["scores"]["stories"]
    assert round(100 * found["macro"]["conll"], 2) == said["conll"] > 95
    assert found["signature"] == said["signature"]
    assert found["models"] == {str(model): digest(model / "model.json")}
    assert run("export", model, "-o", tmp_path / "graphs").code == 0
    exported = json.loads(run("evaluate", f"{tmp_path}/graphs(scheme=stories)", corpus, *METRICS, "--json").out)
    assert exported["macro"] == found["macro"]


def test_a_model_folder_needs_no_slash(model, monkeypatch):
    monkeypatch.chdir(model.parent)
    done = run("evaluate", "best", model.parents[2] / "stories.jsonlines", *METRICS)
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("siev", "unknown resolver 'siev'; did you mean sieves"),
        ("sieves + sieves", "finds entities from scratch"),
        ("./none", "cannot read model.json"),
        ("are-baseline(x=1)", "x"),
    ],
)
def test_an_unknown_resolver_is_refused(corpus, name, message):
    done = run("evaluate", name, corpus)
    assert done.code == 2
    assert message in done.err


def test_a_corpus_without_entities_is_refused(tmp_path):
    (tmp_path / "plain.txt").write_text("Anna left.", encoding="utf-8")
    done = run("evaluate", "are-baseline", tmp_path / "plain.txt", "-o", tmp_path / "result.json")
    assert done.code == 2
    assert "plain.txt: the corpus has no entities to score against" in done.err
    assert not (tmp_path / "result.json").exists()


def test_a_trained_model_without_torch_names_the_remedy(tmp_path, corpus, monkeypatch):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.json").write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "torch", None)
    done = run("evaluate", folder, corpus)
    assert done.code == 2
    assert "pip install 'coindex[train]'" in done.err
