"""Scorers and their files: batched evaluation of trees, and invalid files."""

import json
from dataclasses import replace

import numpy as np
import pytest

from coindex.errors import CoindexError
from coindex.resolvers.cross import scorer
from coindex.resolvers.cross.en_cross import model_folder
from coindex.resolvers.cross.neighbours import Projection
from coindex.resolvers.cross.scorer import (
    BoostedTrees,
    Logistic,
    SecondStage,
    Trees,
    load_scorer,
    logits,
    save_scorer,
    sigmoid,
)


def some_trees():
    """x0 <= 0.5 ? (x1 <= 2 ? 1 : -1; not a number: left) : 3; and a tree that is one leaf."""
    return Trees(
        roots=np.array([0, 5]),
        feature=np.array([0, 1, -1, -1, -1, -1]),
        threshold=np.array([0.5, 2, 0, 0, 0, 0]),
        left=np.array([1, 2, 0, 0, 0, 0]),
        right=np.array([4, 3, 0, 0, 0, 0]),
        value=np.array([0, 0, 1, -1, 3, 0.25]),
        missing_left=np.array([False, True, False, False, False, False]),
    )


NAN = float("nan")
UNCHANGED = np.eye(3, dtype=np.float32)


@pytest.mark.parametrize(
    ("row", "value"),
    [([0, 0], 1.25), ([0.5, 2], 1.25), ([0, 3], -0.75), ([1, 0], 3.25), ([NAN, 0], 3.25), ([0, NAN], 1.25)],
)
def test_trees(row, value):
    assert some_trees().sums(np.array([row], dtype=np.float32)).tolist() == [value]


def test_many_rows_walk_together(monkeypatch):
    rows = np.random.default_rng(0).uniform(-1, 4, size=(100, 2)).astype(np.float32)
    one_by_one = [some_trees().sums(row[None]).item() for row in rows]
    monkeypatch.setattr(scorer, "ROWS", 7)
    assert some_trees().sums(rows).tolist() == one_by_one
    assert some_trees().sums(rows[:0]).tolist() == []


def test_scorers_give_probabilities():
    rows = np.array([[1, 2], [0, 0]], dtype=np.float32)
    logistic = Logistic(("a", "b"), np.array([1.0, 0.5]), bias=-2.0)
    assert logistic(rows) == pytest.approx([0.5, 1 / (1 + np.exp(2))])
    scaled = Logistic(("a", "b"), np.array([1.0, 1.0]), mean=np.array([1.0, 0.0]), scale=np.array([1.0, 2.0]))
    assert scaled(rows) == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))])
    boosted = BoostedTrees(("a", "b"), some_trees(), bias=-1.25)
    assert boosted(rows)[1] == 0.5
    assert Logistic(("a",), np.array([1e6]))(np.array([[1], [-1]], dtype=np.float32)).tolist() == [1, 0]


def test_logits_are_what_the_sigmoid_undoes():
    values = np.array([-5.0, 0.0, 0.25, 7.0])
    assert logits(sigmoid(values)) == pytest.approx(values)
    assert np.abs(logits(np.array([0.0, 1.0]))) == pytest.approx([20.03, 20.03], abs=0.01)


