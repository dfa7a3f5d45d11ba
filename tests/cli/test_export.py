"""`coindex export`: the same entities as before, or an error and nothing written."""

import json
import shutil
import sys

import pytest

from command import run
from tiny_model import small_disk, train_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    for package in ("torch", "transformers", "onnx", "onnxruntime"):
        pytest.importorskip(package)
    return train_model(tmp_path_factory.mktemp("export"))


def test_the_check_reports_that_the_entities_are_the_same(model, tmp_path):
    corpus = model.parents[2] / "stories.jsonlines"
    done = run("export", model, "-o", tmp_path / "graphs", "--check", corpus)
    assert done.code == 0, done.err
    assert done.out.decode().endswith(f"MB; same 36 entities as {model} in 12 documents\n")
    names = {file.name for file in (tmp_path / "graphs").iterdir()}
    assert names == {"model.json", "tokenizer.json", "words.onnx", "mentions.onnx", "links.onnx"}
    found = run(
        "resolve", "-", "-r", f"{tmp_path / 'graphs'}(scheme=stories)", "--to", "json", input=b"Anna met Boris ."
    )
    assert found.code == 0, found.err


def test_the_folder_is_named_after_the_model_and_the_texts_are_built_in(model, tmp_path):
    copy = tmp_path / "mine"
    shutil.copytree(model, copy)
    done = run("export", copy, "--weights", "32")
    assert done.code == 0, done.err
    assert done.out.decode().startswith(f"{tmp_path}/mine-onnx: ")
    assert " in 7 documents" in done.out.decode()


def test_fewer_bits_are_smaller(model, tmp_path):
    for bits in (4, 8, 16, 32):
        assert run("export", model, "-o", tmp_path / str(bits), "--weights", bits).code == 0
    sizes = [(tmp_path / bits / "words.onnx").stat().st_size for bits in ("4", "8", "16", "32")]
    assert sizes == sorted(set(sizes))


def test_a_difference_is_an_error_and_nothing_is_written(model, tmp_path, monkeypatch):
    from coindex.training.neural import export

    def zero(path, bits, table_bits):
        """Lose all weights on the way."""
        import onnx
        from onnx import numpy_helper

        graph = onnx.load(str(path))
        for weight in graph.graph.initializer:
            array = numpy_helper.to_array(weight)
            if array.dtype.kind == "f":
                weight.CopyFrom(numpy_helper.from_array(array * 0, weight.name))
        onnx.save(graph, str(path))

    monkeypatch.setattr(export, "shrink", zero)
    corpus = model.parents[2] / "stories.jsonlines"
    done = run("export", model, "-o", tmp_path / "graphs", "--check", corpus)
    assert done.code == 2
    assert "the exported model resolves d0 differently (scheme none)" in done.err
    assert "are new; export with --weights 32" in done.err
    assert list(tmp_path.iterdir()) == []


def test_an_exported_model_is_replaced_and_other_files_stay(model, tmp_path):
    target = tmp_path / "graphs"
    assert run("export", model, "-o", target, "--weights", "32").code == 0
    (target / "card.md").write_text("mine", encoding="utf-8")
    size = (target / "words.onnx").stat().st_size
    assert run("export", model, "-o", target).code == 0
    assert (target / "words.onnx").stat().st_size < size
    assert (target / "card.md").exists()


def test_a_full_disk_leaves_the_old_one(model, tmp_path):
    target = tmp_path / "graphs"
    assert run("export", model, "-o", target, "--weights", "32").code == 0
    before = {file.name: file.read_bytes() for file in target.iterdir()}
    with small_disk(len(before["words.onnx"]) // 2):
        done = run("export", model, "-o", target, "--weights", "32")
    assert done.code == 2
    assert "graphs: cannot be written: " in done.err
    assert "the previous version is unchanged" in done.err
    assert {file.name: file.read_bytes() for file in target.iterdir()} == before
    assert list(tmp_path.iterdir()) == [target]


def test_models_that_cannot_be_exported_are_refused(model, tmp_path):
    graphs = tmp_path / "graphs"
    assert run("export", model, "-o", graphs).code == 0
    again = run("export", graphs, "-o", tmp_path / "again")
    assert "model.safetensors is missing; use the folder that coindex train wrote" in again.err
    itself = run("export", model, "-o", model)
    assert "this is the folder of the trained model" in itself.err
    (tmp_path / "empty").mkdir()
    empty = run("export", tmp_path / "empty", "-o", tmp_path / "again")
    assert "cannot read model.json" in empty.err
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").write_bytes(b"cat")
    photos = run("export", model, "-o", tmp_path / "photos")
    assert "the folder contains other files" in photos.err
    assert [done.code for done in (again, itself, empty, photos)] == [2, 2, 2, 2]
    assert not (tmp_path / "again").exists()


def test_a_model_of_another_version_is_refused(model, tmp_path):
    copy = tmp_path / "mine"
    shutil.copytree(model, copy)
    data = json.loads((copy / "model.json").read_text(encoding="utf-8"))
    (copy / "model.json").write_text(json.dumps({**data, "version": 99}), encoding="utf-8")
    done = run("export", copy)
    assert done.code == 2
    assert "model version 99 is not supported; expected version" in done.err


def test_a_missing_package_is_named_with_its_remedy(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    done = run("export", tmp_path)
    assert done.code == 2
    assert "'torch', which is not installed; install it with: pip install 'coindex[train]'" in done.err
