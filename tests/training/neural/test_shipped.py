"""The files shipped with the weights: training records that can be read and that describe these weights."""

import pytest

for package in ("torch", "transformers"):
    pytest.importorskip(package)

from coindex.resolvers.neural.folder import read_description  # noqa: E402
from coindex.resolvers.resolver import find_shipped_folder  # noqa: E402
from coindex.settings import parse_section  # noqa: E402
from coindex.training.neural.config import Config, read_config  # noqa: E402

FILES = sorted(find_shipped_folder("en-small").glob("[0-9]*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_step_can_be_read(path):
    assert read_config(path).name == path.parent.name


def test_the_last_step_is_that_of_en_small():
    folder = find_shipped_folder("en-small")
    written = parse_section(Config, read_description(folder)["config"], "model.json")
    assert written.relevant_settings() == read_config(max(FILES)).relevant_settings()
