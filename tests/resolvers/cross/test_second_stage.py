"""The second stage compares the neighbours of mentions; what topics of few documents and subtopics change."""

import numpy as np
import pytest

from coindex.document import Entity
from coindex.resolvers.cross import features, linking
from coindex.resolvers.cross.collection import Collection
from coindex.resolvers.cross.features import FeatureMaker, SecondStageFeatures, feature_names
from coindex.resolvers.cross.linking import link, score_pairs
from coindex.resolvers.cross.neighbours import Pairs, all_pairs
from coindex.resolvers.cross.scorer import Logistic, SecondStage, Trees, logits, sigmoid
from coindex.resolvers.cross.topics import find_topics, wider_topics
from parsed_text import words


def collection(*texts, **more):
    """Each word of each text is an event."""
    docs = []
    for number, text in enumerate(texts):
        doc = words(text, id=f"d{number}", **{name: values[number] for name, values in more.items()})
        events = (Entity(f"{number}-{at}", (doc.mention([at]),), kind="event") for at in range(len(doc.tokens)))
        docs.append(doc.replace(entities=tuple(events)))
    return Collection.of(docs)


def pairs(*rows):
    left, right, probability = zip(*rows, strict=True)
    return Pairs(np.array(left), np.array(right), np.array(probability))


def made(one, looked_at, **vectors):
    maker = FeatureMaker(one, np.zeros(len(one.documents), dtype=np.int64), vectors)
    return SecondStageFeatures(maker, np.arange(len(one)), looked_at)


FOUR = collection("foiled thwarted", "foiled thwarted")
SPAN = np.array([[1, 0], [0, 1], [1, 0], [-1, 0]], dtype=np.float32)


def test_vectors_are_means_over_the_company():
    """A mention is drawn towards what it is like, by how much it is."""
    apart = made(FOUR, pairs((0, 2, 0.1)), span=SPAN)
    drawn = made(FOUR, pairs((0, 1, 1.0)), span=SPAN)
    left, right = np.array([0, 0]), np.array([1, 2])
    before = apart(left, right, np.zeros(2), ["company:span"]).ravel()
    after = drawn(left, right, np.zeros(2), ["company:span"]).ravel()
    centred = SPAN - SPAN.mean(axis=0)
    plain = centred[0] @ centred[1] / np.linalg.norm(centred[0]) / np.linalg.norm(centred[1])
    assert before == pytest.approx([plain, 1])
    assert after[0] == pytest.approx(1)  # both are the mean of both now
    assert after[1] < 1


def test_sizes_and_probabilities_between():
    found = made(FOUR, pairs((0, 1, 0.5), (1, 2, 0.5), (2, 3, 0.1)))
    rows = found(np.array([0, 2]), np.array([1, 3]), np.array([1.5, -2]), ["first", "company_least", "company_most"])
    assert rows.tolist() == [[1.5, 1.5, 2.0], [-2.0, 1.0, 1.5]]
    between = found(np.array([0, 1]), np.array([1, 0]), np.zeros(2), ["between"]).ravel()
    # of 0: itself 2/3 and 1 1/3; of 1: itself 1/2, 0 and 2 a quarter each
    assert between == pytest.approx([2 / 3 * 1 / 2 * 0.5 + 1 / 3 * 1 / 4 * 0.5 + 1 / 3 * 1 / 4 * 0.5] * 2)


def test_company_is_bounded(monkeypatch):
    monkeypatch.setattr(features, "MOST", 1)
    found = made(FOUR, pairs((0, 1, 0.4), (0, 2, 0.9), (0, 3, 0.9)))
    assert found.near.toarray().tolist() == [[0, 0, 0.9, 0], [0.4, 0, 0, 0], [0.9, 0, 0, 0], [0.9, 0, 0, 0]]


