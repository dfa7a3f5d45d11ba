"""A tiny corpus with topics, a tiny encoder, and a run on both."""

import pytest

from tiny_cross import CONFIG, make_run


@pytest.fixture(scope="session")
def here(tmp_path_factory):
    """A folder with an encoder, a corpus and tiny.toml."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    pytest.importorskip("sklearn")
    return make_run(tmp_path_factory.mktemp("cross"))


@pytest.fixture(scope="session")
def make_config(here):
    """The configuration with paths as they are; what is given replaces training settings."""
    import tomllib

    from coindex.settings import parse_section
    from coindex.training.cross.config import CrossConfig

    def make(model=None, **train):
        table = tomllib.loads(CONFIG)
        table["train"] |= train
        table["model"] |= model or {}
        return parse_section(CrossConfig, table, "tiny").locate(here, None)

    return make
