"""The training of pair scorers: examples, trees as arrays, thresholds, and odd collections."""

import json
from dataclasses import replace

import numpy as np
import pytest

from coindex.document import Entity
from coindex.errors import CoindexError
from coindex.resolvers.cross.collection import Collection
from coindex.resolvers.cross.linking import link, project_vectors
from coindex.resolvers.cross.neighbours import Projection
from coindex.resolvers.cross.scorer import BoostedTrees, Logistic, load_scorer
from coindex.resolvers.cross.topics import find_topics
from coindex.resolvers.cross.vectors import NAMES, make_vectors
from coindex.settings import ConfigError
from coindex.training.cross.config import PairsConfig
from coindex.training.cross.pair_scorer import (
    Dev,
    average_trees,
    best_few,
    best_threshold,
    boost,
    convert_trees,
    pair_feature_names,
    score_examples,
    train_pairs,
)
from coindex.training.cross.pairs_data import (
    CachedEncoder,
    draw_pairs,
    fit_projection,
    make_examples,
    pair_weights,
    split_entities,
)
from parsed_text import words
from tiny_cross import documents

TINY = PairsConfig(rounds=10, least=1, leaves=4, members=2, share=1.0, networks=0)


class Letters:
    """An encoder for tests: a word is its letters."""

    size = 26

    def encode(self, docs):
        return [LetterVectors(doc) for doc in docs]


class LetterVectors:
    def __init__(self, doc):
        self.words = np.zeros((len(doc.tokens), Letters.size), dtype=np.float32)
        for at, form in enumerate(doc.tokens.forms):
            for letter in form.lower():
                self.words[at, (ord(letter) - ord("a")) % Letters.size] += 1
        self.lower = self.words
        sums = [self.words[sentence.start : sentence.end].sum(axis=0) for sentence in doc.sentences]
        self.sentences = np.array(sums, dtype=np.float32).reshape(-1, Letters.size)


def nothing(collection):
    return {}


def split():
    docs = documents()
    return {"train": [doc for doc in docs if doc.topic != "4"], "dev": [doc for doc in docs if doc.topic == "4"]}


def trained(folder, *, docs=None, predicted=None, config=TINY, encoder=None):
    rows = []
    facts = train_pairs(config, folder, docs or split(), encoder, predicted or {"train": [], "dev": []}, rows.append)
    return facts, rows


@pytest.fixture
def sklearn():
    return pytest.importorskip("sklearn.ensemble")


def test_examples_know_which_mentions_are_the_same():
    docs = split()["train"]
    examples = make_examples(docs, None, nothing)
    left, right, same = examples.pairs("event")
    texts = [mention.text.lower() for mention in examples.collection.mentions]
    assert same.any()
    assert not same.all()
    assert all(texts[one] == texts[other] for one, other in zip(left[same], right[same], strict=True))
    assert (examples.topic[left] == examples.topic[right]).all()
    assert (examples.collection.entity_sizes == 1).all()  # what is to be learned is not told


def test_ids_that_documents_do_not_share_mean_nothing_beyond_them():
    docs = [doc.replace(shared_ids=False) for doc in split()["train"]]
    examples = make_examples(docs, None, nothing)
    document = examples.collection.document
    left, right, same = examples.pairs("entity")
    assert (document[left[same]] == document[right[same]]).all()


def test_found_mentions_mean_what_those_with_their_words_or_head_mean():
    key = words("the old town saw a storm", id="a", topic="1")
    town, storm = key.mention([0, 1, 2]), key.mention([5])
    key = key.replace(entities=(Entity("t", (town,)), Entity("s", (storm,), kind="event")), shared_ids=True)
    found = key.replace(
        entities=(
            Entity("x", (key.mention([1, 2]),)),
            Entity("y", (key.mention([5]),)),
            Entity("z", (key.mention([4]),)),
        )
    )
    given, response = make_examples([key], None, nothing), make_examples([key], [found], nothing)
    by_text = dict(zip((m.text for m in response.collection.mentions), response.entity.tolist(), strict=True))
    assert by_text["old town"] == given.entity[0]  # by its head
    assert by_text["storm"] not in given.entity.tolist()  # of the other kind
    assert by_text["a"] not in (by_text["storm"], *given.entity.tolist())


