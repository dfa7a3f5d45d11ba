"""`coindex experiment`: each experiment from its beginning to its end, and what happens when it is killed between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
from coindex.cli.training import Interrupts
from command import run
from tiny_model import CONFIG, make_corpus, make_run
from waiting import wait_until

ONE = ("--set", "train.epochs=1")
PLAIN = CONFIG.replace('encoder = "encoder"', 'encoder = "some/encoder"')


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a configuration, its encoder, a training corpus and a key of other documents."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    folder = make_run(tmp_path_factory.mktemp("experiment") / "here").parent
    lines = (folder / "stories.jsonlines").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "stories.jsonlines").write_text("".join(lines[:8]), encoding="utf-8")
    (folder / "key.jsonlines").write_text("".join(lines[8:]), encoding="utf-8")
    return folder


def cells(folder: Path) -> dict[str, dict[str, object]]:
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (folder / "cells").glob("*.json")}
    return dict(sorted(found.items()))


def test_size(here: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    arguments = ("experiment", "size", here / "tiny.toml", here / "key.jsonlines", "-o", tmp_path / "size", *ONE)
    arguments = (*arguments, "--sizes", "2,8", "--pick", "random", "--pick", "high", "--plot", tmp_path / "curve.svg")
    done = run(*arguments)
    assert done.code == 0, done.err
    found = cells(tmp_path / "size")
    assert list(found) == ["all", "high-2", "random-2"]
    assert "random-2 (1 of 4): training on 2 documents" in done.err
    assert "all (4 of 4): already done" in done.err
    shown = done.out.decode()
    assert f"{100 * found['all']['conll']:.2f}" in shown  # type: ignore[operator]
    assert "coindex|crac24@1|match:exact|sing:yes|" in shown
    assert "coindex|overlap:preco@1|" in shown
    expected = coindex.overlap(here / "stories.jsonlines", here / "key.jsonlines")
    assert found["all"]["training"]["oov"] == expected.oov  # type: ignore[index]
    # no word comes ten times in two documents, so that rare words are in all wrong links
    assert found["random-2"]["training"]["lfw"] == 1  # type: ignore[index]
    assert (tmp_path / "curve.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert (tmp_path / "curve-lfw.svg").exists()
    assert sorted(path.name for path in (tmp_path / "size").iterdir()) == ["cells", "results.csv"]
    again = run(*arguments, "--format", "csv")
    assert "training" not in again.err
    assert again.out == (tmp_path / "size" / "results.csv").read_bytes()


def test_a_cell_is_what_train_and_evaluate_would_give(here: Path, tmp_path: Path) -> None:
    config = tmp_path / "plain.toml"
    text = (here / "tiny.toml").read_text(encoding="utf-8").replace('dev = "stories.jsonlines"\n', "")
    config.write_text(text.replace('"encoder"', json.dumps(str(here / "encoder"))), encoding="utf-8")
    best = coindex.train(config, tmp_path / "run", data=here, changes={"train.epochs": 1})
    key = here / "key.jsonlines"
    expected = coindex.evaluate(f"{best}(scheme=stories)", [key], match="exact", singletons=True).total
    done = run("experiment", "size", here / "tiny.toml", key, "-o", tmp_path / "size", "--sizes", 8, *ONE)
    assert done.code == 0, done.err
    found = cells(tmp_path / "size")["all"]
    assert found["conll"] == expected.conll
    assert found["signature"] == expected.signature


def test_overlap(here: Path, tmp_path: Path) -> None:
    out = tmp_path / "overlap"
    done = run("experiment", "overlap", here / "tiny.toml", here / "key.jsonlines", "-o", out, "--groups", 2, *ONE)
    assert done.code == 0, done.err
    first, second = cells(out).values()
    assert (first["name"], first["training"]["documents"]) == ("s1", 4)  # type: ignore[index]
    assert first["about"]["documents"] != second["about"]["documents"]  # type: ignore[index]


def test_annotation(here: Path, tmp_path: Path) -> None:
    records = [json.loads(line) for line in (here / "stories.jsonlines").read_text(encoding="utf-8").splitlines()]
    once = tmp_path / "once.jsonlines"
    lines = [json.dumps({**one, "clusters": one["clusters"][:1]}) for one in records]
    once.write_text("\n".join(lines) + "\n", encoding="utf-8")
    versions = (f"once={once}", f"merged={here / 'stories.jsonlines'}")
    arguments = ("experiment", "annotation", here / "tiny.toml", here / "key.jsonlines", *versions)
    done = run(*arguments, "-o", tmp_path / "a", "--set", "train.epochs=3", "--keep-models")
    assert done.code == 0, done.err
    assert "warning" not in done.err
    found = cells(tmp_path / "a")
    assert found["merged"]["training"]["entities"] == 24  # type: ignore[index]
    assert found["once"]["training"]["entities"] == 8  # type: ignore[index]
    assert found["merged"]["scores"] != found["once"]["scores"]
    (model,) = (tmp_path / "a" / "runs").glob("once-*")
    data = json.loads((model / "best" / "model.json").read_text(encoding="utf-8"))
    assert (data["seed"], list(data["data"])) == (1, [str(once)])

    once.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
    refused = run(*arguments, "-o", tmp_path / "a", "--set", "train.epochs=3")
    assert refused.code == 2
    assert "once.json: the results were computed with different data" in refused.err
    less = tmp_path / "less.jsonlines"
    less.write_text(lines[0] + "\n", encoding="utf-8")
    other = run(*arguments[:4], f"once={once}", f"less={less}", "-o", tmp_path / "b", *ONE)
    assert "the annotations are of different texts" in other.err


def test_mentions(here: Path, tmp_path: Path) -> None:
    arguments = ("experiment", "mentions", here / "tiny.toml", here / "key.jsonlines", "-o", tmp_path / "m", *ONE)
    done = run(*arguments, "--mentions", "detected", "--mentions", "given", "--format", "json")
    assert done.code == 0, done.err
    detected, given = cells(tmp_path / "m").values()
    assert given["scores"]["mentions"] == {"recall": 1.0, "precision": 1.0, "f1": 1.0}  # type: ignore[index]
    assert detected["scores"]["mentions"]["f1"] < 1  # type: ignore[index]
    assert given["about"]["settings"]["train"]["tag_weight"] == 0  # type: ignore[index]
    rows = json.loads(done.out)["tables"][0]["rows"]
    assert [row["mentions"] for row in rows] == ["detected", "given"]


def test_a_key_that_is_trained_on_is_warned_of(here: Path, tmp_path: Path) -> None:
    config, key = here / "tiny.toml", here / "stories.jsonlines"
    done = run("experiment", "size", config, key, "-o", tmp_path / "size", "--sizes", "1,2", *ONE)
    assert done.code == 0
    assert done.err.count("documents also occur in the training data, word for word") == 1


# --- killed, and gone on


_check = Interrupts.check


def interrupted(self: Interrupts) -> None:
    """As if somebody pressed Ctrl-C at the first step."""
    _check(self)
    signal.raise_signal(signal.SIGINT)
    _check(self)


def test_a_killed_experiment_is_resumed(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "size"
    arguments = ["experiment", "size", here / "tiny.toml", here / "key.jsonlines", "--sizes", "1,4"]
    arguments += ["--set", "train.epochs=6", "--set", "train.save_minutes=0"]

    command = [sys.executable, "-m", "coindex", *map(str, arguments), "-o", str(out)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    wait_until(lambda: list(out.glob("cells/random-1.json")), process)
    wait_until(lambda: list(out.glob("runs/random-4-*/checkpoint.pt")), process)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert list(cells(out)) == ["random-1"]
    first = (out / "cells" / "random-1.json").stat().st_mtime_ns

    with monkeypatch.context() as patch:
        patch.setattr(Interrupts, "check", interrupted)
        stopped = run(*arguments, "-o", out)
    assert stopped.code == 130
    assert "resumed in epoch" in stopped.err
    assert f"finished parts are saved in {out}; run the same command to continue" in stopped.err
    assert "Traceback" not in stopped.err
    assert list(cells(out)) == ["random-1"]

    done = run(*arguments, "-o", out)
    assert done.code == 0, done.err
    assert "random-1 (1 of 2): already done" in done.err
    assert "resumed in epoch" in done.err
    assert (out / "cells" / "random-1.json").stat().st_mtime_ns == first
    assert run(*arguments, "-o", tmp_path / "whole").code == 0
    assert cells(out) == cells(tmp_path / "whole")
    assert (out / "results.csv").read_bytes() == (tmp_path / "whole" / "results.csv").read_bytes()


def test_a_stopped_cell_is_resumed_from_python(here: Path, tmp_path: Path) -> None:
    from coindex.api.experiments import size_experiment
    from coindex.training.run import Progress, Stopped

    def stop(progress: Progress) -> None:
        if progress.step == 2:
            raise Stopped("enough")

    out = tmp_path / "size"
    with pytest.raises(Stopped):
        size_experiment(here / "tiny.toml", here / "key.jsonlines", out, sizes=[3], tick=stop)
    assert list(out.glob("runs/random-3-*/checkpoint.pt"))
    assert not (out / "cells").exists()
    assert size_experiment(here / "tiny.toml", here / "key.jsonlines", out, sizes=[3]).outcomes[0].conll is not None


def test_seeds_can_be_added_and_are_averaged(here: Path, tmp_path: Path) -> None:
    arguments = ("experiment", "size", here / "tiny.toml", here / "key.jsonlines", "-o", tmp_path / "s", "--sizes", 2)
    assert run(*arguments, *ONE, "--seed", 3).code == 0
    done = run(*arguments, *ONE, "--seed", 3, "--seeds", 2)
    assert done.code == 0, done.err
    assert "random-2 (1 of 2): already done" in done.err
    found = cells(tmp_path / "s")
    assert list(found) == ["random-2", "random-2-seed4"]
    assert "Means over the seeds 3, 4" in done.out.decode()
    mean = sum(one["conll"] for one in found.values()) / 2  # type: ignore[misc]
    assert f"{100 * mean:.2f}" in done.out.decode()
    refused = run("experiment", "mentions", "are-baseline", here / "key.jsonlines", "-o", tmp_path / "m", "--seeds", 2)
    assert refused.code == 2
    assert "is not trained here, so seeds has no effect" in refused.err


def test_another_seed_is_another_experiment(here: Path, tmp_path: Path) -> None:
    arguments = ("experiment", "size", here / "tiny.toml", here / "key.jsonlines", "-o", tmp_path / "s", "--sizes", 2)
    assert run(*arguments, *ONE).code == 0
    refused = run(*arguments, *ONE, "--seed", 5)
    assert refused.code == 2
    assert "computed with different documents and settings" in refused.err
    assert run(*arguments, *ONE, "--threads", 2).code == 0  # that changes nothing
    before = cells(tmp_path / "s")
    assert run(*arguments, *ONE, "--seed", 5, "--restart").code == 0
    assert cells(tmp_path / "s")["random-2"]["about"] != before["random-2"]["about"]


# --- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["size", "CONFIG", "KEY", "--sizes", "2,90"], "a subset cannot have 90 documents"),
        (["size", "CONFIG", "KEY", "--set", "train.epoch=1"], "did you mean epochs"),
        (["size", "CONFIG", "KEY", "--corpus", "gum"], "unknown corpus to train on 'gum'"),
        (["size", "CONFIG", "KEY", "--plot", "curve.gif"], "use a file name that ends in .svg or .png"),
        (["overlap", "CONFIG", "KEY", "--groups", "9"], "9 groups of 1 documents are more than the 8"),
        (["annotation", "CONFIG", "KEY", "once=missing"], "missing: the corpus"),
        (["annotation", "CONFIG", "KEY", "once"], "write it as NAME=VALUE"),
        (["mentions", "CONFIG", "EMPTY"], "the key has no entities"),
    ],
)
def test_bad_input_is_refused(here: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    empty = tmp_path / "empty.jsonlines"
    empty.write_text('{"doc_key": "d", "sentences": [["Yes"]], "clusters": []}\n', encoding="utf-8")
    names = {"CONFIG": here / "tiny.toml", "KEY": here / "key.jsonlines", "EMPTY": empty}
    done = run("experiment", *(names.get(one, one) for one in arguments), "-o", tmp_path / "out")
    assert (done.code, done.out) == (2, b"")
    assert message in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out").exists()


def test_training_without_torch_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.toml").write_text(PLAIN, encoding="utf-8")
    key = make_corpus(tmp_path / "stories.jsonlines")
    monkeypatch.setitem(sys.modules, "torch", None)
    for kind in ("size", "overlap", "mentions"):
        done = run("experiment", kind, tmp_path / "run.toml", key, "-o", tmp_path / "out")
        assert done.code == 2
        assert "'torch', which is not installed; install it with: pip install 'coindex[train]'" in done.err
    assert not (tmp_path / "out").exists()


def test_a_resolver_needs_no_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = make_corpus(tmp_path / "stories.jsonlines")
    monkeypatch.setitem(sys.modules, "torch", None)
    arguments = ("experiment", "mentions", "are-baseline", key, "-o", tmp_path / "out", "--language", "en")
    done = run(*arguments, "--match", "exact", "--singletons")
    assert done.code == 0, done.err
    assert "gold non-singleton" in done.out.decode()
    assert "coindex|crac24@1|match:exact|sing:yes|" in done.out.decode()


def test_help_of_every_experiment() -> None:
    assert run("experiment", "--help").code == 0
    for kind in ("size", "overlap", "annotation", "mentions"):
        done = run("experiment", kind, "--help")
        assert done.code == 0
        assert "KEY" in done.out.decode()
