"""Runs start from exported models: the graphs give back the weights of the network."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import coindex

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from coindex.errors import CoindexError  # noqa: E402 - after torch
from coindex.training.neural.export import export_model, quantise, quantise_blocks, quantise_table  # noqa: E402
from coindex.training.neural.folder import load_model  # noqa: E402
from coindex.training.neural.run import NeuralRun  # noqa: E402
from coindex.training.neural.start import restore, split_table  # noqa: E402


def started(config, folder, start):
    """Return the network of a run that starts from a model."""
    config = replace(config, model=replace(config.model, start=str(start)))
    return NeuralRun(config, folder, coindex.read, lambda row: None)


@pytest.mark.parametrize(("bits", "table_bits", "error"), [(32, 8, 1e-5), (16, 8, 2e-3), (8, 8, 0.02), (4, 4, 0.2)])
def test_weights_are_read_back(learned, make_config, tmp_path, bits, table_bits, error):
    export_model(learned[0], tmp_path / "graphs", bits=bits, table_bits=table_bits)
    run = started(make_config(), tmp_path / "run", tmp_path / "graphs")
    expected, got = load_model(learned[0]).model.state_dict(), run.trained.model.state_dict()
    for name, weight in expected.items():
        if not name.startswith("links.features."):  # only their sums are known
            assert torch.allclose(got[name], weight, atol=error * float(weight.abs().max())), name
    if bits > 4:
        assert run.devs.by_name["stories"].score(run.trained.resolver("stories"))["conll"] > 95


def test_trees_and_types_are_read_back(make_config, tmp_path):
    garden = str(Path(__file__).parents[3] / "examples" / "garden.conllu")
    config = make_config(epochs=1)
    model = replace(config.model, syntax=True, types=("person", "object"))
    config = replace(config, model=model, corpora=(replace(config.corpora[0], train=garden, dev=garden),))
    best = NeuralRun.train(config, tmp_path / "first", coindex.read, lambda row: None)
    export_model(best, tmp_path / "graphs", bits=32)
    run = started(config, tmp_path / "second", tmp_path / "graphs")
    expected, got = load_model(best).model.state_dict(), run.trained.model.state_dict()
    parts = ("lessons.child.", "lessons.parent.", "lessons.types.")  # others are not exported
    lessons = [name for name in expected if name.startswith(parts)]
    assert lessons
    for name in lessons:
        assert torch.equal(got[name], expected[name])


def test_the_mean_of_a_trained_and_an_exported_model(learned, make_config, tmp_path):
    export_model(learned[0], tmp_path / "graphs", bits=32)
    config = make_config(epochs=0)
    model = replace(config.model, start=str(tmp_path / "graphs"), mean=(str(tmp_path / "graphs"),))
    rows = []
    NeuralRun.train(replace(config, model=model), tmp_path / "run", coindex.read, rows.append)
    assert rows[0]["scores"]["stories"]["conll"] > 95


def test_a_network_of_another_size_is_refused(learned, make_config, tmp_path):
    export_model(learned[0], tmp_path / "graphs", bits=32)
    config = make_config()
    with pytest.raises(CoindexError) as raised:
        started(replace(config, model=replace(config.model, pair=8)), tmp_path / "run", tmp_path / "graphs")
    assert raised.value.code == "invalid-model"


def test_a_model_learns_a_further_corpus(learned, make_config, tmp_path):
    """As when a shipped model is tuned on one's own annotation, which has other tags."""
    nested = tmp_path / "nested.conll"
    nested.write_text(
        "#begin document (tales); part 000\n"
        + "".join(
            f"tales\t0\t{number}\t{word}\t-\t-\t-\t-\t-\t-\t-\t{entity}\n"
            for number, (word, entity) in enumerate(
                [("Her", "(1|(2|(3)"), ("aunt", "2)"), ("dog", "1)"), ("ate", "-"), ("its", "(4|(1)"), ("bone", "4)")]
            )
        )
        + "\n#end document\n",
        encoding="utf-8",
    )
    export_model(learned[0], tmp_path / "graphs", bits=32)
    config = make_config(epochs=1)
    corpora = (replace(config.corpora[0], name="tales", train=str(nested), dev=str(nested)),)
    run = started(replace(config, corpora=corpora), tmp_path / "run", tmp_path / "graphs")
    first = load_model(learned[0])
    assert run.trained.corpora == ("stories", "tales")
    assert set(run.trained.detector.names) > set(first.detector.names)
    tags = [run.trained.detector.number[tag] for tag in first.detector.names]
    weights, expected = run.trained.model.state_dict(), first.model.state_dict()
    for name, rows in (("words.tagger.3.weight", tags), ("words.corpus_out.weight", [0, 1])):
        assert torch.allclose(weights[name][rows], expected[name], atol=1e-5)
    docs = list(coindex.read(config.corpora[0].dev))
    clusters = [[run.trained.resolver("stories")(doc), first.resolver("stories")(doc)] for doc in docs[:3]]
    assert all(
        [[m.text for m in e.mentions] for e in got.entities] == [[m.text for m in e.mentions] for e in known.entities]
        for got, known in clusters
    )
    run.run()


def test_tables_are_split_into_sums():
    one, two, three = torch.randn(2, 4), torch.randn(3, 4), torch.randn(5, 4)
    joint = (one[:, None, None] + two[None, :, None] + three[None, None]).reshape(30, 4)
    parts = split_table(joint, [2, 3, 5])
    again = (parts[0][:, None, None] + parts[1][None, :, None] + parts[2][None, None]).reshape(30, 4)
    assert torch.allclose(again, joint, atol=1e-5)
    assert torch.equal(split_table(one, [2])[0], one)


def test_rounded_numbers_are_restored():
    array = np.random.default_rng(1).normal(size=(6, 64)).astype(np.float32)
    numbers, scale = quantise(array, 1)
    assert np.array_equal(restore(numbers, scale), numbers * scale)
    numbers, scale = quantise_blocks(array)  # as a matrix of products [inputs, outputs]
    stored = (numbers + 8).astype(np.uint8)
    matrix = restore(stored[..., 0::2] | stored[..., 1::2] << 4, scale.reshape(-1))
    assert np.allclose(matrix, (numbers * scale).reshape(6, 64).T)
    numbers, scale = quantise_table(array)
    stored = (numbers.reshape(6, 64) + 8).astype(np.uint8)
    table = restore(stored[:, :32] | stored[:, 32:] << 4, scale.reshape(6, 2).astype(np.float16))
    assert np.allclose(table, (numbers * scale).reshape(6, 64))