def test_mentions_of_an_entity_count_and_not_its_pairs():
    docs = split()["train"]
    examples = make_examples(docs, None, nothing)
    left, _, same = examples.pairs("event")
    weights = pair_weights(examples, left, same)
    assert weights[same].sum() == pytest.approx(same.sum())
    assert weights[~same].sum() == pytest.approx((~same).sum())
    sizes = np.bincount(examples.entity)[examples.entity[left[same]]]
    assert len(set(sizes.tolist())) > 1
    assert np.ptp(weights[same] * (sizes - 1)) == pytest.approx(0)


def test_drawn_pairs():
    same = np.array([True] * 3 + [False] * 100)
    chosen = draw_pairs(same, 5, np.random.default_rng(1))
    assert same[chosen].sum() == 3
    assert len(chosen) == len(set(chosen.tolist())) == 18
    assert len(draw_pairs(same, 1000, np.random.default_rng(1))) == 103


def test_documents_are_encoded_once():
    class Counting(Letters):
        asked = 0

        def encode(self, docs):
            self.asked += len(docs)
            return super().encode(docs)

    counting = Counting()
    remembering = CachedEncoder(counting)
    docs = split()["train"]
    first = remembering.encode(docs)
    again = remembering.encode([*docs[:2], split_entities(docs[0])])
    assert counting.asked == len(docs)
    assert again[2].words.tolist() == again[0].words.tolist() == first[0].words.tolist()
    assert first[1].sentences.tolist() == LetterVectors(docs[1]).sentences.tolist()
    one, other = words("a b / c"), words("a / b c")
    assert [len(part.sentences) for part in remembering.encode([one, other])] == [2, 2]
    assert remembering.encode([one])[0].sentences.tolist() != remembering.encode([other])[0].sentences.tolist()


def test_a_projection_keeps_what_distinguishes_entities():
    """Two numbers of a vector are noise, the third says which entity it is."""
    docs = split()["train"]
    plain = make_examples(docs, None, nothing)
    random = np.random.default_rng(5)
    vectors = random.normal(size=(len(plain.entity), 3)).astype(np.float32)
    vectors[:, 2] = np.where(plain.entity % 2, 2, -2)
    examples = replace(plain, vectors={"span": vectors, "document": np.ones_like(vectors)})
    projection = fit_projection(examples, "event", 1)
    weights = np.abs(projection.matrix[:, 0])
    assert weights.argmax() == 2
    assert weights[2] > 2 * weights[[0, 1, 3, 4, 5]].max()
    assert fit_projection(examples, "event", 0) is None
    assert fit_projection(plain, "event", 8) is None
    assert fit_projection(examples, "event", 1, without=np.unique(examples.topics)) is None
    with pytest.raises(CoindexError, match="the vectors have 6 dimensions; the pair scorer was trained with 4"):
        Projection(projection.names, projection.matrix[:4])(examples.vectors)


def test_trees_are_converted_exactly(sklearn):
    random = np.random.default_rng(3)
    rows = random.normal(size=(500, 6)).astype(np.float32)
    targets = rows[:, 0] * rows[:, 1] + rows[:, 2] > 0.3
    rows[random.random(rows.shape) < 0.1] = np.nan
    rows[:, 5] = random.integers(0, 3, len(rows))
    model = sklearn.HistGradientBoostingClassifier(max_iter=30, early_stopping=False).fit(rows, targets)
    trees, bias = convert_trees(model)
    scorer = BoostedTrees(tuple("abcdef"), trees, bias)
    new = np.concatenate([rows, random.normal(size=(200, 6)).astype(np.float32)])
    assert np.abs(scorer(new) - model.predict_proba(new)[:, 1]).max() < 1e-12


def test_a_mean_of_trees(sklearn):
    random = np.random.default_rng(3)
    rows = random.normal(size=(300, 4)).astype(np.float32)
    targets = rows[:, 0] > rows[:, 1]
    members = [boost(rows, targets, TINY, seed) for seed in (1, 2)]
    members[1] = boost(rows, ~targets, TINY, 2)
    trees, bias = average_trees(members)
    expected = np.mean([one.sums(rows) + start for one, start in members], axis=0)
    assert trees.sums(rows) + bias == pytest.approx(expected)


