"""The shipped weights: the description in the folder, and that they resolve coreference."""

from __future__ import annotations

import json
import tomllib

import pytest

from coindex.resolvers.ud import xx_ud
from coindex.resolvers.ud.resolver import UdResolver, load_model
from coindex.settings import parse_section
from coindex.training.ud.config import UdConfig
from parsed_text import chains, parsed
from tiny_ud import story

pytestmark = pytest.mark.skipif(not xx_ud.is_there(), reason="the weights of xx-ud are not installed")
FOLDER = xx_ud.model_folder()


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 10_000_000


def test_its_configuration_is_the_file_beside_it() -> None:
    said = json.loads((FOLDER / "model.json").read_text(encoding="utf-8"))
    config = parse_section(UdConfig, tomllib.loads((FOLDER / "xx-ud.toml").read_text(encoding="utf-8")), "xx-ud.toml")
    assert said["config"] == json.loads(json.dumps(config.to_dict()))
    assert said["options"]["unknown_bias"] == config.model.unknown_bias
    assert said["options"]["new_bias"] == config.model.new_bias


def test_every_score_has_its_signature() -> None:
    said = load_model(FOLDER).description
    scores = [said["scores"]["together"], *said["scores"]["members"]]
    assert {"en_gum", "es_ancora", "cs_faust"} <= set(scores[0])
    assert all(one["signature"].startswith("coindex|crac24@1|") for each in scores for one in each.values())


@pytest.mark.parametrize("style", [None, "", "en_gum", "cs_faust"])
def test_a_name_a_pronoun_and_a_repeated_noun_are_linked(style: str | None) -> None:
    found = UdResolver(load_model(FOLDER), style=style)(story(2).replace(entities=(), language="en"))
    assert any({"Eva", "She"} <= set(chain) for chain in chains(found))


def test_a_zero_is_linked_in_a_language_that_was_never_seen() -> None:
    doc = parsed(
        """
Maria Maria PROPN Gender=Fem|Number=Sing 2 nsubj
chegou chegar VERB Mood=Ind|Number=Sing|Person=3|VerbForm=Fin 0 root
e e CCONJ _ 4 cc
3.1 _ _ PRON _ _ _ 4:nsubj
cantou cantar VERB Mood=Ind|Number=Sing|Person=3|VerbForm=Fin 2 conj
. . PUNCT _ 2 punct
""",
        language="pt",
    )
    assert chains(UdResolver(load_model(FOLDER))(doc)) == [["Maria", "∅_"]]
