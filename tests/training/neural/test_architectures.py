"""Every choice of parts: trained on two stories until they are known by heart, exported, resolved alike by both."""

import json
import tomllib

import numpy as np
import pytest

import coindex

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from coindex.resolvers.neural.words import (  # noqa: E402
    document_words,
    with_columns,
)
from coindex.settings import parse_section  # noqa: E402
from coindex.training.config import find_configurations, merge_tables, read_table  # noqa: E402
from coindex.training.neural.config import Config  # noqa: E402
from coindex.training.neural.data import strip_columns  # noqa: E402
from coindex.training.neural.folder import load_model  # noqa: E402
from coindex.training.neural.run import NeuralRun  # noqa: E402
from tiny_encoders import make_encoder  # noqa: E402
from tiny_stories import make_stories, make_story  # noqa: E402

# What makes a run of any configuration small; the choices of parts stay.
SMALL = """
[model]
mention = 48
query = 24
pair = 24
tag_hidden = 48
span_width = 6
span_ratio = 0.7
dropout = 0.0
word_dropout = 0.0
encoder_dropout = 0.0

[train]
epochs = 7
encoder_rate = 3e-3
head_rate = 6e-3
warmup = 4
window = [40, 60]
words = 0
average = 0.0

[decode]
window = 48
"""
NAMED = find_configurations()