@pytest.mark.parametrize(
    "scorer",
    [
        Logistic(("head", "words"), np.array([1.5, 2.5]), -1.0, 0.3, np.array([0.1, 0.2]), np.array([2.0, 3.0])),
        Logistic(("head", "words"), np.array([1.5, 2.5])),
        BoostedTrees(("head", "words"), some_trees(), -0.5, 0.6),
        BoostedTrees(
            ("head", "words"), some_trees(), small=0.7, projection=Projection(("span",), np.eye(3, dtype="f"))
        ),
        BoostedTrees(("head", "words"), some_trees(), few=0.5, second=SecondStage(("first", "b"), some_trees(), 0.25)),
    ],
)
def test_files(scorer, tmp_path):
    path = tmp_path / "new" / "event.npz"
    save_scorer(scorer, path)
    assert [item.name for item in path.parent.iterdir()] == ["event.npz"]
    again = load_scorer(path)
    rows = np.random.default_rng(0).uniform(0, 3, size=(20, 2)).astype(np.float32)
    assert again(rows).tolist() == scorer(rows).tolist()
    assert (again.features, again.threshold, again.small) == (scorer.features, scorer.threshold, scorer.small)
    assert again.few == scorer.few
    assert (again.second is None) == (scorer.second is None)
    if again.second is not None:
        assert again.second.features == scorer.second.features
        assert again.second(rows).tolist() == scorer.second(rows).tolist()
    assert (again.projection is None) == (scorer.projection is None)
    if again.projection is not None:
        vectors = {"span": np.array([[0, 3, 4]], dtype=np.float32)}
        assert again.projection.names == ("span",)
        assert again.projection(vectors).ravel() == pytest.approx([0, 0.6, 0.8])


def changed(path, **changes):
    """The file with other arrays, and with other things said in `about`."""
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    said = {key: value for key, value in changes.items() if key in about or key == "second"}
    about |= said
    arrays |= {key: value for key, value in changes.items() if key not in said}
    arrays["about"] = np.array(json.dumps(about))
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "has version 2; expected version 1"),
        ({"kind": "forest"}, "unknown kind 'forest'"),
        ({"features": ["head"]}, "a node refers to a missing column"),
        ({"left": np.zeros(6, dtype=np.int64)}, "a node comes after its children"),
        ({"left": np.full(6, 9)}, "a node comes after its children"),
        ({"roots": np.array([6])}, "a missing root node"),
        ({"value": np.zeros(2)}, "different lengths"),
        ({"value": np.array(["x"] * 6)}, "invalid pair scorer"),
        ({"second": ["first"]}, "invalid pair scorer"),
    ],
)
def test_files_that_cannot_be_used(changes, message, tmp_path):
    path = tmp_path / "event.npz"
    save_scorer(BoostedTrees(("head", "words"), some_trees()), path)
    changed(path, **changes)
    with pytest.raises(CoindexError, match=message) as raised:
        load_scorer(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_other_files(tmp_path):
    with pytest.raises(CoindexError, match="No such file"):
        load_scorer(tmp_path / "none.npz")
    text = tmp_path / "text.npz"
    text.write_text("hello", encoding="utf-8")
    with pytest.raises(CoindexError, match="wrong file type"):
        load_scorer(text)
    text.write_bytes(b"")
    with pytest.raises(CoindexError, match="wrong file type"):
        load_scorer(text)
    array = tmp_path / "array.npz"
    np.savez(array, x=np.zeros(2))
    with pytest.raises(CoindexError, match="wrong file type"):
        load_scorer(array)
    logistic = Logistic(("head",), np.array([1.0, 2.0]))
    save_scorer(logistic, array)
    with pytest.raises(CoindexError, match="2 weights for 1 features"):
        load_scorer(array)


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(CoindexError, match="cannot write the file"):
        save_scorer(Logistic(("head",), np.array([1.0])), tmp_path / "file" / "x.npz")


def test_tables_of_trees_give_what_a_walk_gives(monkeypatch):
    """Rows on both sides of thresholds, exactly on them, and with missing values."""
    trees = load_scorer(model_folder() / "event.npz").trees
    random = np.random.default_rng(0)
    inner = np.flatnonzero(trees.feature >= 0)
    rows = random.standard_normal((400, 51)).astype(np.float32)
    chosen = random.choice(inner, size=400)
    rows[np.arange(400), trees.feature[chosen]] = trees.threshold[chosen]
    rows[random.random(rows.shape) < 0.05] = np.nan
    monkeypatch.setattr(scorer, "ROWS", 64)
    found = trees.sums(rows)
    monkeypatch.setattr(scorer, "MOST_NODES", 3)
    again = replace(trees)
    assert again._tables is None
    assert again.sums(rows).tolist() == found.tolist()
    assert np.unique(found).size > 300
