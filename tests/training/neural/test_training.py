"""A tiny model is trained, killed, resumed, saved, exported."""

import json
from dataclasses import replace

import pytest

import coindex

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from coindex.errors import CoindexError  # noqa: E402 - after the check for torch
from coindex.training.neural.data import strip_columns  # noqa: E402
from coindex.training.neural.folder import load_model  # noqa: E402
from coindex.training.neural.run import NeuralLoop, NeuralRun  # noqa: E402
from coindex.training.run import (  # noqa: E402
    CheckpointError,
    Stopped,
)


def test_learns_a_tiny_corpus(learned):
    _, rows = learned
    scores = [row["scores"]["stories"]["conll"] for row in rows if "scores" in row]
    assert len(scores) == 12
    assert max(scores) > 95


def test_the_processor_is_given_back_as_it_was(make_config, tmp_path):
    threads = torch.get_num_threads()
    NeuralRun.train(make_config(epochs=1), tmp_path / "run", coindex.read, lambda row: None)
    assert torch.tensor([1e-310], dtype=torch.float64).item() * 0.5 != 0.0, "tiny numbers are still flushed to zero"
    assert torch.get_num_threads() == threads


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


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_export_gives_the_same_entities(learned, corpus_path, tmp_path, bits):
    from coindex.training.neural.export import Agreement, export_model

    folder, _ = learned
    docs = [strip_columns(doc) for doc in coindex.read(corpus_path)]
    found = export_model(folder, tmp_path / "graphs", bits=bits, check=docs)
    assert found == Agreement(documents=12, entities=36)
    resolve = coindex.load(f"{tmp_path / 'graphs'}(scheme=stories, singletons=no)")
    found = resolve("Anna met Boris . She lost her dog .")
    assert ["Anna", "She", "her"] in [[mention.text for mention in entity.mentions] for entity in found.entities]
    assert not any(entity.is_singleton for entity in found.entities)


def weights(loop):
    return {name: weight.clone() for name, weight in loop.network.state_dict().items()}


def test_a_run_is_resumed_in_the_middle_of_an_epoch(make_config, tmp_path):
    config = make_config(epochs=2)
    whole = NeuralRun(config, tmp_path / "whole", coindex.read, lambda row: None).loop
    halfway = NeuralRun(config, tmp_path / "halfway", coindex.read, lambda row: None, tick=stop_at(1, 5)).loop
    whole.train_epoch()
    with pytest.raises(Stopped):
        halfway.train_epoch()
    halfway.save()

    again = NeuralRun(config, tmp_path / "halfway", coindex.read, lambda row: None).loop
    again.resume()
    assert again.done == 5
    again.train_epoch()
    assert all(torch.equal(value, weights(again)[name]) for name, value in weights(whole).items())
    assert all(torch.equal(whole.average.weights[name], again.average.weights[name]) for name in whole.average.weights)
    assert again.losses == whole.losses


def stop_at(epoch, step, dev=None):
    def tick(progress):
        if (progress.epoch, progress.step, progress.dev) == (epoch, step, dev):
            raise Stopped("enough")

    return tick


@pytest.mark.parametrize("place", [(1, 5), (1, 12), (2, 3), (1, 4, "stories"), (2, 12, "stories")])
def test_a_stopped_run_ends_as_an_unbroken_one(make_config, tmp_path, place):
    config = make_config(epochs=2)
    whole = NeuralRun.train(config, tmp_path / "whole", coindex.read, lambda row: None)
    with pytest.raises(Stopped):
        NeuralRun.train(config, tmp_path / "broken", coindex.read, lambda row: None, tick=stop_at(*place))
    rows = []
    broken = NeuralRun.train(config, tmp_path / "broken", coindex.read, rows.append)
    assert rows[0]["resumed"]
    for name in ("best", "last"):
        files = [(folder.parent / name / "model.safetensors").read_bytes() for folder in (whole, broken)]
        assert files[0] == files[1]


def test_a_run_that_is_planned_to_be_longer_takes_the_first_steps_of_the_longer_one(make_config, tmp_path):
    longer = NeuralRun(make_config(epochs=2), tmp_path / "longer", coindex.read, lambda row: None).loop
    planned = NeuralRun(make_config(epochs=1, planned=2), tmp_path / "planned", coindex.read, lambda row: None).loop
    shorter = NeuralRun(make_config(epochs=1), tmp_path / "shorter", coindex.read, lambda row: None).loop
    for loop in (longer, planned, shorter):
        loop.train_epoch()
    assert all(torch.equal(value, weights(planned)[name]) for name, value in weights(longer).items())
    assert any(not torch.equal(value, weights(shorter)[name]) for name, value in weights(longer).items())


