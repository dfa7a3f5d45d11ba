"""Named configurations: their settings, and files that are based on one."""

from pathlib import Path

import pytest

import coindex
from coindex.errors import CoindexError
from coindex.settings import parse_section
from coindex.training.config import find_configurations, read_table
from coindex.training.neural.config import Config, read_config

MODELS = Path(coindex.__file__).parent / "models"
MINE = """
base = "corpipe-single"
name = "mine"

[model]
right = 20

[[corpora]]
name = "gum"
train = "gum.conllu"
"""
CORPORA = [{"name": "gum", "train": "gum.conllu"}]
PARTS = {
    # detection, linking, windows, corpus id, sampling, reduced
    "corpipe": ("tags", "attention", "sentence", True, "share", "no"),
    "corpipe-straka": ("tags", "attention", "sentence", True, "size", "all"),
    "corpipe-single": ("tags", "attention", "sentence", False, "log", "all"),
    "corpipe-only": ("tags", "attention", "sentence", False, "share", "all"),
    "e2e": ("spans", "ranking", "packed", False, "share", "no"),
    "s2e": ("start-end", "start-end", "packed", False, "share", "no"),
    "head": ("spans", "ranking", "packed", False, "size", "smaller"),
}


def test_all_names_are_known():
    assert set(find_configurations()) == set(PARTS)


@pytest.mark.parametrize("name", PARTS)
def test_a_named_configuration_has_the_settings_of_its_system(name):
    path = find_configurations()[name]
    config = parse_section(Config, read_table(path) | {"corpora": CORPORA}, name)
    model, train, decode = config.model, config.train, config.decode
    parts = (model.detection, model.linking, model.windows, model.corpus_id, train.sampling, decode.reduce)
    assert parts == PARTS[name]
    assert config.name == name
    assert train.best_per_corpus == (name == "corpipe-straka")
    assert model.right == 50
    assert path.read_text(encoding="utf-8").startswith("# "), "it says which system it stands for"


def test_the_configurations_of_shipped_models_can_be_read():
    paths = [path for path in MODELS.glob("*/*.toml") if "kind" not in read_table(path) and path.stem != "card"]
    assert len(paths) > 4
    for path in paths:
        assert read_config(path).name == path.parent.name


def test_a_file_contains_only_differences_from_its_base(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINE, encoding="utf-8")
    config = read_config(path)
    assert config.name == "mine"
    assert config.model.right == 20
    assert config.model.windows == "sentence"  # from corpipe
    assert config.train.sampling == "log"  # from corpipe-single
    assert [corpus.name for corpus in config.corpora] == ["gum"]


def test_a_base_must_have_a_name_that_is_known(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "corpip"\n', encoding="utf-8")
    with pytest.raises(CoindexError, match=r"unknown base in .*mine\.toml 'corpip'; did you mean corpipe"):
        read_config(path)