def test_what_is_learned_beats_chance(sklearn, tmp_path):
    facts, rows = trained(tmp_path, encoder=Letters())
    assert set(facts) == {"event", "entity"} == {row["pairs"] for row in rows}
    assert {one["learned_from"] for one in facts.values()} == {"given"}
    json.dumps(facts)
    assert all(one["scores"][0]["conll"] > 80 for one in facts.values())
    vectors = make_vectors(Letters())
    dev = make_examples(split()["dev"], None, vectors)
    for kind in facts:
        scorer = load_scorer(tmp_path / f"{kind}.npz")
        left, right, same = dev.pairs(kind)
        probability = scorer(project_vectors(dev.maker(), scorer)(left, right, scorer.features))
        assert probability[same].mean() > probability[~same].mean() + 0.2
        assert {f"cosine:{name}" for name in NAMES} < set(scorer.features)
        assert not any(name.startswith("chain") for name in scorer.features)


def test_it_works_without_an_encoder_and_with_mentions_that_were_found(sklearn, tmp_path):
    docs = split()
    found = {name: [split_entities(doc) for doc in part] for name, part in docs.items()}
    facts, rows = trained(tmp_path, predicted=found)
    assert len(facts["event"]["scores"]) == 2
    tried = {row["learned_from"]: sum(row["conll"]) for row in rows if row["pairs"] == "event" and "conll" in row}
    assert set(tried) == {"given", "found", "both"}
    assert tried[facts["event"]["learned_from"]] == max(tried.values())
    assert not any(":" in name for name in load_scorer(tmp_path / "event.npz").features)
    examples = make_examples(docs["dev"], None, nothing)
    for kind in ("event", "entity"):  # what words can mean is compared where it was asked for
        expected = pair_feature_names(examples, meanings=kind == "event")
        assert load_scorer(tmp_path / f"{kind}.npz").features == expected


def test_the_second_look_has_learned_and_can_be_left_out(sklearn, tmp_path):
    trained(tmp_path / "with", encoder=Letters())
    trained(tmp_path / "without", encoder=Letters(), config=replace(TINY, second=0))
    one, other = (load_scorer(tmp_path / name / "event.npz") for name in ("with", "without"))
    assert other.second is None
    assert {"first", "between", "company:meaning", "company:span", "company:learned"} < set(one.second.features)
    dev = make_examples(split()["dev"], None, make_vectors(Letters()))
    _, _, same = dev.pairs("event")
    probability = score_examples(one, "event", dev).probability
    assert probability[same].mean() > probability[~same].mean() + 0.2
    assert len(one.second.trees.roots) == TINY.second * TINY.rounds


def test_networks_stand_beside_the_trees_of_the_kinds_that_ask_for_them(sklearn, tmp_path):
    pytest.importorskip("torch")
    config = replace(TINY, networks=2, hidden=4, meanings=())
    trained(tmp_path, encoder=Letters(), config=config)
    event, entity = (load_scorer(tmp_path / f"{kind}.npz") for kind in ("event", "entity"))
    assert entity.networks is None
    assert event.networks.first.shape == (2, len(event.features) + 1, 4)
    assert not any(name.startswith(("meaning", "company:meaning")) for name in event.features + event.second.features)


def test_one_topic_is_too_few_for_a_second_look(sklearn, tmp_path):
    docs = [doc for doc in split()["train"] if doc.topic == "1"]
    trained(tmp_path, docs={"train": docs, "dev": []})
    assert load_scorer(tmp_path / "event.npz").second is None


@pytest.mark.parametrize("source", ["given", "found", "both"])
def test_the_source_of_training_pairs_can_be_chosen(source, sklearn, tmp_path):
    docs = split()
    found = {name: [split_entities(doc) for doc in part] for name, part in docs.items()}
    facts, rows = trained(tmp_path, predicted=found, config=replace(TINY, learn_from=source, second=0))
    assert {one["learned_from"] for one in facts.values()} == {source}
    assert {row["learned_from"] for row in rows if "conll" in row} == {source}


