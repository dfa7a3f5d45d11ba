"""`coindex train` over UD columns: a folder that describes itself and resolves, whatever ends the run in between."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coindex
from coindex.errors import CoindexError
from coindex.resolvers.clusters import separate_mentions
from coindex.resolvers.ud.candidates import read_document
from coindex.resolvers.ud.mentions import LabelTable, word_types
from coindex.resolvers.ud.network import column_rows, mention_scores, pair_scores, score_document, word_states
from coindex.resolvers.ud.pairs import describe_document
from coindex.resolvers.ud.resolver import UdModel, UdResolver
from coindex.settings import parse_section
from command import run
from parsed_text import chains, parsed
from tiny_ud import CONFIG, make_run, story

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from coindex.training.run import Stopped
from coindex.training.ud.config import UdConfig
from coindex.training.ud.data import common_style, join_examples, learn_style, make_example, targets
from coindex.training.ud.network import UdNetwork, as_tensor, link_loss

EXPECTED = [["Eva", "She"], ["a dog", "The dog"]]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("ud"))


@pytest.fixture(scope="module")
def model(here: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that has learned the stories."""
    folder = tmp_path_factory.mktemp("run")
    done = run("train", here / "tiny.toml", "-o", folder)
    assert done.code == 0, done.err
    assert done.out.decode() == f"model: {folder}/best; use it with: coindex resolve FILES -r {folder}/best\n"
    return folder / "best"


def test_the_folder_describes_itself(model: Path, here: Path) -> None:
    assert sorted(file.name for file in model.iterdir()) == ["model.json", "weights.npz"]
    said = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert said["kind"] == "ud"
    assert said["default_styles"] == {"xx": "stories", "yy": "others"}
    assert list(said["styles"]) == ["", "stories", "others"]
    assert said["licences"] == {"stories": "CC0"}
    assert list(said["data"]) == ["stories.conllu"]
    assert said["scores"]["together"]["stories"]["signature"].startswith("coindex|crac24@1|")
    assert str(here) not in json.dumps(said)


def test_it_has_learned_the_stories(model: Path) -> None:
    resolver = UdResolver(UdModel.load(model), style="stories")
    found = resolver(story(14).replace(entities=()))
    assert chains(found) == EXPECTED
    first, second = found.entities[0].mentions
    assert first.attributes["by"] == "xx-ud/new"
    assert second.attributes["by"] == "xx-ud/link"
    assert 0.5 < float(second.attributes["score"]) <= 1


def test_given_mentions_are_resolved_and_no_others(model: Path) -> None:
    doc = story(14)
    alone = separate_mentions(doc)
    found = UdResolver(UdModel.load(model), style="stories", given=True)(alone)
    spans = {mention.positions for mention, _ in doc.mentions()}
    assert {mention.positions for mention, _ in found.mentions()} == spans


def test_an_unknown_style_is_refused(model: Path) -> None:
    with pytest.raises(CoindexError, match=r"unknown style 'storys'.*stories"):
        UdResolver(UdModel.load(model), style="storys")


def test_no_tree_is_a_clear_error_and_no_words_are_no_entities(model: Path) -> None:
    resolver = UdResolver(UdModel.load(model))
    with pytest.raises(CoindexError, match="no dependency tree; parse the text first"):
        resolver(coindex.Document.from_text("Eva slept."))
    assert resolver(coindex.Document()).entities == ()
    assert resolver(parsed(". . PUNCT _ 0 root")).entities == ()


def test_the_same_configuration_gives_the_same_weights(model: Path, here: Path, tmp_path: Path) -> None:
    again = coindex.train(here / "tiny.toml", tmp_path / "again")
    one, other = (np.load(folder / "weights.npz") for folder in (model, again))
    assert all((one[name] == other[name]).all() for name in one.files)


def stop(progress: Any) -> None:
    if progress.epoch == 7 and progress.step == 2:
        raise Stopped("enough")