def test_features_are_the_same_for_both_orders():
    names = feature_names(("span", "other"))
    assert "company:span" in names
    assert "company:other" not in names
    found = made(FOUR, pairs((0, 1, 0.5), (1, 2, 0.3), (0, 3, 0.8)), span=SPAN)
    left, right = all_pairs(np.zeros(4, dtype=np.int64))
    one, other = found(left, right, np.zeros(6), names), found(right, left, np.zeros(6), names)
    assert one == pytest.approx(other, abs=1e-6)


def says(value):
    """Trees of one node: the same for every pair."""
    leaf = np.array([-1])
    nothing = np.array([0])
    return Trees(nothing, leaf, np.zeros(1), nothing, nothing, np.array([value]), np.array([False]))


def test_both_stages_have_equal_weight():
    scorer = Logistic(("head",), np.array([2.0]), bias=-1.0, second=SecondStage(("first",), says(3.0)))
    maker = FeatureMaker(FOUR, np.zeros(2, dtype=np.int64))
    found, score = score_pairs(maker, np.arange(4), (np.array([0, 0]), np.array([1, 2])), scorer, np.zeros(4))
    assert logits(found.probability) == pytest.approx([(-1 + 3) / 2, (1 + 3) / 2])
    assert score(np.array([1]), np.array([3])) == pytest.approx(sigmoid(np.array([2.0])))


def test_known_entities_are_company():
    """Pairs of two known mentions are not scored, but each has the others of its entity for company."""
    seen = []

    class Watching(SecondStage):
        def __call__(self, rows):
            seen.append(rows)
            return np.zeros(len(rows))

    scorer = Logistic(("head",), np.array([0.0]), bias=-4.0, second=Watching(("company_most",), says(0.0)))
    scorers = {"event": scorer, "entity": scorer}
    topics = np.zeros(2, dtype=np.int64)
    link(FOUR, topics, scorers, known=np.array([7, 7, -1, -1]))
    assert {float(row[0]) for rows in seen for row in rows} == {1.0, 2.0}


def test_few_documents_take_mentions_for_the_same_sooner(monkeypatch):
    scorer = Logistic(("head",), np.array([2.0]), bias=-2.5, threshold=0.5, few=1.0)
    topics = np.zeros(2, dtype=np.int64)
    scorers = {"event": scorer, "entity": scorer}
    assert link(FOUR, topics, scorers).labels.tolist() == [0, 1, 0, 1]
    monkeypatch.setattr(linking, "FEW", 1)
    assert link(FOUR, topics, scorers).labels.tolist() == [0, 1, 2, 3]


def test_subtopics_are_resolved_separately_with_features_of_their_topic():
    """A word of the whole subtopic has a low weight within it, but it is rare in the topic."""
    texts = ["storm hit Alder", "storm left Alder", "storm hit Bexley", "storm left Bexley"]
    parts = {"topic": ["1"] * 4, "subtopic": ["1a", "1a", "1b", "1b"]}
    one = collection(*texts, **parts)
    topics = find_topics(one.documents, "subtopic")
    wider = wider_topics(one.documents, "subtopic", topics)
    assert topics.tolist() == [0, 0, 1, 1]
    assert wider.tolist() == [0, 0, 0, 0]
    assert wider_topics(one.documents, "given", topics) is topics
    scorer = Logistic(("sentence_within",), np.array([10.0]), bias=-1.0, threshold=0.6)
    scorers = {"event": scorer, "entity": scorer}
    narrow = link(one, topics, scorers).labels
    wide = link(one, topics, scorers, wider=wider).labels
    assert narrow.tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    assert wide.tolist() == [0] * 6 + [1] * 6


def test_wider_topics_of_documents_without_any():
    one = collection("storm", "storm", "storm", topic=["1", None, None], subtopic=["1a", "x", None])
    topics = np.array([0, 1, 2])
    assert wider_topics(one.documents, "subtopic", topics).tolist() == [0, 1, 2]
    nothing = collection("storm", "storm")
    assert wider_topics(nothing.documents, "subtopic", np.array([0, 1])).tolist() == [0, 1]
