"""The values of pair features in a small collection."""

import numpy as np
import pytest
from scipy import sparse

from coindex.document import Entity, Mention
from coindex.errors import CoindexError, UnknownNameError
from coindex.resolvers.cross import features, terms
from coindex.resolvers.cross.collection import Collection
from coindex.resolvers.cross.features import FEATURES, FeatureMaker
from coindex.resolvers.cross.neighbours import all_pairs
from coindex.resolvers.cross.terms import DocumentGroups
from news import documents
from parsed_text import with_mentions, words


@pytest.fixture(scope="module")
def maker():
    return FeatureMaker(Collection.of(documents()))


def feature(maker, name, one, other):
    """A feature of two mentions, each given by its document and text."""
    rows = []
    for document, text in (one, other):
        pairs = zip(maker.collection.document.tolist(), maker.collection.mentions, strict=True)
        rows.append(next(row for row, (number, m) in enumerate(pairs) if number == document and m.text == text))
    return float(maker(np.array(rows[:1]), np.array(rows[1:]), [name])[0, 0])


BRANDT, MAYOR = (0, "Mayor Lena Brandt"), (1, "The mayor Lena Brandt")


@pytest.mark.parametrize(
    ("name", "one", "other", "value"),
    [
        ("head", BRANDT, MAYOR, 1),
        ("head", (0, "storm"), (0, "struck"), 0),
        ("head_form", (1, "storm"), (0, "storm"), 1),
        ("string", BRANDT, MAYOR, 1),  # the article says nothing
        ("string", BRANDT, (2, "Lena Brandt"), 0),
        ("words", BRANDT, (2, "Lena Brandt"), 2 * 2 / 5),
        ("words_overlap", BRANDT, (2, "Lena Brandt"), 1),
        ("words", (0, "storm"), (2, "opened"), 0),
        ("head_prefix", (0, "storm"), (0, "struck"), 2 / 12),
        ("head_trigrams", (0, "storm"), (1, "storm"), 1),
        ("head_inside", (0, "Port Alder"), (2, "The museum of Port Alder"), 1),
        ("head_inside", (0, "Port Alder"), (1, "Port Alder"), 0),
        ("names", BRANDT, MAYOR, 2),
        ("names", BRANDT, (0, "help"), 1),
        ("pronouns", BRANDT, MAYOR, 0),
        ("length", (0, "storm"), BRANDT, 2),
        ("argument_after", (0, "struck"), (1, "struck"), 1),  # Port Alder
        ("argument_before", (0, "said"), (1, "visited"), 1),  # Brandt
        ("argument_before", (0, "struck"), (1, "struck"), 0),
        ("same_document", (0, "storm"), (0, "help"), 1),
        ("same_document", (0, "storm"), (1, "storm"), 0),
        ("same_sentence", (0, "storm"), (0, "struck"), 1),
        ("depth", (0, "storm"), (0, "help"), 1),
        ("nested", (2, "Port Alder"), (2, "The museum of Port Alder"), 1),
        ("nested", (0, "Port Alder"), (2, "The museum of Port Alder"), 0),
        ("nested", (0, "storm"), (0, "struck"), 0),
        ("chain", (0, "storm"), (1, "storm"), 0),
        ("document", (0, "storm"), (0, "help"), 1),
    ],
)
def test_values(maker, name, one, other, value):
    assert feature(maker, name, one, other) == pytest.approx(value)


def test_more_similar_pairs_have_higher_values(maker):
    same, other = ((0, "struck"), (1, "struck")), ((0, "struck"), (2, "opened"))
    for name in ("arguments", "window", "sentence", "document"):
        assert feature(maker, name, *same) > feature(maker, name, *other), name
    assert feature(maker, "sentence_names", *same) == 1
    assert feature(maker, "sentence_names", (0, "struck"), (0, "promised")) == 0