def test_mixed_precision_changes_training_but_not_the_dtype_of_weights(make_config, tmp_path):
    full, mixed = (
        NeuralRun(make_config(epochs=1, precision=precision), tmp_path / precision, coindex.read, lambda row: None).loop
        for precision in ("float32", "bfloat16")
    )
    for loop in (full, mixed):
        loop.train_epoch()
    assert {weight.dtype for weight in weights(mixed).values()} == {torch.float32}
    assert mixed.losses != full.losses
    assert mixed.losses["link"] == pytest.approx(full.losses["link"], rel=0.1)


def test_a_partial_corpus_teaches_links_alone(make_config, tmp_path):
    config = make_config(epochs=1)
    partial = replace(config, corpora=(replace(config.corpora[0], partial=True), config.corpora[0]))
    loop = NeuralRun(partial, tmp_path / "run", coindex.read, lambda row: None).loop
    loop.start_epoch()
    rows = []
    for number, example in enumerate(loop.order):
        loop.done = number
        rows.append((example.is_partial, set(loop.compute_losses().parts)))
    assert {"tag" in parts for is_partial, parts in rows if is_partial} == {False}
    assert {"tag" in parts for is_partial, parts in rows if not is_partial} == {True}
    assert all("link" in parts for _, parts in rows)


def test_without_dev_the_last_model_is_kept(make_config, tmp_path):
    from dataclasses import replace

    config = make_config(epochs=2)
    config = replace(config, corpora=(replace(config.corpora[0], dev=None),))
    best = NeuralRun.train(config, tmp_path / "run", coindex.read, lambda row: None)
    assert json.loads((best / "model.json").read_text(encoding="utf-8"))["epoch"] == 2


def test_threads_and_licences_may_change_in_between(make_config, tmp_path):
    from dataclasses import replace

    config = make_config()
    NeuralRun(config, tmp_path / "run", coindex.read, lambda row: None).loop.save()
    other = replace(
        config,
        train=replace(config.train, threads=2, save_minutes=1.0),
        corpora=(replace(config.corpora[0], licence="CC BY"),),
    )
    NeuralRun(other, tmp_path / "run", coindex.read, lambda row: None).loop.resume()


def test_a_loss_of_nan_ends_the_run(make_config, tmp_path):
    run = NeuralRun(make_config(), tmp_path, coindex.read, lambda row: None)
    with torch.no_grad():
        run.trained.model.mentions.vector.weight.fill_(float("nan"))
    with pytest.raises(CoindexError, match=r"epoch 1, step 1 \(d\d+\): training diverged: the loss is nan"):
        run.loop.train_epoch()


def test_a_checkpoint_of_another_run_is_refused(make_config, tmp_path):
    run = NeuralRun(make_config(), tmp_path / "run", coindex.read, lambda row: None)
    run.loop.save()
    other = NeuralRun(make_config(seed=5), tmp_path / "run", coindex.read, lambda row: None)
    with pytest.raises(CheckpointError, match="another configuration"):
        other.loop.resume()


def test_a_run_is_not_resumed_after_its_initial_model_was_retrained(learned, make_config, tmp_path):
    import shutil
    from dataclasses import replace

    from coindex.training.neural.config import DistilConfig
    from coindex.training.neural.run import hash_models

    first, other = (
        tmp_path / "first",
        NeuralRun.train(make_config(epochs=1), tmp_path / "other", coindex.read, lambda row: None),
    )
    config = make_config(epochs=0)
    ways = [
        replace(config, model=replace(config.model, start=str(first))),
        replace(config, model=replace(config.model, start=str(learned[0]), mean=(str(first),))),
        replace(config, distil=DistilConfig(teachers=(str(first),), share=0.0, tag_weight=0.0)),
    ]
    shutil.copytree(learned[0], first)
    for number, way in enumerate(ways):
        NeuralRun.train(way, tmp_path / str(number), coindex.read, lambda row: None)
        NeuralRun(way, tmp_path / str(number), coindex.read, lambda row: None).loop.resume()
    shutil.rmtree(first)
    shutil.copytree(other, first)
    for number, way in enumerate(ways):
        with pytest.raises(CheckpointError, match="another configuration or other data"):
            NeuralRun.train(way, tmp_path / str(number), coindex.read, lambda row: None)
    (first / "model.safetensors").unlink()
    with pytest.raises(CoindexError, match=r"first: model\.safetensors is missing"):
        hash_models(ways[0])


def never(example, *_):
    pytest.fail("training has begun")


