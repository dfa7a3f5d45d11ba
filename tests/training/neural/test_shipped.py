"""What ships beside the weights: the files that say how they were made can be read, and tell of these weights."""

import pytest

for package in ("torch", "transformers"):
    pytest.importorskip(package)

from coindex.resolvers.neural.folder import read_description  # noqa: E402
from coindex.resolvers.resolver import find_shipped_folder  # noqa: E402
from coindex.settings import parse_section  # noqa: E402
from coindex.training.neural.config import Config, read_config  # noqa: E402

FILES = [path for name in ("en-small", "en-base") for path in sorted(find_shipped_folder(name).glob("[0-9]*.toml"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_step_can_be_read(path):
    assert read_config(path).name == path.parent.name


def test_the_last_step_is_that_of_en_small():
    folder = find_shipped_folder("en-small")
    written = parse_section(Config, read_description(folder)["config"], "model.json")
    last = max(path for path in FILES if path.parent == folder)
    assert written.relevant_settings() == read_config(last).relevant_settings()


def test_en_base_is_whole():
    data = read_description(find_shipped_folder("en-base"))
    assert set(data["weights"]) == {"model.safetensors", "tokenizer.json", "encoder.json"}
    best = max(data["scores"], key=lambda row: sum(one["conll"] for one in row["scores"].values()))
    assert data["epoch"] == best["epoch"], "the best epoch is kept"