def test_times_places_and_numbers():
    def maker_of(*texts):
        docs = [with_mentions(words(text, language="en"), [1], [2], kinds=["event", "entity"]) for text in texts]
        return FeatureMaker(Collection.of(docs))

    maker = maker_of(
        "A quake 7 in Lima on Monday June 3 , 2014", "A quake 8 in Lima on Monday June 4 , 2014", "A quake x"
    )
    first, second = np.array([0]), np.array([2])
    values = dict(zip(FEATURES, maker(first, second, list(FEATURES))[0].tolist(), strict=True))
    assert values["places"] == 1
    assert values["times"] == 1
    assert (values["dates_same"], values["dates_differ"]) == (0, 1)
    assert maker(np.array([1]), np.array([3]), ["numbers_differ"])[0, 0] == 1
    assert maker(np.array([1]), np.array([5]), ["numbers_differ"])[0, 0] == 0
    assert maker(np.array([0]), np.array([4]), ["dates_same", "dates_differ", "times", "places"]).tolist() == [[0] * 4]


def test_features_do_not_depend_on_the_order_of_a_pair(maker):
    left, right = all_pairs(np.zeros(len(maker.collection), dtype=np.int64))
    names = list(FEATURES)
    assert np.allclose(maker(left, right, names), maker(right, left, names))
    assert np.isfinite(maker(left, right, names)).all()


def test_pairs_come_in_pieces(maker, monkeypatch):
    left, right = all_pairs(np.zeros(len(maker.collection), dtype=np.int64))
    whole = maker(left, right, list(FEATURES))
    monkeypatch.setattr(features, "PAIRS", 7)
    assert np.array_equal(maker(left, right, list(FEATURES)), whole)


def test_chains_within_documents_count():
    docs = documents()
    first = docs[0]
    joined = first.entities[2].mentions + first.entities[7].mentions  # as if both were one
    entities = (first.entities[0], first.entities[1], *first.entities[3:7], *first.entities[8:])
    chained = first.replace(entities=(*entities, first.entities[2].__class__("x", joined)))
    maker = FeatureMaker(Collection.of([chained, *docs[1:]]))
    assert feature(maker, "chain", (0, "Port Alder"), (0, "Brandt")) == 1
    assert feature(maker, "chain_words", (0, "Brandt"), (1, "Port Alder")) > 0
    assert feature(maker, "words", (0, "Brandt"), (1, "Port Alder")) == 0


def test_cosines_of_vectors_and_centred_on_topics():
    collection = Collection.of(documents())
    vectors = np.ones((len(collection), 2), dtype=np.float32)
    vectors[0], vectors[1], vectors[2] = (3, 0), (0, 2), (0, 0)
    maker = FeatureMaker(collection, np.array([0, 1, 1]), {"m": vectors})
    assert maker.names[-3:] == ["cosine:m", "centred:m", "typed:m"]
    left, right = np.array([0, 0, 0]), np.array([1, 3, 2])
    assert maker(left, right, ["cosine:m"]).ravel() == pytest.approx([0, 2**-0.5, 0])
    mean = vectors[:10].mean(axis=0)
    one, other = vectors[0] - mean, vectors[1] - mean
    expected = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert maker(left[:1], right[:1], ["centred:m"])[0, 0] == pytest.approx(expected)
    # all vectors of the other topic are its mean, so nothing is left of them
    assert maker(np.array([12]), np.array([13]), ["centred:m"])[0, 0] == 0


def test_typed_cosines_are_those_of_all_mentions_with_the_head():
    docs = [with_mentions(words(text), [1], [3]) for text in ("A storm and fire", "A fire or storm")]
    collection = Collection.of(docs)
    vectors = np.zeros((4, 2), dtype=np.float32)
    storms = [row for row, mention in enumerate(collection.mentions) if mention.text == "storm"]
    vectors[storms] = [(1, 0), (0, 1)]
    vectors[[row for row in range(4) if row not in storms]] = [(-1, 0), (0, -3)]
    maker = FeatureMaker(collection, None, {"m": vectors})
    assert maker(np.array(storms[:1]), np.array(storms[1:]), ["typed:m"])[0, 0] == pytest.approx(1)
    assert maker(np.array([0]), np.array([1]), ["typed:m"])[0, 0] == pytest.approx(-1)


