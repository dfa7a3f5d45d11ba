"""Experiments without training: documents and configuration of cells, stored results and tables."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import coindex
from coindex.analysis.figures import Curves
from coindex.analysis.overlap import Vocabulary
from coindex.api.experiments import mention_experiment
from coindex.document import Document, Entity
from coindex.errors import CoindexError, DataWarning, UnknownNameError
from coindex.scoring import make_settings
from coindex.training.experiments import plans
from coindex.training.experiments.cells import Cell, ExperimentFolder, Outcome, Training, lfw_rate, measure_training
from coindex.training.experiments.results import ExperimentResult
from coindex.training.neural.config import Config, CorpusConfig, ModelConfig, TrainConfig

KEY = Vocabulary.of([Document.from_text("one two three four")])
# shares of words that the key has: 1/4, 2/4, 3/4, 4/4, none
DOCS = [
    Document.from_text(text, id=f"d{n}")
    for n, text in enumerate(["one b c d", "one two c d", "one two three d", "one two three four", "1 2 3"])
]


# --- subsets


def test_documents_are_ranked_by_the_share_of_their_words_that_the_key_has() -> None:
    assert [plans.key_overlap(doc, KEY) for doc in DOCS] == [0.25, 0.5, 0.75, 1.0, 0.0]
    assert plans.rank_documents(DOCS, KEY, seed=1) == [4, 0, 1, 2, 3]
    assert plans.order_documents("low", DOCS, KEY, seed=1) == [4, 0, 1, 2, 3]
    assert plans.order_documents("high", DOCS, KEY, seed=1) == [3, 2, 1, 0, 4]


def test_drawing_depends_on_the_seed_alone() -> None:
    assert sorted(plans.shuffle_documents(20, 1)) == list(range(20))
    assert plans.shuffle_documents(20, 1) == plans.shuffle_documents(20, 1) != plans.shuffle_documents(20, 2)


def test_sizes() -> None:
    assert plans.default_sizes(37) == (2, 4, 9, 18, 37)
    assert plans.default_sizes(3) == (1, 3)
    assert plans.check_sizes([5, 2, 5], 9, "gum") == (2, 5)
    for sizes, message in (([10], "a subset cannot have 10 documents, since gum has 9"), ([0], "have 0")):
        with pytest.raises(CoindexError, match=message):
            plans.check_sizes(sizes, 9, "gum")
    with pytest.raises(CoindexError, match="no sizes"):
        plans.check_sizes([], 9, "gum")


def test_groups_go_from_one_end_to_the_other_and_share_nothing() -> None:
    order = list(range(10))
    assert plans.groups(order, 3, None, "gum") == [[0, 1, 2], [4, 5, 6], [7, 8, 9]]
    assert plans.groups(order, 3, 2, "gum") == [[0, 1], [4, 5], [8, 9]]
    assert plans.groups(order, 5, None, "gum") == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    for number, size in ((3, 4), (11, None), (1, 2)):
        with pytest.raises(CoindexError, match="groups"):
            plans.groups(order, number, size, "gum")


# --- plans


def config(*corpora: CorpusConfig, **train: object) -> Config:
    own = corpora or (CorpusConfig(name="gum", train="train.conllu", dev="dev.conllu"),)
    return Config(name="tiny", model=ModelConfig(encoder="some/encoder"), corpora=own, train=TrainConfig(**train))  # type: ignore[arg-type]


def test_larger_subsets_hold_the_smaller_and_all_is_one_cell() -> None:
    cells = plans.size_cells(config(), DOCS, KEY, sizes=[2, 3, 5], picks=["random", "high"], corpus="gum")
    assert [cell.name for cell in cells] == ["random-2", "random-3", "all", "high-2", "high-3", "all"]
    chosen = [set(cell.documents or ()) for cell in cells]
    assert chosen[0] < chosen[1] < chosen[2] == set(range(5))
    assert chosen[3:5] == [{2, 3}, {1, 2, 3}]
    assert cells[2].documents == cells[5].documents
    assert all(cell.config is not None and cell.config.corpora[0].dev is None for cell in cells)


def test_groups_are_cells_in_the_order_of_the_overlap() -> None:
    cells = plans.overlap_cells(config(), DOCS, KEY, number=2, size=None, corpus="gum")
    assert [(cell.name, cell.documents) for cell in cells] == [("s1", [0, 4]), ("s2", [2, 3])]


def test_gold_mentions_are_what_links_are_learned_on() -> None:
    detected, given, several = plans.mention_cells(config(predicted=0.5), ["detected", "given", "given-nonsingleton"])
    assert detected.config == plans.remove_dev(config(predicted=0.5))
    for cell, singletons in ((given, True), (several, False)):
        assert cell.config is not None
        assert cell.config.model.singletons is singletons
        assert (cell.config.train.predicted, cell.config.train.tag_weight) == (0, 0)
    assert [cell.label for cell in (detected, given, several)] == ["detected", "all gold", "gold non-singleton"]


def test_each_seed_has_its_own_documents_and_the_first_its_old_names() -> None:
    def plan(chosen: Config) -> list[Cell]:
        return plans.size_cells(chosen, DOCS, KEY, sizes=[2, 5], picks=["random"], corpus="gum")

    assert plans.over_seeds(config(seed=7), 1, plan) == plan(config(seed=7))
    cells = plans.over_seeds(config(seed=7), 3, plan)
    assert [cell.name for cell in cells] == [
        "random-2",
        "all",
        "random-2-seed8",
        "all-seed8",
        "random-2-seed9",
        "all-seed9",
    ]
    assert [cell.factors["seed"] for cell in cells] == ["7", "7", "8", "8", "9", "9"]
    assert [cell.config.train.seed for cell in cells if cell.config is not None] == [7, 7, 8, 8, 9, 9]
    assert len({tuple(cell.documents or ()) for cell in cells if cell.name.startswith("random")}) > 1
    with pytest.raises(CoindexError, match="number of seeds cannot be 0"):
        plans.over_seeds(config(), 0, plan)


def test_the_corpus_that_is_varied() -> None:
    two = config(CorpusConfig(name="a", dev="x"), CorpusConfig(name="b", train="y"), CorpusConfig(name="c", train="z"))
    assert plans.find_varied_corpus(config(), None) == 0
    assert plans.find_varied_corpus(two, "c") == 2
    with pytest.raises(CoindexError, match=r"several training corpora \(b, c\); .* --corpus"):
        plans.find_varied_corpus(two, None)
    with pytest.raises(UnknownNameError, match="corpus to train on 'a'"):
        plans.find_varied_corpus(two, "a")
    with pytest.raises(CoindexError, match="no corpus to train on"):
        plans.find_varied_corpus(config(CorpusConfig(name="a", dev="x")), None)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: plans.annotation_cells(config(), []), "no annotations given"),
        (lambda: plans.annotation_cells(config(), [("a/b", "x")]), "the name cannot be a file name"),
        (lambda: plans.annotation_cells(config(), [("a", "x"), ("a", "y")]), "a: the name is given twice"),
        (lambda: plans.mention_cells(None, []), "no kinds of mentions given; name at least one of detected"),
        (lambda: plans.mention_cells(None, ["gold"]), "unknown mentions 'gold'"),  # type: ignore[list-item]
        (lambda: plans.size_cells(config(), DOCS, KEY, sizes=[1], picks=[], corpus="gum"), "no picks"),
        (
            lambda: plans.size_cells(config(), DOCS, KEY, sizes=[1], picks=["most"], corpus="gum"),  # type: ignore[list-item]
            "unknown pick 'most'",
        ),
    ],
)
def test_plans_that_make_no_sense_are_refused(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CoindexError, match=message):
        make()


# --- what is kept


def outcome(name: str, f1: float, size: str = "2", **about: object) -> Outcome:
    score = {"recall": f1, "precision": f1, "f1": f1}
    training = Training(
        documents=int(size),
        words=10,
        entities=2,
        mentions=4,
        oov=0.125,
        low=0.5,
        lfw=0.25,
        repeated=0,
        signature="coindex|overlap:preco@1|words:letters|case:kept|v:1",
    )
    return Outcome(
        name=name,
        label=f"{size} documents",
        factors={"pick": "random", "size": size},
        section="documents at random",
        scores={"muc": score, "b3": {**score, "f1": f1 / 2}, "ceafe": score},
        conll=f1,
        signature="coindex|crac24@1|v:1",
        training=training,
        about=about,
    )


def test_a_cell_is_kept_and_known_again(tmp_path: Path) -> None:
    folder = ExperimentFolder(tmp_path / "size")
    cell = Cell(name="random-2", label="2 documents", factors={})
    assert folder.read_outcome(cell, {"seed": 1}) is None
    folder.finish(cell, outcome("random-2", 0.5, seed=1, window=[1, 2]))
    assert folder.read_outcome(cell, {"seed": 1, "window": (1, 2)}) == outcome("random-2", 0.5, seed=1, window=[1, 2])
    with pytest.raises(
        CoindexError, match=r"random-2.json: the results were computed with different data and seed; .*--restart"
    ):
        folder.read_outcome(cell, {"seed": 2, "window": (1, 2), "data": "x"})
    assert folder.run(cell, {"seed": 1}) != folder.run(cell, {"seed": 2})
    (tmp_path / "size" / "cells" / "random-2.json").write_text('{"name": 1}', encoding="utf-8")
    with pytest.raises(CoindexError, match=r"damaged .*; remove it"):
        folder.read_outcome(cell, {"seed": 1})
    (tmp_path / "size" / "notes.txt").write_text("mine", encoding="utf-8")
    folder.clear()
    assert [path.name for path in (tmp_path / "size").iterdir()] == ["notes.txt"]


def test_a_cell_depends_on_the_models_that_it_begins_with(key: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from coindex.resolvers.neural.detection import TagSet
    from coindex.training.experiments.running import Key, Runner, Source

    model = tmp_path / "first"
    model.mkdir()
    tags = TagSet.of({"PUSH,POP:1"}).description()
    description = {"version": 1, "config": config().to_dict(), "corpora": [], **tags, "weights": {}}
    (model / "model.json").write_text(json.dumps(description), encoding="utf-8")
    own = config(CorpusConfig(name="toy", train=key))
    cell = Cell(name="all", label="all", factors={}, config=replace(own, model=replace(own.model, start=str(model))))
    runner = Runner(
        folder=ExperimentFolder(tmp_path / "size"),
        key=Key(name="key", hash="", docs=[], settings=make_settings()),
        source=Source(read=coindex.read, write=lambda docs, path: None, locate=lambda config: config, corpus=0),
    )
    found = []
    for weights in (b"one", b"two"):
        (model / "model.safetensors").write_bytes(weights)
        found.append(runner._about(cell, {}))
    assert found[0] != found[1]


def test_a_folder_of_other_things_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CoindexError, match="the folder contains other files"):
        ExperimentFolder(tmp_path)
    with pytest.raises(CoindexError, match="is a file"):
        ExperimentFolder(tmp_path / "notes.txt")


# --- what is measured


def test_the_share_of_wrong_links_that_rare_words_may_explain(key: str) -> None:
    (doc,) = coindex.read(key)
    settings = make_settings(match="exact")
    assert lfw_rate([doc], [doc], settings, frozenset()) is None
    entities = tuple(Entity(f"e{n}", (mention,)) for n, (mention, _) in enumerate(doc.mentions()))
    alone = doc.replace(entities=entities)  # false-new: Anna (2), She, Boris (2)
    settings = make_settings(match="exact", singletons=True)
    assert lfw_rate([doc], [alone], settings, frozenset({"Anna", "She"})) == 1 / 3
    assert lfw_rate([doc], [alone], settings, frozenset({"Anna", "Boris"})) == 1 / 3
    assert lfw_rate([doc], [alone], settings, frozenset()) == 1


def test_what_is_trained_on_is_seen_from_the_key(key: str) -> None:
    (doc,) = coindex.read(key)
    training, frequent = measure_training([Document.from_text("Anna met " * 10 + "Boris")], [doc])
    assert (training.documents, training.words, training.entities, training.repeated) == (1, 21, 0, 0)
    assert training.oov == 5 / 10  # A dog saw She liked
    assert training.low == 7 / 10  # and Boris, twice
    assert frequent == {"Anna", "met"}


# --- what is shown


def result() -> ExperimentResult:
    return ExperimentResult(kind="size", key="dev", outcomes=[outcome("a", 0.5), outcome("b", 0.75, "4")])


def seeded(name: str, f1: float, size: str, seed: str) -> Outcome:
    found = outcome(name, f1, size)
    return replace(found, factors={**found.factors, "seed": seed})


def test_seeds_are_averaged_and_their_spread_is_reported() -> None:
    cells = [seeded("a", 0.3, "2", "1"), seeded("b", 0.6, "4", "1"), seeded("a-seed2", 0.6, "2", "2")]
    found = replace(result(), outcomes=cells)
    table = found.table()
    values = [dict(zip([column.name for column in table.columns], row.values, strict=True)) for row in table.rows]
    assert values[0]["muc_f1"] == pytest.approx(0.45)
    assert values[0]["mean_f1"] == pytest.approx(0.375)  # of 0.25 and 0.5
    assert values[0]["f1_sd"] == pytest.approx(0.25 / 2**0.5)
    assert (values[1]["mean_f1"], values[1]["f1_sd"]) == (pytest.approx(0.5), None)  # one seed is not done yet
    assert "Means over the seeds 1, 2" in found.render()
    assert [row.keys for row in table.rows] == [{"pick": "random", "size": "2"}, {"pick": "random", "size": "4"}]
    chart = found.charts()[0]
    assert isinstance(chart, Curves)
    assert chart.spread == {"average F1, documents at random": [pytest.approx(25 / 2**0.5), 0.0]}
    frame = pytest.importorskip("pandas") and found.to_frame()
    assert list(frame["seed"]) == ["1", "1", "2"]
    pytest.importorskip("matplotlib")
    assert "<svg" in found.render("html")


def test_a_curve_may_have_holes() -> None:
    high = replace(outcome("h", 0.6, "4"), section="highest overlap first")
    chart = replace(result(), outcomes=[outcome("a", 0.5), high]).charts()[0]
    assert isinstance(chart, Curves)
    assert list(chart.series.values()) == [[pytest.approx(125 / 3), None], [None, pytest.approx(50)]]


def test_averages_and_signatures() -> None:
    table = result().table()
    values = dict(zip([column.name for column in table.columns], table.rows[0].values, strict=True))
    assert values["mean_f1"] == pytest.approx((0.5 + 0.25 + 0.5) / 3)
    assert (values["documents"], values["oov"], values["b3_f1"]) == (2, 0.125, 0.25)
    assert all(column.signature for column in table.columns)
    lines = result().render("csv").splitlines()
    assert "size,random,4,muc_f1,0.75,coindex|crac24@1|v:1" in lines
    assert json.loads(json.dumps(result().to_dict()))["cells"][1]["training"]["documents"] == 4
    frame = pytest.importorskip("pandas") and result().to_frame()
    assert list(frame["size"]) == ["2", "4"]


def test_the_curves(tmp_path: Path) -> None:
    chart, rates = result().charts()
    assert isinstance(chart, Curves)
    assert isinstance(rates, Curves)
    assert rates.series == {"LFW rate, documents at random": [25.0, 25.0]}
    assert rates.right == chart.right
    assert chart.labels == ["2", "4"]
    assert chart.series == {"average F1, documents at random": [pytest.approx(125 / 3), pytest.approx(62.5)]}
    assert chart.right == {"OOV rate, documents at random": [12.5, 12.5]}
    with pytest.raises(CoindexError, match=r"curve.jpg: unknown figure format"):
        result().draw(tmp_path / "curve.jpg")
    with pytest.raises(CoindexError, match="no curve"):
        replace(result(), kind="mentions").draw(tmp_path / "curve.svg")
    pytest.importorskip("matplotlib")
    result().draw(tmp_path / "curve.svg")
    drawn = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert "OOV rate, documents at random" in drawn
    assert "coindex|crac24@1|v:1" in drawn
    assert "LFW rate, documents at random" in (tmp_path / "curve-lfw.svg").read_text(encoding="utf-8")
    result().draw(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text(encoding="utf-8") == drawn
    result().draw(tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in result().render("html")


# --- a resolver that is not trained


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.fixture
def key(tmp_path: Path) -> str:
    """A singleton, "A dog", among two entities of several."""
    record = {
        "doc_key": "d",
        "sentences": [text.split() for text in ("Anna met Boris .", "A dog saw Anna .", "She liked Boris .")],
        "clusters": [[[0, 0], [7, 7], [9, 9]], [[2, 2], [11, 11]], [[4, 5]]],
    }
    path = tmp_path / "key.jsonlines"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.usefixtures("no_torch")
def test_a_resolver_on_gold_mentions_needs_no_torch(key: str, tmp_path: Path) -> None:
    options = {"match": "exact", "singletons": True, "language": "en"}
    found = mention_experiment("are-baseline", key, tmp_path / "oracle", **options)  # type: ignore[arg-type]
    assert [one.name for one in found.outcomes] == ["detected", "given", "given-nonsingleton"]
    (doc,) = coindex.read(key)
    for one in found.outcomes:
        response = coindex.load("are-baseline", mentions=one.name, language="en")(doc)  # type: ignore[arg-type]
        expected = coindex.score(doc, response, match="exact", singletons=True)
        assert one.conll == expected.conll
        assert one.signature == expected.signature
    _, given, several = found.outcomes
    assert given.scores["mentions"] == {"recall": 1, "precision": 1, "f1": 1}
    assert several.scores["mentions"] == {"recall": 5 / 6, "precision": 1, "f1": pytest.approx(10 / 11)}


def test_finished_cells_are_not_repeated(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from coindex.resolvers.chain import Chain

    told: list[str] = []
    first = mention_experiment("are-baseline", key, tmp_path / "o", mentions=["given"], language="en")
    again = mention_experiment("are-baseline", key, tmp_path / "o", language="en", tell=told.append)
    assert told[1:] == ["given (2 of 3): already done", "given-nonsingleton (3 of 3): resolving"]
    assert again.outcomes[1] == first.outcomes[0]
    monkeypatch.setattr(Chain, "pipe", None)  # nothing can be resolved any more
    assert mention_experiment("are-baseline", key, tmp_path / "o", language="en").outcomes == again.outcomes
    with pytest.raises(CoindexError, match=r"computed with different scoring"):
        mention_experiment("are-baseline", key, tmp_path / "o", language="en", match="exact")


def test_a_key_without_singletons_is_warned_of(tmp_path: Path) -> None:
    from tiny_model import make_corpus

    key = make_corpus(tmp_path / "key.jsonlines")
    with pytest.warns(DataWarning, match="the key has no singletons"):
        found = mention_experiment("are-baseline", key, tmp_path / "o", language="en", match="exact")
    assert found.outcomes[1].scores == found.outcomes[2].scores


@pytest.mark.parametrize(
    ("resolver", "options", "message"),
    [
        ("sieves", {}, "sieves needs trees, but gets raw tokens"),
        ("singleton", {}, "singleton works with given mentions only"),
        ("nobody", {}, "unknown resolver 'nobody'"),
        ("are-baseline", {"changes": {"train.epochs": 1}}, "is not trained here, so changes has no effect"),
        ("are-baseline", {"match": "nearly"}, "nearly"),
        ("missing.toml", {}, "missing.toml: cannot read the TOML file: No such file"),
    ],
)
def test_bad_input_leaves_nothing_behind(key: str, tmp_path: Path, resolver: str, options: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(CoindexError, match=message):
        mention_experiment(resolver, key, tmp_path / "o", **options)
    assert not (tmp_path / "o").exists()


def test_a_key_without_entities_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.txt"
    path.write_text("Nobody is here.", encoding="utf-8")
    with pytest.raises(CoindexError, match=r"key.txt: the key has no entities"):
        mention_experiment("are-baseline", path, tmp_path / "o")
    with pytest.raises(CoindexError, match="the key cannot be standard input"):
        mention_experiment("are-baseline", "-", tmp_path / "o")