@pytest.fixture(scope="module")
def bert_path(tmp_path_factory):
    return make_encoder("bert", tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def stories_path(tmp_path_factory):
    return make_stories(tmp_path_factory.mktemp("stories") / "stories.conllu")


@pytest.fixture(scope="module")
def tales_path(tmp_path_factory):
    """A smaller corpus: one of the stories."""
    path = tmp_path_factory.mktemp("tales") / "tales.conllu"
    coindex.write(make_story("book"), path)
    return str(path)


@pytest.fixture
def make_config(bert_path, stories_path, tales_path):
    """A small run of a configuration on the stories, each of them several times an epoch."""
    paths = {"stories": stories_path, "tales": tales_path}

    def make(base, *, corpora=("stories",), **tables):
        table = merge_tables(merge_tables(base, tomllib.loads(SMALL)), tables)
        table["model"]["encoder"] = bert_path
        is_reduced = table["decode"].get("reduce", "no") != "no" or table["model"].get("spans") == "heads"
        scored = {
            "match": "head" if is_reduced else "exact",
            "singletons": table["decode"].get("singletons", True),
        }
        made = [{"name": name, "train": paths[name], "dev": paths[name], "share": 8, **scored} for name in corpora]
        return parse_section(Config, {"name": "small", **table, "corpora": made}, "test")

    return make


def run(config, folder):
    """The best model, the scores after each epoch, the loss of the first and of the last one."""
    rows, losses = [], {}

    def tick(progress):
        if progress.losses:
            losses[progress.epoch] = sum(progress.losses.values())

    best = NeuralRun.train(config, folder, coindex.read, rows.append, tick=tick)
    scores = [row["scores"]["stories"]["conll"] for row in rows if "scores" in row]
    return best, scores, losses[1], losses[config.train.epochs]


def entities(doc):
    return {frozenset((m.positions, m.head) for m in entity.mentions) for entity in doc.entities}


def check_export(best, target, docs):
    """The exported graphs find what torch finds."""
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from coindex.resolvers.neural.folder import load_resolver
    from coindex.training.neural.export import export_model

    export_model(best, target, bits=32)
    first, second = load_model(best).resolver(None), load_resolver(target, corpus=None)
    for doc in docs:
        found = entities(first(doc))
        assert found
        assert entities(second(doc)) == found


@pytest.mark.parametrize("name", NAMED)
def test_a_named_configuration_learns_two_stories_and_is_exported(name, make_config, tmp_path, stories_path):
    config = make_config(read_table(NAMED[name]))
    best, scores, first, last = run(config, tmp_path / "run")
    assert last < first / 3
    assert max(scores) > 90
    docs = list(coindex.read(stories_path))
    check_export(best, tmp_path / "graphs", docs)
    widths = [len(mention) for doc in docs for mention, _ in load_model(best).resolver(None)(doc).mentions()]
    assert (max(widths) == 1) == (config.decode.reduce != "no")


@pytest.mark.parametrize("name", ["corpipe-straka", "corpipe-single", "head"])
def test_a_named_configuration_learns_two_corpora_together(name, make_config, tmp_path):
    config = make_config(read_table(NAMED[name]), corpora=("stories", "tales"), train={"epochs": 2})
    rows, steps = [], set()
    best = NeuralRun.train(
        config, tmp_path, coindex.read, rows.append, tick=lambda now: now.dev or steps.add(now.steps)
    )
    scores = [row["scores"] for row in rows if "scores" in row]
    assert [list(one) for one in scores] == [["stories", "tales"]] * 2
    assert steps == {24}  # of two documents and of one, eight times each
    is_told = name == "corpipe-straka"
    assert load_model(best).corpora == (("stories", "tales") if is_told else ())
    assert {path.name for path in tmp_path.glob("best-*")} == ({"best-stories", "best-tales"} if is_told else set())
    for path in tmp_path.glob("best-*"):
        kept = json.loads((path / "model.json").read_text(encoding="utf-8"))
        reached = [one[path.name.removeprefix("best-")]["conll"] for one in scores]
        assert kept["epoch"] == reached.index(max(reached)) + 1
        assert load_model(path).corpora == ("stories", "tales")


# Parts are independent of each other: what no named configuration puts together works too.
MIXED = {
    "tags, ranking": {"linking": "ranking"},
    "tags, start-end, sentences": {"linking": "start-end", "windows": "sentence", "right": 8},
    "spans, attention": {"detection": "spans"},
    "start-end, attention without features": {"detection": "start-end", "features": []},
    "spans, ranking, sentences": {"detection": "spans", "linking": "ranking", "windows": "sentence", "right": 8},
    "spans without kinds, ranking": {"detection": "spans", "linking": "ranking", "features": ["gap"]},
}


@pytest.mark.parametrize("model", MIXED.values(), ids=list(MIXED))
def test_parts_can_be_mixed(model, make_config, tmp_path, stories_path):
    spans = {"min_singleton": 0.5} if "detection" in model else {}
    config = make_config({}, model=model, train={"epochs": 4, "predicted_after": 8}, decode={"antecedents": 5, **spans})
    best, scores, first, last = run(config, tmp_path / "run")
    assert last < first / 2
    assert max(scores) > 60
    check_export(best, tmp_path / "graphs", coindex.read(stories_path))


def test_heads_alone_are_learned_and_found(make_config, tmp_path, stories_path):
    best, scores, _, _ = run(make_config({}, model={"spans": "heads"}), tmp_path / "run")
    assert max(scores) > 90
    for doc in coindex.read(stories_path):
        found = load_model(best).resolver("stories")(strip_columns(doc))
        assert {mention.positions for mention, _ in found.mentions()} == {(m.head,) for m, _ in doc.mentions()}


def test_columns_are_used_and_raw_text_works_as_well(make_config, tmp_path, stories_path):
    columns = ["upos", "deprel", "Number", "Gender"]
    config = make_config({}, model={"columns": columns}, train={"no_columns": 0.4})
    best, scores, _, _ = run(config, tmp_path / "run")  # dev is resolved as raw tokens
    assert max(scores) > 90
    docs = list(coindex.read(stories_path))
    check_export(best, tmp_path / "graphs", [*docs, *map(strip_columns, docs)])
    trained = load_model(best)
    resolver = trained.resolver("stories")
    known = with_columns(document_words(docs[0]), docs[0], columns).columns
    raw = with_columns(document_words(docs[0]), strip_columns(docs[0]), columns).columns
    assert known.any(axis=0).all()
    assert not raw.any()
    assert any(float(table.weight.detach().abs().max()) > 0 for table in trained.model.words.columns_out)
    assert entities(resolver(docs[0])) == entities(docs[0])


def test_columns_reach_the_exported_graph(make_config, tmp_path, stories_path):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from coindex.resolvers.neural.runtime import GraphScorer
    from coindex.training.neural.export import export_model
    from coindex.training.neural.folder import TorchScorer

    config = make_config({}, model={"columns": ["upos"]}, train={"epochs": 2, "no_columns": 0.0})
    best, _, _, _ = run(config, tmp_path / "run")
    export_model(best, tmp_path / "graphs", bits=32)
    trained = load_model(best)
    from coindex.training.neural.data import hide_columns, make_example, make_stretch

    example = make_example(next(iter(coindex.read(stories_path))), "stories", trained.config.model)
    batches = [
        make_stretch(one, trained.pieces, trained.detector, 60).batch for one in (example, hide_columns(example))
    ]
    graph, model = GraphScorer(tmp_path / "graphs"), TorchScorer(trained.model)
    with_upos, without = ([scorer.words(batch, 0)[0] for scorer in (graph, model)] for batch in batches)
    assert np.allclose(*with_upos, atol=1e-4)
    assert np.allclose(*without, atol=1e-4)
    assert not np.allclose(with_upos[0], without[0], atol=1e-2)


def test_each_corpus_has_its_best_model(make_config, tmp_path):
    config = make_config({}, corpora=("stories", "tales"), train={"epochs": 2, "best_per_corpus": True})
    best, _, _, _ = run(config, tmp_path)
    rows = json.loads((tmp_path / "last" / "model.json").read_text(encoding="utf-8"))["scores"]
    for name in ("stories", "tales"):
        kept = json.loads((tmp_path / f"best-{name}" / "model.json").read_text(encoding="utf-8"))
        reached = [row["scores"][name]["conll"] for row in rows]
        assert kept["epoch"] == reached.index(max(reached)) + 1
        assert kept["corpora"] == ["stories", "tales"]
    assert best.name == "best"


def test_a_model_without_corpus_input(make_config, tmp_path):
    config = make_config({}, corpora=("stories", "tales"), model={"corpus_id": False})
    trained = NeuralRun(config, tmp_path, coindex.read, lambda row: None).trained
    assert trained.corpora == ()
    assert trained.corpus_number("tales") == 0
    assert trained.model.words.corpus_in.num_embeddings == 1


def test_stretches_with_their_context_are_learned(make_config, tmp_path):
    model = {"windows": "sentence", "right": 8, "columns": ["upos"]}
    config = make_config({}, model=model, train={"words": 9, "predicted_after": 20})
    losses = []
    NeuralRun.train(config, tmp_path, coindex.read, lambda row: None, tick=lambda now: losses.append(now.losses))
    first, *_, last = [one for one in losses if one]
    for name in ("tag", "head", "link"):
        assert last[name] < first[name] / 2, name
