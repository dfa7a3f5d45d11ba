"""The comparison of encoders: its corpora, a short run that can be repeated, and its page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
from benchmarks import bakeoff, measuring
from coindex.training.run import Stopped
from tiny_model import make_corpus, make_encoder

ROOT = Path(__file__).parents[2]
ROW = {"encoder": "tiny", "parameters": 2_500_000, "rate": 8e-5, "words_per_second": 1234}


def test_page():
    rows = [
        {**ROW, "gum": [10.04, 20.0], "litbank": [5.0, 6.0]},
        {**ROW, "encoder": "wide", "gum": [9.0, 21.0], "litbank": [7.0, 8.0]},
    ]
    last, first = bakeoff.page(rows).splitlines()[:-3:-1]
    assert first == "| wide | 2.5 | 8e-05 | 9.0 / 21.0 | 7.0 / 8.0 | 1,234 |"
    assert last == "| tiny | 2.5 | 8e-05 | 10.0 / 20.0 | 5.0 / 6.0 | 1,234 |"


def test_documents_without_commercial_use_are_excluded():
    blocks = [f"# newdoc id = GUM_{name}\n# meta::x = y\n1\tword\n\n" for name in ("news_a", "whow_b", "fiction_c")]
    lines = "".join([*blocks, blocks[0]]).splitlines(keepends=True)
    assert "".join(bakeoff.open_documents(lines)) == blocks[0] * 2


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Corpora of stories in the places of GUM and LitBank."""
    docs = list(coindex.read(make_corpus(tmp_path / "stories.jsonlines")))
    gum, litbank = tmp_path / "data/en_gum", tmp_path / "data/en_litbank/dev"
    gum.mkdir(parents=True)
    litbank.mkdir(parents=True)
    names = ["GUM_fiction_a", *(f"GUM_news_{number}" for number in range(3))]
    train = [doc.replace(id=name) for doc, name in zip(docs, names, strict=False)]
    for path, part in ((gum / "en_gum-train.conllu", train), (gum / "en_gum-corefud-dev.conllu", docs[4:5])):
        coindex.write(part, path, format="corefud")
    coindex.write(docs[5:6], litbank / "dev.conllu", format="corefud")
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path))
    monkeypatch.setattr(measuring, "RESULTS", tmp_path / "results")
    return tmp_path


def read_log(runs):
    return (runs / "one-8e-05/log.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.filterwarnings("ignore::coindex.errors.DataWarning")  # the stories have no heads
def test_run(world, monkeypatch):
    pytest.importorskip("torch")
    recipe = bakeoff.RECIPE.read_text(encoding="utf-8").replace("window = 510", "window = 200")
    recipe = recipe.replace("threads = 2", "threads = 1\nwindow = [100, 200]")  # tiny encoders have few positions
    monkeypatch.setattr(bakeoff, "RECIPE", world / "recipe.toml")
    bakeoff.RECIPE.write_text(recipe, encoding="utf-8")
    for name in ("one", "two"):
        make_encoder(world / name)
    runs = world / "runs"
    checks = []

    def interrupt(interrupts):
        checks.append(interrupts)
        if len(checks) == 2:
            raise Stopped("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(bakeoff.Interrupts, "check", interrupt)
        with pytest.raises(SystemExit, match="run the same command to continue one-8e-05"):
            bakeoff.main([str(world / "one"), "--runs", str(runs)])
    assert not (world / "results").exists()
    bakeoff.main([str(world / "one"), "--runs", str(runs)])
    assert json.loads(read_log(runs)[0]) == {"resumed": True, "epoch": 1, "step": 2}
    train = list(coindex.read(runs / "data/gum-train.conllu"))
    assert [doc.id for doc in train] == ["GUM_news_0", "GUM_news_1", "GUM_news_2"]
    scored = sum('"scores"' in line for line in read_log(runs))
    bakeoff.main([str(world / "one"), str(world / "two"), "--runs", str(runs), "--rate", "8e-5"])
    assert sum('"scores"' in line for line in read_log(runs)) == scored == 3
    rows = json.loads((world / "results/bakeoff.json").read_text(encoding="utf-8"))["runs"]
    assert [(row["encoder"], len(row["gum"]), len(row["litbank"])) for row in rows] == [("one", 3, 3), ("two", 3, 3)]
    from transformers import AutoModel

    model = AutoModel.from_pretrained(world / "one")
    assert {row["parameters"] for row in rows} == {sum(weight.numel() for weight in model.parameters())}
    assert "| two |" in (world / "results/bakeoff.md").read_text(encoding="utf-8")


def test_no_encoder(tmp_path):
    command = [sys.executable, "-m", "benchmarks", "bakeoff", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith(f"{tmp_path}: no model.safetensors")
