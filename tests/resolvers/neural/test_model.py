"""Model folders as resolvers, as far as no model is needed; with one it is tested where models are trained."""

import json
from dataclasses import asdict
from functools import reduce

import pytest

import coindex
from coindex.document.heads import REDUCTIONS
from coindex.errors import CoindexError
from coindex.resolvers.neural.folder import ModelFolderError, SchemeSettings, read_description, resolve_options
from coindex.resolvers.resolver import find_shipped_folder
from coindex.training.neural.config import DecodeConfig


def test_a_path_without_a_model(tmp_path):
    with pytest.raises(CoindexError, match=r"cannot read model\.json of the model folder .*; check the path"):
        coindex.load(f"{tmp_path}/nowhere")


def test_a_description_that_is_nested_too_deep(tmp_path):
    (tmp_path / "model.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(CoindexError, match=r"cannot read model\.json of the model folder .*; check the path"):
        coindex.load(str(tmp_path))


def test_a_long_value_is_quoted_in_part(tmp_path):
    config = {"name": "x", "model": {"features": ["[" * 9000]}, "decode": DECODE}
    model = {"version": 1, "config": config, "corpora": [], "tags": ["POP:" + "[" * 9000], "weights": {}}
    (tmp_path / "model.json").write_text(json.dumps(model), encoding="utf-8")
    with pytest.raises(CoindexError) as caught:
        coindex.load(str(tmp_path))
    assert len(str(caught.value)) < 1000


def test_a_model_of_another_version(tmp_path):
    (tmp_path / "model.json").write_text('{"version": 99}', encoding="utf-8")
    with pytest.raises(
        CoindexError, match=r"version 99 is not supported; expected version 1; install a newer version of coindex"
    ):
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


@pytest.mark.parametrize(
    ("said", "reduce"),
    [({}, None), ({"reduce": False}, None), ({"reduce": True}, "smaller"), ({"reduce": "no"}, None)]
    + [({"reduce": how}, how) for how in REDUCTIONS],
)
def test_how_mentions_are_reduced_is_read_from_older_models_too(said, reduce):
    assert resolve_options({"decode": DECODE | said}).reduce == reduce


@pytest.mark.parametrize("english", [True, False])
def test_english_words_are_used_if_the_model_declares_them(english):
    assert resolve_options({"decode": DECODE | {"english": english}}).english == english
    assert not resolve_options({"decode": DECODE, "model": {"features": ["kinds"]}}).english


def test_all_that_training_writes_is_understood():
    decode = DecodeConfig(english=True, reduce="all", schemes=(SchemeSettings(name="novels", crowd=0.5),))
    options = resolve_options({"decode": asdict(decode)}, "novels")
    assert (options.english, options.reduce, options.link.crowd) == (True, "all", 0.5)


def test_the_included_model_applies_rules_for_english():
    description = read_description(find_shipped_folder("en-small"))
    assert resolve_options(description["config"]).english
    assert description["config"]["decode"]["reduce"] == "no"


GONE = object()
AGAIN = "train or export the model again"
NEWER = "which this version of coindex does not support; install a newer version, or train the model again"


def describe(folder, **spoilt):
    """A description with another value at each of these places: `config__decode__window` for that of the decoding."""
    config = {"name": "mine", "model": {}, "decode": DECODE}
    data = {"version": 1, "config": config, "corpora": ["gum"], "weights": {}, "tags": [""], "depth": 1}
    data = json.loads(json.dumps(data))
    for place, value in spoilt.items():
        *tables, key = place.split("__")
        table = reduce(dict.__getitem__, tables, data)
        table[key] = value
        if value is GONE:
            del table[key]
    (folder / "model.json").write_text(json.dumps(data), encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("place", "value", "found", "remedy"),
    [
        ("config", [], "config is of type list; expected a table", AGAIN),
        ("config", "mine", "config is of type str; expected a table", AGAIN),
        ("weights", ["words.onnx"], "weights is of type list; expected a table", AGAIN),
        ("weights", None, "weights is of type NoneType; expected a table", AGAIN),
        ("corpora", None, "labels: corpora: expected tuple[str, ...], not None", AGAIN),
        ("corpora", [1], "labels: corpora, item 1: expected str, not 1", AGAIN),
        ("tags", "PUSH", "labels: tags: expected tuple[str, ...], not 'PUSH'", AGAIN),
        ("tags", ["", "PULL"], "labels: invalid tag 'PULL'; expected PUSH, POP:1, POP:2 …", AGAIN),
        ("depth", GONE, "tags: depth: expected int, not None", AGAIN),
        ("width", 3, "spans: the key 'ratio' is missing", AGAIN),
        ("config__name", GONE, "config: the key 'name' is missing", AGAIN),
        ("config__name", 7, "config: name: expected str, not 7", AGAIN),
        ("config__model", [], "model is of type list; expected a table", AGAIN),
        ("config__model__features", ["gap", "moon"], "unknown feature in config.model 'moon'", NEWER),
        ("config__model__columns", ["Moon"], "unknown column in config.model 'Moon'", NEWER),
        ("config__model__windows", "none", "unknown value in config.model: windows 'none'", NEWER),
        ("config__decode", GONE, "decode is of type NoneType; expected a table", AGAIN),
        ("config__decode", [], "decode is of type list; expected a table", AGAIN),
        ("config__decode__window", GONE, "config.decode: the key 'window' is missing", AGAIN),
        ("config__decode__window", "wide", "config.decode: window: expected int, not 'wide'", AGAIN),
        ("config__decode__beam", 4, "unknown key in config.decode 'beam'", NEWER),
        ("config__decode__decoding", "beam", "unknown value in config.decode: decoding 'beam'", NEWER),
        ("config__decode__reduce", "most", "unknown value in config.decode: reduce 'most'", NEWER),
        (
            "config__decode__schemes",
            [{"name": "g", "beam": 4}],
            "unknown key in config.decode: schemes, item 1 'beam'",
            NEWER,
        ),
        ("config__decode__schemes", [{"crowd": 1}], "config.decode: schemes, item 1: the key 'name' is missing", AGAIN),
        ("config__decode__schemes", ["gum"], "config.decode: schemes, item 1: expected a table, not 'gum'", AGAIN),
    ],
)
def test_a_description_that_is_wrong_below_its_keys(tmp_path, place, value, found, remedy):
    path = describe(tmp_path, **{place: value})
    with pytest.raises(ModelFolderError) as raised:
        coindex.load(path)
    assert str(raised.value).startswith(f"{path}: model.json: {found}")
    assert str(raised.value).endswith(remedy)


@pytest.mark.parametrize("kind", ["cross", "ud"])
@pytest.mark.parametrize("key", ["config", "weights"])
def test_a_description_of_another_kind_that_is_wrong(tmp_path, kind, key):
    with pytest.raises(ModelFolderError, match=f"{key} is of type list; expected a table; correct it, or {AGAIN}"):
        coindex.load(describe(tmp_path, kind=kind, **{key: []}))


@pytest.mark.parametrize("value", ["much", "1.5", "-1", "nan"])
def test_invalid_options_are_refused(tmp_path, value):
    describe(tmp_path)
    with pytest.raises(CoindexError, match=r"is not a probability; expected a number from 0 to 1"):
        coindex.load(f"{tmp_path}(min_link={value})")
    with pytest.raises(CoindexError, match=r"unknown value of .* option scheme 'gim'; did you mean gum"):
        coindex.load(f"{tmp_path}(scheme=gim)")
