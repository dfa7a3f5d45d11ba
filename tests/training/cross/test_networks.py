"""The training of networks beside the trees of a pair scorer."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from coindex.resolvers.cross.scorer import sigmoid  # noqa: E402
from coindex.settings import ConfigError  # noqa: E402
from coindex.training.cross.config import PairsConfig  # noqa: E402
from coindex.training.cross.pair_scorer import train_networks  # noqa: E402

CONFIG = PairsConfig(networks=2, hidden=32)


def pairs(number=8000):
    """The same where two columns of different scale are high together; a third says nothing."""
    random = np.random.default_rng(3)
    rows = random.normal(size=(number, 3)).astype(np.float32)
    rows[:, 1] = 50 + 10 * rows[:, 1]
    same = rows[:, 0] + (rows[:, 1] - 50) / 10 > 0
    return rows, same, np.ones(number)


def test_networks_learn_interactions_of_columns():
    rows, same, weights = pairs(30_000)
    networks = train_networks(rows, same, weights, CONFIG)
    found = sigmoid(networks.logits(rows)) > 0.5
    assert (found == same).mean() > 0.8


def test_two_runs_give_the_same_and_leave_the_random_numbers_of_others_alone():
    rows, same, weights = pairs(600)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, other = (train_networks(rows, same, weights, CONFIG) for _ in range(2))
    assert torch.equal(before, torch.get_rng_state())
    for name, array in one.arrays().items():
        assert np.array_equal(array, getattr(other, name)), name
    assert not np.array_equal(one.first[0], one.first[1])


def test_pairs_count_by_their_weights():
    rows, same, _ = pairs(4000)
    likely = [
        sigmoid(train_networks(rows, same, np.where(same, much, 1.0), CONFIG).logits(rows)).mean() for much in (1, 9)
    ]
    assert likely[1] > likely[0] + 0.1


def test_a_column_that_never_changes_does_no_harm():
    rows, same, weights = pairs(600)
    rows[:, 2] = 7
    assert np.isfinite(train_networks(rows, same, weights, CONFIG).logits(rows)).all()


@pytest.mark.parametrize("wrong", [{"networks": -1}, {"hidden": 0}])
def test_settings_that_make_no_network_are_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        PairsConfig(**wrong)
