"""Model folders as resolvers, as far as no model is needed; with one it is tested where models are trained."""

import json

import pytest

import coindex
from coindex.errors import CoindexError


def test_a_path_without_a_model(tmp_path):
    with pytest.raises(CoindexError, match=r"no readable model\.json .*expected a model folder; check the path"):
        coindex.load(f"{tmp_path}/nowhere")


def test_a_model_of_another_version(tmp_path):
    (tmp_path / "model.json").write_text('{"version": 99}', encoding="utf-8")
    with pytest.raises(CoindexError, match=r"version 99; expected version 1; train or export it anew"):
        coindex.load(str(tmp_path))


@pytest.mark.parametrize("value", ["much", "1.5", "-1", "nan"])
def test_a_threshold_that_is_none(tmp_path, value):
    decode = {"window": 256, "candidates": 50, "min_mention": 0, "decoding": "entity", "new_bias": 0}
    config = {"name": "mine", "model": {}, "decode": decode}
    description = {"version": 1, "config": config, "corpora": ["gum"], "weights": {}, "tags": [""], "depth": 1}
    (tmp_path / "model.json").write_text(json.dumps(description), encoding="utf-8")
    with pytest.raises(CoindexError, match=r"no probability; expected a number from 0 to 1"):
        coindex.load(f"{tmp_path}(min_link={value})")
    with pytest.raises(CoindexError, match=r"unknown value of .* option scheme 'gim'; did you mean gum"):
        coindex.load(f"{tmp_path}(scheme=gim)")
