"""The configuration file: what is in it is used, what is wrong in it is refused."""

import pytest

from coindex.errors import CoindexError
from coindex.training.config import Config, parse_section, read_config

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
        ("dropout = 0", 'dropout = "much"', "'much'; expected float"),
        ("dropout = 0", "dropout = true", "True; expected float"),
        ("[128, 256]", "[128]", "expected"),
        ('encoder = "some/encoder"', "", "nothing for 'encoder'"),
        ("[model]", "[model", "expected TOML"),
        ("dropout = 0", 'detection = "tagz"', "unknown value in .*detection 'tagz'; did you mean tags"),
        ("dropout = 0", 'linking = "rules"', "known: attention, ranking, start-end"),
        ("dropout = 0", 'features = "gap"', "'gap'; expected tuple"),
        ("dropout = 0", 'features = ["gapp"]', "unknown feature of a pair 'gapp'; did you mean gap"),
        ("dropout = 0", 'columns = ["Numbr"]', "unknown column of words 'Numbr'; did you mean Number"),
        ("dropout = 0", "span_width = 0", "span_width 0; expected at least 1"),
        ("dropout = 0", "span_ratio = 0", r"span_ratio 0\.0; expected more than 0"),
        ("[128, 256]", "[5, 256]", "window 5; expected at least 14"),
        ("[128, 256]", "[256, 128]", "expected the smaller number first"),
    ],
)
def test_refuses(tmp_path, old, new, message):
    with pytest.raises(CoindexError, match=message):
        read_config(write(tmp_path, GOOD.replace(old, new)))


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


def test_says_that_a_file_is_missing(tmp_path):
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
