"""Model folders as resolvers, as far as no model is needed; with one it is tested where models are trained."""

import json

import pytest

import coindex
from coindex.errors import CoindexError
from coindex.resolvers.neural.folder import resolve_options


def test_a_path_without_a_model(tmp_path):
    with pytest.raises(CoindexError, match=r"no readable model\.json .*expected a model folder; check the path"):
        coindex.load(f"{tmp_path}/nowhere")


def test_a_model_of_another_version(tmp_path):
    (tmp_path / "model.json").write_text('{"version": 99}', encoding="utf-8")
    with pytest.raises(CoindexError, match=r"version 99; expected version 1; train or export it anew"):
        coindex.load(str(tmp_path))


DECODE = {"window": 256, "candidates": 50, "min_mention": 0, "decoding": "entity", "new_bias": 0}


def test_a_scheme_may_be_followed_in_its_own_way():
    own = {"name": "novels", "candidates": 20, "new_bias": 0.5, "crowd": None, "mention_bias": 1.0}
    config = {"decode": DECODE | {"crowd": 0.3, "schemes": [own]}}
    options = resolve_options(config, "novels")
    assert (options.candidates, options.mention_bias) == (20, 1.0)
    assert (options.link.new_bias, options.link.crowd) == (0.5, 0.3), "what it does not say is as for all"
    for scheme in ("news", None):
        options = resolve_options(config, scheme)
        assert (options.candidates, options.mention_bias, options.link.new_bias) == (50, 0.0, 0)


@pytest.mark.parametrize("value", ["much", "1.5", "-1", "nan"])
def test_a_threshold_that_is_none(tmp_path, value):
    config = {"name": "mine", "model": {}, "decode": DECODE}
    description = {"version": 1, "config": config, "corpora": ["gum"], "weights": {}, "tags": [""], "depth": 1}
    (tmp_path / "model.json").write_text(json.dumps(description), encoding="utf-8")
    with pytest.raises(CoindexError, match=r"no probability; expected a number from 0 to 1"):
        coindex.load(f"{tmp_path}(min_link={value})")
    with pytest.raises(CoindexError, match=r"unknown value of .* option scheme 'gim'; did you mean gum"):
        coindex.load(f"{tmp_path}(scheme=gim)")