@pytest.mark.parametrize(
    ("docs", "match", "message"),
    [
        ("all", "hed", "unknown matching .*'hed'; did you mean head"),
        ("bare", "head", r"dev\.jsonlines: the dev corpus has no entities"),
        ("none", "head", r"dev\.jsonlines: the dev corpus has no documents"),
    ],
)
def test_what_cannot_be_scored_is_refused_before_training(
    make_config, corpus_path, tmp_path, monkeypatch, docs, match, message
):
    from dataclasses import replace

    def read(path):
        found = list(coindex.read(corpus_path))
        if path == corpus_path or docs == "all":
            return found
        return [doc.replace(entities=()) for doc in found] if docs == "bare" else []

    dev = tmp_path / "dev.jsonlines"
    dev.touch()
    config = make_config()
    config = replace(config, corpora=(replace(config.corpora[0], dev=str(dev), match=match),))
    monkeypatch.setattr(NeuralLoop, "compute_losses", never)
    with pytest.raises(CoindexError, match=message):
        NeuralRun.train(config, tmp_path / "run", read, lambda row: None)


def test_dev_corpora_of_one_name_do_not_replace_each_other(make_config, corpus_path, tmp_path):
    import shutil
    from dataclasses import replace

    paths = []
    for folder in "abcd":
        (tmp_path / folder).mkdir()
        paths.append(str(shutil.copy(corpus_path, tmp_path / folder / "dev.jsonlines")))
    config = make_config()
    config = replace(config, corpora=tuple(replace(config.corpora[0], dev=path) for path in paths))
    found = NeuralRun(config, tmp_path, coindex.read, lambda row: None).devs.by_name
    assert list(found) == ["stories", "stories (dev)", "stories (dev 2)", "stories (dev 3)"]
    assert [dev.path for dev in found.values()] == paths


def test_a_run_may_start_from_the_weights_of_another_with_more_features(learned, make_config, tmp_path):
    from dataclasses import replace

    from coindex.resolvers.neural.pairs import FEATURES

    config = make_config()
    grown = replace(config.model, start=str(learned[0]), features=tuple(FEATURES))
    run = NeuralRun(replace(config, model=grown), tmp_path / "run", coindex.read, lambda row: None)
    first = load_model(learned[0]).model.state_dict()
    assert all(torch.equal(weight, run.trained.model.state_dict()[name]) for name, weight in first.items())
    assert run.devs.by_name["stories"].score(run.trained.resolver("stories"))["conll"] > 95


def test_the_mean_of_two_models_is_scored_and_kept(make_config, tmp_path):
    from dataclasses import replace

    from safetensors.torch import load_file

    from coindex.training.neural.folder import WEIGHTS

    config = make_config(epochs=1)
    folders = []
    for seed in (1, 2):
        one = replace(config, train=replace(config.train, seed=seed))
        folders.append(NeuralRun.train(one, tmp_path / str(seed), coindex.read, lambda row: None))
    rows = []
    model = replace(config.model, start=str(folders[0]), mean=(str(folders[1]),))
    kept = NeuralRun.train(
        replace(config, model=model, train=replace(config.train, epochs=0)),
        tmp_path / "mean",
        coindex.read,
        rows.append,
    )
    first, second, both = (load_file(folder / WEIGHTS) for folder in (*folders, kept))
    name = "links.product.weight"
    assert not torch.equal(first[name], second[name])
    assert torch.allclose(both[name], (first[name] + second[name]) / 2)
    assert "conll" in rows[0]["scores"]["stories"]
    with pytest.raises(CoindexError, match="has other parts or sizes"):
        NeuralRun(
            replace(config, model=replace(model, mean=(str(narrower(config, tmp_path)),))),
            tmp_path / "bad",
            coindex.read,
            lambda row: None,
        )


def narrower(config, tmp_path):
    from dataclasses import replace

    small = replace(config, model=replace(config.model, pair=8))
    return NeuralRun.train(small, tmp_path / "narrower", coindex.read, lambda row: None)


def test_features_must_exist(make_config, tmp_path):
    from dataclasses import replace

    config = make_config()
    with pytest.raises(CoindexError, match="unknown feature of a pair 'distnce'; did you mean"):
        NeuralRun(
            replace(config, model=replace(config.model, features=("match", "distnce"))),
            tmp_path,
            coindex.read,
            lambda row: None,
        )


@pytest.mark.parametrize("section", ["train", "decode"])
def test_windows_must_fit_the_encoder(make_config, tmp_path, section):
    from dataclasses import replace

    config = make_config()
    window = {"train": (16, 301), "decode": 301}[section]
    config = replace(config, **{section: replace(getattr(config, section), window=window)})
    with pytest.raises(
        CoindexError, match=f"{section}: window: 301 pieces are too many for this encoder; use at most 300"
    ):
        NeuralRun(config, tmp_path, coindex.read, lambda row: None)