def test_a_resumed_run_has_the_same_weights(model: Path, here: Path, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        coindex.train(here / "tiny.toml", tmp_path / "run", tick=stop)
    rows: list[dict[str, Any]] = []
    resumed = coindex.train(here / "tiny.toml", tmp_path / "run", report=rows.append)
    assert {"member": 1, "resumed": True, "epoch": 7, "step": 2} in rows
    one, other = (np.load(folder / "weights.npz") for folder in (model, resumed))
    assert all((one[name] == other[name]).all() for name in one.files)


def test_a_checkpoint_of_version_0_1_is_resumed(model: Path, here: Path, tmp_path: Path) -> None:
    """Up to then `done` counted the steps of all epochs, and `place` those of one."""
    with pytest.raises(Stopped):
        coindex.train(here / "tiny.toml", tmp_path / "run", tick=stop)
    path = tmp_path / "run" / "member-1.pt"
    state = torch.load(path, weights_only=True)
    weights = state.pop("model")
    torch.save({**state, "weights": weights, "done": 1000, "place": state["done"]}, path)
    resumed = coindex.train(here / "tiny.toml", tmp_path / "run")
    one, other = (np.load(folder / "weights.npz") for folder in (model, resumed))
    assert all((one[name] == other[name]).all() for name in one.files)


def test_dev_corpora_of_one_name_do_not_replace_each_other(here: Path, tmp_path: Path) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
        coindex.write([story(number) for number in range(12, 16)], tmp_path / folder / "dev.conllu")
    (tmp_path / "stories.conllu").write_bytes((here / "stories.conllu").read_bytes())
    more = "".join(f'\n[[corpora]]\nname = "stories"\nlanguage = "xx"\ndev = "{name}"\n' for name in DEVS)
    (tmp_path / "run.toml").write_text(CONFIG + more, encoding="utf-8")
    rows: list[dict[str, Any]] = []
    steps = []
    coindex.train(
        tmp_path / "run.toml", tmp_path / "run", changes={"train.epochs": 1}, report=rows.append, tick=steps.append
    )
    names = ["stories", "stories (dev)", "stories (dev 2)", "stories (dev 3)"]
    assert [list(row["scores"]) for row in rows if "scores" in row] == [names]
    assert [list(row["together"]) for row in rows if "together" in row] == [names]
    assert [(step.dev, step.step, step.steps) for step in steps if step.dev][:5] == [
        *(("stories", number, 4) for number in (1, 2, 3, 4)),
        ("stories (dev)", 1, 4),
    ]


DEVS = ("a/dev.conllu", "b/dev.conllu", "a/dev.conllu")


def test_an_ensemble_returns_the_mean(here: Path, tmp_path: Path) -> None:
    changes = {"train.members": 2, "train.epochs": 2, "train.score_every": 2}
    folder = coindex.train(here / "tiny.toml", tmp_path / "run", changes=changes)
    both = UdModel.load(folder)
    reading = read_document(story(13))
    described, types = describe_document(reading), word_types(reading.words, both.table)
    each = [score_document([one], types, described, 1, min_linked=0.0) for one in both.members]
    mean = score_document(both.members, types, described, 1, min_linked=0.0)
    np.testing.assert_allclose(mean.pairs, (each[0].pairs + each[1].pairs) / 2, atol=1e-5)
    assert not np.allclose(each[0].pairs, each[1].pairs, atol=1e-3)
    said = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert len(said["scores"]["members"]) == 2


def test_a_language_is_left_out(here: Path, tmp_path: Path) -> None:
    changes = {"train.leave_out": ["xx"], "train.epochs": 1, "train.score_every": 1}
    folder = coindex.train(here / "tiny.toml", tmp_path / "run", changes=changes)
    said = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert list(said["styles"]) == ["", "others"]
    assert list(said["scores"]["together"]) == ["stories"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"train.leave_out": ["xx", "yy"]}, "no corpus to train on"),
        ({"train.epochs": 0}, "train: epochs must be at least 1, not 0"),
        ({"model.word": 0}, "model: word must be at least 1, not 0"),
        ({"train.speed": 3}, "speed"),
    ],
)
def test_bad_settings_are_refused(here: Path, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CoindexError, match=message):
        coindex.train(here / "tiny.toml", tmp_path / "run", changes=changes)
    assert not (tmp_path / "run" / "best").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("split = 12", "split = 16", "split is 16, but there are only 16 documents"),
        ("split = 12\n", 'split = 12\ndev = "stories.conllu"\n', "split needs train and excludes dev"),
        ("stories.conllu", "gone.conllu", "the corpus stories does not exist"),
    ],
)
def test_bad_corpora_are_refused(here: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    (tmp_path / "bad.toml").write_text(CONFIG.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CoindexError, match=message):
        coindex.train(tmp_path / "bad.toml", tmp_path / "run", data=here)


def test_numpy_computes_what_torch_does() -> None:
    config = parse_section(UdConfig, tomllib.loads(CONFIG), "tiny")
    reading = read_document(story(1))
    labels = ["upos=NOUN", "upos=PROPN", "deprel=nsubj", "Gender=Neut", "Number=Sing", "upos=VERB"]
    example = make_example(reading, LabelTable.of(labels), 1, singletons=True)
    torch.manual_seed(5)
    network = UdNetwork(len(labels) + 1, 3, config.model).eval()
    described, pairs = example.described, example.described.pairs
    with torch.no_grad():
        states = network.words(example.types)
        places = as_tensor(np.stack([described.head, described.parent, described.start], axis=1))
        style = torch.full((len(described),), 1)
        hidden, scores = network.mentions(states, places, as_tensor(column_rows(described.columns)), style)
        columns = (pairs.anaphor, pairs.candidate, pairs.features.astype(np.int64), pairs.classes)
        links = network.pairs(hidden, scores[:, 0], *map(as_tensor, columns), style)
    weights = network.arrays()
    own = word_states(weights, example.types)
    found = mention_scores(weights, own, described, 1)
    np.testing.assert_allclose(own, states.numpy(), atol=1e-5)
    np.testing.assert_allclose(np.stack([found.linked, found.mention, found.new], 1), scores.numpy(), atol=1e-5)
    np.testing.assert_allclose(pair_scores(weights, found, pairs, 1), links.numpy(), atol=1e-5)


def test_documents_side_by_side_are_read_as_one_by_one() -> None:
    config = parse_section(UdConfig, tomllib.loads(CONFIG), "tiny")
    table = LabelTable.of(["upos=NOUN", "upos=PROPN", "deprel=nsubj"])
    examples = [make_example(read_document(story(number)), table, 1, singletons=True) for number in (1, 2)]
    network = UdNetwork(table.size, 2, config.model).eval()
    both = join_examples(examples)
    with torch.no_grad():
        apart = torch.cat([network.words(one.types) for one in examples])
        np.testing.assert_allclose(network.words(both.types).numpy(), apart.numpy(), atol=1e-6)
    assert len(both.described.pairs) == sum(len(one.described.pairs) for one in examples)
    assert both.entity.max() == 3


def test_targets_are_the_entities_of_heads() -> None:
    reading = read_document(story(2))
    entity, linked = targets(reading)
    named = {reading.words.forms[one.head]: int(entity[one.index]) for one in reading.candidates}
    assert named["Eva"] == named["She"] == 0
    assert named["dog"] == 1
    assert named["slept"] == -1
    assert linked.sum() == 4


def test_the_loss_of_links_is_that_of_all_right_antecedents() -> None:
    scores, new = torch.tensor([1.0, 2.0, 0.5]), torch.tensor([0.0, 0.3, -1.0])
    anaphor, right = torch.tensor([1, 2, 2]), torch.tensor([False, True, True])
    one = -np.log(np.exp(0.3) / (np.exp(0.3) + np.exp(1.0)))
    two = -np.log((np.exp(2.0) + np.exp(0.5)) / (np.exp(2.0) + np.exp(0.5) + np.exp(-1.0)))
    assert float(link_loss(scores, new, anaphor, right)) == pytest.approx((0 + one + two) / 3, abs=1e-6)


def test_styles_are_learned_by_counting_and_agreed_on_by_vote() -> None:
    readings = [read_document(story(number)) for number in range(4)]
    style = learn_style(readings)
    assert style.inside["n:det:L"] is True
    assert style.gaps is False
    heads_only = learn_style(
        read_document(one.replace(entities=tuple(_heads(one)))) for one in (story(number) for number in range(4))
    )
    assert heads_only.inside["n:det:L"] is False
    assert common_style([style, style, heads_only]).inside["n:det:L"] is True


def _heads(doc: coindex.Document) -> Any:
    for entity in doc.entities:
        heads = tuple(doc.mention([mention.head], head=mention.head) for mention in entity.mentions if mention.head)
        if heads:
            yield coindex.Entity(entity.id, heads)