def test_what_few_documents_need_is_chosen_on_small_collections(monkeypatch):
    """A scorer that is too careful there is made bolder, and only as far as it helps."""
    docs = split()["dev"]
    dev = Dev(docs, make_examples(docs, None, nothing))
    careful = Logistic(("head_form",), np.array([2.0]), bias=-2.2, threshold=0.5)
    assert best_few(careful, "event", dev) == 0.5
    assert best_few(replace(careful, bias=-1.0), "event", dev) == 0.0


def test_two_runs_are_the_same(sklearn, tmp_path):
    for name in ("a", "b"):
        trained(tmp_path / name, encoder=Letters())
    rows = np.random.default_rng(0).random((50, 200)).astype(np.float32)
    for kind in ("event", "entity"):
        one, other = (load_scorer(tmp_path / name / f"{kind}.npz") for name in ("a", "b"))
        assert one(rows[:, : len(one.features)]).tolist() == other(rows[:, : len(one.features)]).tolist()
    scorers = {kind: load_scorer(tmp_path / "a" / f"{kind}.npz") for kind in ("event", "entity")}
    labels = [clusters(scorers, split()["dev"]) for _ in range(2)]
    assert labels[0] == labels[1]
    assert len(set(labels[0])) < len(labels[0])


def clusters(scorers, docs):
    collection = Collection.of([split_entities(doc) for doc in docs])
    vectors = make_vectors(Letters())(collection)
    return link(collection, find_topics(collection.documents, "auto"), scorers, vectors=vectors).labels.tolist()


def test_odd_collections_are_resolved(sklearn, tmp_path):
    trained(tmp_path, encoder=Letters())
    scorers = {kind: load_scorer(tmp_path / f"{kind}.npz") for kind in ("event", "entity")}
    one = split()["dev"][0]
    empty = words("", id="empty", topic="4")
    assert clusters(scorers, [empty]) == []
    assert len(set(clusters(scorers, [one]))) == len(one.mentions())
    twice = clusters(scorers, [one, empty, one.replace(id="again")])
    assert twice[: len(twice) // 2] == twice[len(twice) // 2 :]  # a copy tells of the same


def test_odd_collections_are_learned_from(sklearn, tmp_path):
    docs = split()
    docs["train"] = [words("", id="empty", topic="1"), *docs["train"], docs["train"][0].replace(id="again")]
    facts, _ = trained(tmp_path / "a", docs={**docs, "dev": []}, encoder=Letters())
    assert facts["event"]["threshold"] == 0.5
    assert facts["event"]["scores"] == []
    no_events = [doc.replace(entities=tuple(e for e in doc.entities if e.kind != "event")) for doc in docs["train"]]
    facts, rows = trained(tmp_path / "b", docs={"train": no_events, "dev": []})
    assert set(facts) == {"entity"}
    assert "no scorer" in next(row["remark"] for row in rows if row["pairs"] == "event")
    assert not (tmp_path / "b" / "event.npz").exists()
    nobody = [split_entities(doc) for doc in docs["train"]]
    with pytest.raises(CoindexError, match="no mentions of the training topics are coreferent"):
        trained(tmp_path / "c", docs={"train": nobody, "dev": []})


def test_the_threshold_is_the_best_one(sklearn, tmp_path):
    docs = split()
    trained(tmp_path, docs=docs)
    examples = make_examples(docs["dev"], None, nothing)
    tuned = best_threshold(load_scorer(tmp_path / "event.npz"), "event", [Dev(docs["dev"], examples)])
    assert 0 < tuned.threshold < 1
    assert "ecb-topic" in tuned.scores[0]["signature"]


@pytest.mark.parametrize(
    "changes",
    [{"members": 0}, {"leaves": 1}, {"negatives": 0}, {"rate": -1}, {"share": 0}, {"share": 1.5}, {"second": -1}],
)
def test_settings_that_mean_nothing(changes):
    with pytest.raises(ConfigError, match=f"pairs: {next(iter(changes))}"):
        PairsConfig(**changes)
