"""Average linkage: as scipy has it, over sparse pairs, with chains that stay together and entities that stay apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as reference
from scipy.spatial.distance import squareform

from coindex.resolvers.cross.clustering import (
    ClusterOptions,
    Known,
    cluster,
    in_reading_order,
    link_dense,
    link_scores,
    link_sparse,
)
from coindex.resolvers.cross.neighbours import Pairs


def probabilities(number, seed, groups=4):
    random = np.random.default_rng(seed)
    group = random.integers(max(1, number // groups), size=number)
    noise = random.random((number, number))
    matrix = np.where(group[:, None] == group, 0.35 + 0.65 * noise, 0.6 * noise)
    matrix = (matrix + matrix.T) / 2
    np.fill_diagonal(matrix, 1)
    return matrix


def all_of(matrix):
    left, right = np.triu_indices(len(matrix), 1)
    return Pairs(left, right, matrix[left, right])


def expected(matrix, threshold):
    if len(matrix) < 2:
        return np.arange(len(matrix))
    tree = reference(squareform(1 - matrix, checks=False), "average")
    return in_reading_order(fcluster(tree, 1 - threshold, "distance").astype(np.int64))


@given(st.integers(1, 60), st.integers(0, 10**6), st.sampled_from([0.3, 0.45, 0.5, 0.6, 0.8]))
def test_as_scipy(number, seed, threshold):
    matrix = probabilities(number, seed)
    pairs = all_of(matrix)
    wanted = expected(matrix, threshold).tolist()
    options = ClusterOptions(threshold=threshold)
    assert cluster(number, pairs, options)[0].tolist() == wanted
    ones = np.ones(number, dtype=np.int64)
    sparse = link_sparse(pairs.left, pairs.right, pairs.probability, ones, threshold)
    assert in_reading_order(sparse).tolist() == wanted
    # missing pairs are scored where they matter
    some = pairs.probability >= threshold
    few = Pairs(pairs.left[some], pairs.right[some], pairs.probability[some])
    assert cluster(number, few, options, score=lambda one, other: matrix[one, other])[0].tolist() == wanted


def of(number, *links):
    left, right, probability = zip(*links, strict=True) if links else ((), (), ())
    return Pairs(np.array(left, dtype=np.int64), np.array(right, dtype=np.int64), np.array(probability, dtype=float))


def labels(number, pairs, threshold=0.5, **more):
    return cluster(number, pairs, ClusterOptions(threshold=threshold), **more)[0].tolist()


def test_missing_pairs_count_as_unlike_without_a_scorer():
    assert labels(3, of(3, (0, 1, 0.9), (1, 2, 0.8))) == [0, 0, 1]
    assert labels(3, of(3, (0, 1, 0.9), (1, 2, 0.8)), score=lambda one, other: np.full(len(one), 0.3)) == [0, 0, 0]


def test_of_equals_the_first_in_reading_order():
    links = of(4, (0, 1, 0.8), (0, 2, 0.2), (1, 2, 0.8), (1, 3, 0.2), (2, 3, 0.8))
    assert labels(4, links, 0.6) == [0, 0, 1, 1]
    ones = np.ones(4, dtype=np.int64)
    assert link_sparse(links.left, links.right, links.probability, ones, 0.6).tolist() == [0, 0, 2, 2]


def test_nothing_to_join():
    assert labels(0, of(0)) == []
    assert labels(3, of(3)) == [0, 1, 2]
    assert labels(2, of(2, (0, 1, 0.49))) == [0, 1]
    assert labels(2, of(2, (0, 1, 0.5))) == [0, 0]


def known(together, fixed=None):
    return Known(together=np.array(together), fixed=np.array(fixed or [-1] * len(together)))


def test_chains_stay_together_and_speak_with_one_voice():
    links = of(3, (0, 1, 0.0), (0, 2, 0.9), (1, 2, 0.0))
    assert labels(3, links) == [0, 1, 0]
    assert labels(3, links, known=known([5, 5, -1])) == [0, 0, 1]
    assert labels(3, links, 0.4, known=known([5, 5, -1])) == [0, 0, 0]
    assert labels(3, of(3), known=known([5, -1, 5])) == [0, 1, 0]


def test_fixed_entities_grow_and_are_never_joined():
    links = of(4, (0, 1, 1.0), (0, 2, 0.9), (1, 2, 0.8), (1, 3, 0.7))
    assert labels(4, links, known=known([-1] * 4, [0, 1, -1, -1])) == [0, 1, 0, 1]
    # a third fixed one that is in no pair keeps its own label, and its mentions stay with it
    assert labels(5, of(5, (0, 4, 0.9)), known=known([-1] * 5, [0, 0, 7, 7, -1])) == [0, 0, 1, 1, 0]


def test_both_ways_of_linkage_bar_fixed_ones():
    sums = np.array([[0, 0.9, 0.8], [0.9, 0, 0.9], [0.8, 0.9, 0]])
    barred = np.array([True, False, True])
    ones = np.ones(3, dtype=np.int64)
    assert link_dense(sums, ones, 0.5, barred).tolist() == [0, 0, 2]
    left, right = np.triu_indices(3, 1)
    assert link_sparse(left, right, sums[left, right], ones, 0.5, barred).tolist() == [0, 0, 2]


@pytest.mark.parametrize("threshold", [0.45, 0.6])
def test_large_components_come_out_whole_by_samples(threshold):
    """Only neighbours are known, and no component may be completed: samples join the pieces."""
    number = 200
    truth = np.arange(number) % 2
    left = np.arange(number - 4).repeat(4)
    right = left + np.tile(np.arange(1, 5), number - 4)

    def score(one, other):
        return np.where(truth[one] == truth[other], 0.9, 0.05)

    options = ClusterOptions(threshold=threshold, most=10)
    pairs = Pairs(left, right, score(left, right))
    alone, _ = cluster(number, pairs, options)
    assert len(set(alone.tolist())) > 10
    found, _ = cluster(number, pairs, options, score=score)
    assert found.tolist() == truth.tolist()


def test_link_scores_are_means_within_the_cluster():
    pairs = of(3, (0, 1, 0.8), (0, 2, 0.1), (1, 2, 0.6))
    assert link_scores(np.array([0, 0, 1]), pairs).tolist() == pytest.approx([0.8, 0.8, 1.0])
    assert link_scores(np.array([0, 0, 0]), pairs).tolist() == pytest.approx([0.45, 0.7, 0.35])


def test_labels_in_reading_order():
    assert in_reading_order(np.array([9, 2, 9, 5, 2])).tolist() == [0, 1, 0, 2, 1]


def test_small_clusters_have_to_be_surer():
    five = [(one, other, 0.55) for one in range(5) for other in range(one + 1, 5)]
    pairs = of(10, *five, (5, 6, 0.55), (7, 8, 0.75), (7, 9, 0.75), (8, 9, 0.75))
    options = ClusterOptions(threshold=0.5, small=0.7)
    assert cluster(10, pairs, options)[0].tolist() == [0, 0, 0, 0, 0, 1, 2, 3, 3, 3]
    assert labels(10, pairs) == [0, 0, 0, 0, 0, 1, 1, 2, 2, 2]
    nobody = np.zeros(10, dtype=bool)
    assert cluster(10, pairs, options, crowded=nobody)[0].tolist() == labels(10, pairs)


def test_what_is_known_to_be_one_is_not_given_up():
    known = Known(together=np.array([0, 0, -1, -1]), fixed=np.array([-1, -1, -1, -1]))
    pairs = of(4, (0, 1, 0.1), (0, 2, 0.6), (1, 2, 0.6), (2, 3, 0.1))
    assert labels(4, pairs, known=known) == [0, 0, 0, 1]
    assert cluster(4, pairs, ClusterOptions(threshold=0.5, small=0.7), known=known)[0].tolist() == [0, 0, 1, 2]
