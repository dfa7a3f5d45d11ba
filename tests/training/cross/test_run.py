"""`coindex train` for collections: a folder that describes itself and resolves, whatever ends the run in between."""

import json

import pytest

import coindex
from command import run
from tiny_cross import CONFIG, documents

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("sklearn")

from coindex.training.run import Stopped  # noqa: E402 - after the check for torch

FILES = ["entity.npz", "event.npz", "lower.onnx", "model.json", "plain.onnx", "tags.onnx", "tokenizer.json"]


@pytest.fixture(scope="module")
def model(here, tmp_path_factory):
    """The folder of a model that has learned the training topics, with two folds."""
    folder = tmp_path_factory.mktemp("run")
    done = run("train", here / "tiny.toml", "-o", folder, "--set", "train.epochs=10", "--set", "train.folds=2")
    assert done.code == 0, done.err
    assert done.out.decode().startswith(f"model: {folder}/best; use it with: coindex resolve FOLDER --cross -r ")
    assert "tagger 1, epoch 10, step 5 of 5" in done.err
    assert '"signature": "coindex|ecb-topic@1|' in done.err
    return folder / "best"


def test_the_folder_describes_itself(model, here):
    assert sorted(file.name for file in model.iterdir()) == FILES
    said = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert said["kind"] == "cross"
    assert said["config"]["corpus"]["path"] == "news"
    assert str(here) not in json.dumps(said)
    assert sorted(said["weights"]) == sorted(set(FILES) - {"model.json"})
    assert said["licences"] == {"news": "CC0", "WordNet 3.0": "WordNet 3.0 license"}
    assert set(said["scores"]["mentions"]) == {"event", "entity"}
    assert said["tags"]["entity"]["types"] == ["HUMAN", "LOC"]


def test_it_resolves_by_its_path(model, here, tmp_path):
    done = run("resolve", here / "news", "--cross", "-r", model, "-o", tmp_path / "out.json")
    assert done.code == 0, done.err
    docs = list(coindex.read(tmp_path / "out.json"))
    assert len(docs) == 12
    ids = [{entity.id for entity in doc.entities} for doc in docs]
    assert ids[0] & ids[1], "what two documents of a topic tell is one"
    assert not ids[0] & ids[3], "topics are kept apart"
    by = {mention.attributes["by"] for doc in docs for mention, _ in doc.mentions()}
    assert by == {"tiny-cross/link"}


def test_a_finished_run_is_not_done_again(model, here):
    rows = (model.parent / "log.jsonl").read_text(encoding="utf-8").splitlines()
    done = run("train", here / "tiny.toml", "-o", model.parent, "--set", "train.epochs=10", "--set", "train.folds=2")
    assert done.code == 0, done.err
    again = (model.parent / "log.jsonl").read_text(encoding="utf-8").splitlines()[len(rows) :]
    assert not any("step" in json.loads(row) for row in again)


def stop_at(number):
    """Raises at that step."""
    steps = []

    def tick(progress):
        steps.append(progress)
        if len(steps) == number:
            raise Stopped("enough")

    return tick


def test_a_resumed_run_has_the_same_result(here, tmp_path):
    changes = {"train.folds": 2}
    whole = coindex.api.train(here / "tiny.toml", tmp_path / "whole", changes=changes)
    for number in (3, 9, 2):  # in the tagger, then in those of folds
        with pytest.raises(Stopped):
            coindex.api.train(here / "tiny.toml", tmp_path / "broken", changes=changes, tick=stop_at(number))
        assert not (tmp_path / "broken" / "best").exists()
    broken = coindex.api.train(here / "tiny.toml", tmp_path / "broken", changes=changes)
    for name in FILES:
        assert (whole / name).read_bytes() == (broken / name).read_bytes(), name


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "tiny-cross"', 'name = "tiny-cross"\nnames = 1', "names"),
        ('dev = ["4"]', 'dev = ["4", "7"]', "no document of topic '7'"),
        ("frozen = 1", "frozen = 7", "2 layers"),
        ('path = "news"', 'path = "elsewhere"', "does not exist"),
        ("window = 40", "window = 400", "at most 300"),
    ],
)
def test_invalid_configurations_are_refused(here, tmp_path, old, new, said):
    path = here / "wrong.toml"
    path.write_text(CONFIG.replace(old, new), encoding="utf-8")
    done = run("train", path, "-o", tmp_path / "run")
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "run" / "best").exists()


def test_a_tagger_of_events_alone_leaves_entities_out(here, tmp_path):
    best = coindex.api.train(here / "tiny.toml", tmp_path / "run", changes={"model.kinds": ["event"]})
    docs = list(coindex.load(f"{best}(topics=none, singletons=yes)").pipe(documents()))
    assert {entity.kind for doc in docs for entity in doc.entities} <= {"event"}


def test_an_encoder_whose_layers_are_all_frozen_is_exported(here, tmp_path):
    best = coindex.api.train(here / "tiny.toml", tmp_path / "run", changes={"model.frozen": 2, "train.epochs": 12})
    docs = list(coindex.load(f"{best}(topics=none, singletons=yes)").pipe(documents()))
    assert any(doc.entities for doc in docs)


def test_a_checkpoint_of_version_0_1_is_resumed(here, tmp_path):
    """Up to then the steps of all epochs were counted together, and the loss was one number."""
    whole = coindex.api.train(here / "tiny.toml", tmp_path / "whole")
    with pytest.raises(Stopped):
        coindex.api.train(here / "tiny.toml", tmp_path / "old", tick=stop_at(7))
    state = torch.load(tmp_path / "old" / "tagger.pt", weights_only=True)
    assert (state["epoch"], state["done"]) == (1, 2)
    old = {name: state[name] for name in ("fingerprint", "optimiser", "average", "finished", "member", "seconds")}
    old |= {"weights": state["model"], "done": 7, "loss": state["losses"]["tag"]}
    torch.save(old, tmp_path / "old" / "tagger.pt")
    rows = []
    resumed = coindex.api.train(here / "tiny.toml", tmp_path / "old", report=rows.append)
    assert rows[0] == {"resumed": True, "tagger": "tagger", "member": 1, "epoch": 2, "step": 2}
    for name in FILES:
        assert (whole / name).read_bytes() == (resumed / name).read_bytes(), name