def test_confidence_of_what_found_the_mentions():
    doc = words("storm struck Alder again")
    said = [{"mention": "0.25"}, {"mention": "0.75"}, {}, {"mention": "nan"}]
    mentions = [Mention(doc.tokens, (at,), None, attributes) for at, attributes in enumerate(said)]
    doc = doc.replace(entities=tuple(Entity(f"e{at}", (mention,)) for at, mention in enumerate(mentions)))
    maker = FeatureMaker(Collection.of([doc]))
    left, right = np.array([0, 1, 2]), np.array([1, 2, 3])
    assert maker(left, right, ["confidence_least"]).ravel().tolist() == [0.25, 0.75, 1]
    assert maker(left, right, ["confidence_most"]).ravel().tolist() == [0.75, 1, 1]


def test_weights_of_a_topic():
    """What all documents of a topic say does not make two of them alike; what few say does."""
    texts = ["storm struck Alder", "storm struck Alder", "storm struck Corran", "storm struck Corran Corran"]
    docs = [with_mentions(words(text), [1]) for text in texts]
    maker = FeatureMaker(Collection.of(docs), np.zeros(4, dtype=np.int64))
    same, other = np.array([0, 0]), np.array([1, 2])
    for name in ("document", "sentence", "window"):
        plain, within = (maker(same, other, [each]).ravel() for each in (name, f"{name}_within"))
        assert plain[0] == pytest.approx(1)
        assert within[0] == pytest.approx(1)
        assert within[1] < 0.2 < plain[1]
    alike = maker(np.array([0, 2, 0]), np.array([1, 3, 3]), ["document_group"]).ravel()
    assert alike[1] > alike[2]
    assert alike[0] > alike[2]


def test_document_similarity_depends_on_the_groups_in_which_they_merge():
    rows = sparse.csr_matrix(np.array([[1, 0, 0], [0.8, 0.6, 0], [0.6, 0.8, 0], [0, 0, 1]]))
    groups = DocumentGroups(rows, np.array([0, 0, 0, 0]))
    left, right = np.array([0, 1, 0, 3, 2]), np.array([2, 2, 1, 0, 2])
    assert groups(left, right) == pytest.approx([(0.6 + 0.8) / 2, 0.96, (0.6 + 0.8) / 2, 0, 1])
    apart = DocumentGroups(rows, np.array([1, 0, 1, 0]))
    assert apart(np.array([0, 1, 2]), np.array([2, 3, 2])) == pytest.approx([0.6, 0, 1])


def test_documents_of_large_topics_are_compared_one_by_one(monkeypatch):
    monkeypatch.setattr(terms, "MOST", 2)
    rows = sparse.csr_matrix(np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1], [1, 0]]))
    groups = DocumentGroups(rows, np.array([0, 0, 0, 1, 1]))
    assert groups(np.array([0, 1, 3]), np.array([2, 2, 4])) == pytest.approx([0.6, 0.96, 0])


def test_unknown_features_and_missing_vectors(maker):
    nobody = np.zeros(0, dtype=np.int64)
    with pytest.raises(UnknownNameError, match="did you mean"):
        maker(nobody, nobody, ["heads"])
    with pytest.raises(CoindexError, match=r"feature 'cosine:minilm' needs the vectors 'minilm'"):
        maker(nobody, nobody, ["cosine:minilm"])


def test_no_mentions():
    maker = FeatureMaker(Collection.of([words("Nothing here")]))
    nobody = np.zeros(0, dtype=np.int64)
    assert maker(nobody, nobody, list(FEATURES)).shape == (0, len(FEATURES))
