"""The configuration file: its settings are used, and errors in it are refused."""

import pytest

from coindex.errors import CoindexError
from coindex.settings import ConfigError, parse_section
from coindex.training.neural.config import Config, read_config

GOOD = """
name = "small"
[model]
encoder = "some/encoder"
dropout = 0
[train]
window = [128, 256]
[[corpora]]
name = "gum"
train = "gum.conllu"
"""


def write(tmp_path, text):
    path = tmp_path / "run.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_reads(tmp_path):
    config = read_config(write(tmp_path, GOOD))
    assert config.model.encoder == "some/encoder"
    assert config.model.dropout == 0.0
    assert isinstance(config.model.dropout, float)
    assert config.train.window == (128, 256)
    assert config.corpora[0].train == "gum.conllu"
    assert config.corpora[0].dev is None


def test_comes_back_from_a_model_folder(tmp_path):
    config = read_config(write(tmp_path, GOOD))
    assert parse_section(Config, config.to_dict(), "model.json") == config


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("window =", "windw =", r"unknown key in .*train 'windw'; did you mean window"),
        ("dropout = 0", 'dropout = "much"', "expected float, not 'much'"),
        ("dropout = 0", "dropout = true", "expected float, not True"),
        ("[128, 256]", "[128]", "expected"),
        ('encoder = "some/encoder"', "", "the key 'encoder' is missing"),
        ("[model]", "[model", "invalid TOML"),
        ("dropout = 0", f"dropout = {'9' * 5000}", "invalid TOML"),
        ("dropout = 0", f"dropout = {'[' * 5000}", "invalid TOML"),
        ("dropout = 0", 'detection = "tagz"', "unknown value in .*detection 'tagz'; did you mean tags"),
        ("dropout = 0", 'linking = "rules"', "known: attention, ranking, start-end"),
        ("dropout = 0", 'features = "gap"', "features: expected tuple"),
        ("dropout = 0", 'features = ["gapp"]', "unknown feature of a pair 'gapp'; did you mean gap"),
        ("dropout = 0", 'columns = ["Numbr"]', "unknown column of words 'Numbr'; did you mean Number"),
        ("dropout = 0", "span_width = 0", "span_width must be at least 1, not 0"),
        ("dropout = 0", "span_ratio = 0", r"span_ratio must be more than 0, not 0\.0"),
        ("[128, 256]", "[5, 256]", "window must be at least 14, not 5"),
        ("[128, 256]", "[256, 128]", "must have the smaller number first"),
    ],
)
def test_refuses(tmp_path, old, new, message):
    with pytest.raises(CoindexError, match=message):
        read_config(write(tmp_path, GOOD.replace(old, new)))


@pytest.mark.parametrize(
    ("section", "names", "value", "expected"),
    [
        ("model", "mention query pair tag_hidden", 0, "at least 1"),
        ("model", "adapter frozen hints", -1, "at least 0"),
        ("model", "dropout word_dropout encoder_dropout", 1.0, "at least 0 and less than 1"),
        ("model", "dropout word_dropout encoder_dropout", -0.1, "at least 0 and less than 1"),
        ("train", "threads", 0, "at least 1"),
        ("train", "epochs seed words", -1, "at least 0"),
        ("train", "tag_weight link_weight head_weight mention_weight lesson_weight weight_decay", -0.5, "at least 0"),
        ("train", "encoder_rate head_rate clip", 0.0, "more than 0"),
        ("train", "hidden renamed predicted no_corpus no_speakers no_columns", 1.5, "0 to 1"),
        ("train", "hidden renamed predicted no_corpus no_speakers no_columns", -0.5, "0 to 1"),
        ("train", "predicted", float("nan"), "0 to 1"),
        ("train", "average", 1.0, "at least 0 and less than 1"),
        ("decode", "candidates", 0, "at least 1"),
        ("decode", "antecedents", -1, "at least 0"),
        ("distil", "share tag_weight", 2.0, "0 to 1"),
        ("distil", "hint_weight", -1.0, "at least 0"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(tmp_path, section, names, value, expected):
    data = read_config(write(tmp_path, GOOD)).to_dict()
    for name in names.split():
        changed = data | {section: data[section] | {name: value}}
        with pytest.raises(ConfigError, match=f"{section}: {name} must be {expected}, not {value}; correct the value"):
            parse_section(Config, changed, "test")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "gum"', 'name = "gum"\nshare = 0', r"corpora: share of gum must be more than 0, not 0\.0"),
        ('name = "gum"', 'name = "gum"\nwords = -1', "corpora: words of gum must be at least 0, not -1"),
        ("new_bias = 0.5", "candidates = 0", r"decode\.schemes: candidates of gum must be at least 1, not 0"),
    ],
)
def test_errors_in_corpus_settings_name_the_corpus(tmp_path, old, new, message):
    with pytest.raises(ConfigError, match=message):
        read_config(write(tmp_path, (GOOD + OWN).replace(old, new, 1)))


def test_of_a_list_the_item_is_named(tmp_path):
    with pytest.raises(ConfigError, match="corpora, item 2: share: expected float, not 'all'; correct the value"):
        read_config(write(tmp_path, GOOD + '\n[[corpora]]\nname = "other"\nshare = "all"\n'))
    with pytest.raises(ConfigError, match=r"corpora, item 1: expected a table, not 3; write it as \[\[corpora\]\]"):
        parse_section(Config, read_config(write(tmp_path, GOOD)).to_dict() | {"corpora": [3]}, "test")


def test_numbers_may_be_at_their_bounds(tmp_path):
    bounds = "[train]\nepochs = 0\npredicted = 1\nno_speakers = 1\nhidden = 0\naverage = 0\ntag_weight = 0\n"
    config = read_config(write(tmp_path, GOOD.replace("[train]", bounds) + "share = 8\nwords = 0\n"))
    assert (config.train.epochs, config.train.no_speakers, config.corpora[0].share) == (0, 1.0, 8.0)


OWN = """
[[decode.schemes]]
name = "gum"
new_bias = 0.5
"""


def test_a_corpus_may_be_decoded_in_its_own_way(tmp_path):
    config = read_config(write(tmp_path, GOOD + OWN))
    assert [(one.name, one.new_bias, one.crowd) for one in config.decode.schemes] == [("gum", 0.5, None)]
    assert parse_section(Config, config.to_dict(), "model.json") == config
    with pytest.raises(CoindexError, match=r"unknown corpus in decode\.schemes 'gim'; did you mean gum"):
        read_config(write(tmp_path, GOOD + OWN.replace('"gum"', '"gim"')))


def test_a_model_without_corpus_input_has_no_schemes(tmp_path):
    with pytest.raises(ConfigError, match=r"decode\.schemes needs model\.corpus_id = true"):
        read_config(write(tmp_path, GOOD.replace("dropout = 0", "corpus_id = false") + OWN))


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(CoindexError, match="No such file"):
        read_config(tmp_path / "none.toml")


def test_only_what_differs_from_the_defaults_makes_a_run_another(tmp_path):
    config = read_config(write(tmp_path, GOOD + 'dev = "dev.conllu"\n'))
    assert config.settings() == {
        "name": "small",
        "model": {"encoder": "some/encoder", "dropout": 0.0},
        "corpora": [{"name": "gum", "train": "gum.conllu", "dev": "dev.conllu"}],
        "train": {"window": (128, 256)},
    }
