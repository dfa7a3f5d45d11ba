"""Networks beside trees: what they compute, and that a file keeps them."""

import numpy as np
import pytest

from coindex.errors import CoindexError
from coindex.resolvers.cross.scorer import BoostedTrees, Perceptrons, Trees, load_scorer, save_scorer, sigmoid


def array(*numbers):
    return np.array(numbers, dtype=np.float32)


def networks(*, last=1.0):
    """One that adds both columns where the sum is above 1, and one that always says `last`."""
    first = np.zeros((2, 3, 2), dtype=np.float32)
    first[0, :, 0] = 1, 1, -1
    second = np.zeros((2, 3, 2), dtype=np.float32)
    second[0, 0, 0] = 2
    return Perceptrons(array(10, 0), array(2, 1), first, second, np.array([[1, 0, 0], [0, 0, last]], dtype=np.float32))


def leaf(value):
    one = np.zeros(1, dtype=np.int64)
    return Trees(one, one - 1, one * 0.0, one, one, one + value, one == 1)


def test_columns_are_shifted_and_divided_and_the_mean_of_the_networks_counts():
    rows = np.array([[12, 0], [12, 3], [8, 0]], dtype=np.float32)
    # sums 1, 4 and -1, less 1, doubled; the other network says 1
    assert networks().logits(rows).tolist() == [0.5, 3.5, 0.5]


def test_a_column_far_from_all_others_is_kept_within_bounds():
    rows = np.array([[1000, 0], [18, 0]], dtype=np.float32)
    assert len(set(networks().logits(rows).tolist())) == 1


def test_the_mean_of_trees_and_networks_counts():
    rows = np.array([[12, 3]], dtype=np.float32)
    scorer = BoostedTrees(("a", "b"), leaf(0.5), 1.0, networks=networks())
    assert scorer.logits(rows).tolist() == [(1.5 + 3.5) / 2]
    assert scorer(rows).tolist() == sigmoid(np.array([2.5])).tolist()


def test_a_file_keeps_them(tmp_path):
    rows = np.array([[12, 3], [9, 1]], dtype=np.float32)
    scorer = BoostedTrees(("a", "b"), leaf(0.5), networks=networks(last=-2.0))
    save_scorer(scorer, tmp_path / "pairs.npz")
    assert load_scorer(tmp_path / "pairs.npz")(rows).tolist() == scorer(rows).tolist()


def test_a_scorer_without_networks_has_none_again(tmp_path):
    save_scorer(BoostedTrees(("a", "b"), leaf(0.5)), tmp_path / "pairs.npz")
    assert load_scorer(tmp_path / "pairs.npz").networks is None


def test_networks_for_other_columns_are_refused(tmp_path):
    save_scorer(BoostedTrees(("a", "b", "c"), leaf(0.5), networks=networks()), tmp_path / "pairs.npz")
    with pytest.raises(CoindexError, match="network array mean has shape"):
        load_scorer(tmp_path / "pairs.npz")
