"""The scores of pairs: tables of features put together give what they gave apart."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from coindex.resolvers.neural.pairs import FEATURES  # noqa: E402
from coindex.training.neural.config import ModelConfig  # noqa: E402
from coindex.training.neural.network import JOINT, join_tables, make_link_part  # noqa: E402


@pytest.mark.parametrize("linking", ["attention", "ranking"])
def test_joint_tables_give_the_same_scores(linking):
    torch.manual_seed(3)
    part = make_link_part(ModelConfig(encoder="none", linking=linking, features=tuple(FEATURES), dropout=0)).eval()
    for weight in part.parameters():
        torch.nn.init.normal_(weight, std=0.1)
    inputs = [torch.randn(5, part.columns), torch.randn(9, part.columns)]
    inputs += [torch.randint(5, (200,)), torch.randint(9, (200,))]
    inputs.append(torch.stack([torch.randint(size, (200,)) for size in FEATURES.values()], dim=1))
    before = part(*inputs)
    join_tables(part)
    assert torch.allclose(part(*inputs), before, atol=1e-5)
    assert sorted(column for columns in part.groups for column in columns) == list(range(len(FEATURES)))
    assert len(part.features) < len(FEATURES)
    assert all(len(table.weight) <= JOINT for table in part.features)


def test_a_part_without_features_has_no_parameters():
    part = make_link_part(ModelConfig(encoder="none", linking="start-end"))
    join_tables(part)
    assert not list(part.parameters())
