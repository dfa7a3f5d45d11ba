"""The resolvers that requests can name."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex.errors import CoindexError
from coindex.resolvers.defaults import default_for
from coindex.resolvers.resolver import find_shipped_folder
from coindex.service.requests import ChainOptions
from coindex.service.resolvers import VARIANTS, Entry, Resolvers, scheme_of, shipped_entries

MODEL = find_shipped_folder("en-small")


def code(**options: object) -> str:
    with pytest.raises(CoindexError) as raised:
        Resolvers(**options)  # type: ignore[arg-type]
    return raised.value.code


def test_shipped_resolvers_work_on_raw_text() -> None:
    names = [entry.name for entry in shipped_entries()]
    assert {"en-small", "are-baseline"} <= set(names)
    assert not {"xx-ud", "sieves", "heads", "spacy", "cross", "singleton"} & set(names)
    resolvers = Resolvers(most=len(names))
    assert resolvers.loaded == (default_for("en"),)
    for name in names:
        assert resolvers.load(ChainOptions(resolver=name))("Ann left. She waved.").text


def test_names_of_specifications(tmp_path: Path) -> None:
    link = tmp_path / "mine"
    link.symlink_to(MODEL, target_is_directory=True)
    assert Entry.parse("en-small") == Entry("en-small", "en-small")
    assert Entry.parse("fiction=en-small(scheme=litbank)") == Entry("fiction", "en-small(scheme=litbank)")
    assert Entry.parse("en-small(scheme=litbank)").name == "en-small(scheme=litbank)"
    assert Entry.parse(f"news={MODEL}") == Entry("news", MODEL)
    assert Entry.parse(str(MODEL)).name == "en-small"


def test_a_request_names_an_entry_and_never_a_path() -> None:
    resolvers = Resolvers(preload=[f"mine={MODEL}"], allow=["are-baseline"])
    assert resolvers.names == ("mine", "are-baseline")
    assert resolvers.load(ChainOptions())("Ann left. She waved.").entities
    described = resolvers.describe()
    assert [(one["name"], one["is_default"], one["is_loaded"]) for one in described] == [
        ("mine", True, True),
        ("are-baseline", False, False),
    ]
    for name in (str(MODEL), f"./{MODEL.name}", "en-small", "are-baseline + heads", "mine(litbank)", ".", ""):
        if not name:
            continue
        with pytest.raises(CoindexError) as raised:
            resolvers.load(ChainOptions(resolver=name))
        assert raised.value.code == "unknown-name"
        assert str(MODEL.parent) not in str(raised.value.details["known"])


def test_the_least_recently_used_is_dropped() -> None:
    resolvers = Resolvers(preload=["are-baseline"], allow=["nearest-np", "en-small"], most=2)
    resolvers.load(ChainOptions(resolver="nearest-np"))
    first = resolvers.load(ChainOptions(resolver="are-baseline"))
    resolvers.load(ChainOptions(resolver="en-small"))
    assert resolvers.loaded == ("are-baseline", "en-small")
    assert resolvers.load(ChainOptions(resolver="are-baseline")) is first


def test_variants_share_weights_and_are_bounded() -> None:
    resolvers = Resolvers(preload=["en-small"])
    chains = [resolvers.load(ChainOptions(min_link=number / 100)) for number in range(VARIANTS + 5)]
    assert len({id(chain.parts[0].step.scorer) for chain in chains}) == 1  # type: ignore[attr-defined]
    assert resolvers.loaded == ("en-small",)
    assert resolvers.load(ChainOptions(min_link=0.2)) is chains[20]
    assert resolvers.load(ChainOptions(min_link=0.0)) is not chains[0]


def test_options_of_requests() -> None:
    resolvers = Resolvers(preload=["en-small"], allow=["are-baseline"])
    assert scheme_of(resolvers.load(ChainOptions())) == "gum"
    assert scheme_of(resolvers.load(ChainOptions(scheme="litbank"))) == "litbank"
    assert scheme_of(resolvers.load(ChainOptions(resolver="are-baseline"))) is None
    for options, expected in (
        (ChainOptions(scheme="nothing"), "unknown-name"),
        (ChainOptions(resolver="are-baseline", scheme="gum"), "invalid-option"),
        (ChainOptions(resolver="are-baseline", min_link=0.5), "invalid-option"),
        (ChainOptions(language="nonsense"), "unknown-language"),
    ):
        with pytest.raises(CoindexError) as raised:
            resolvers.load(options)
        assert raised.value.code == expected
    with pytest.raises(CoindexError) as raised:
        Resolvers().load(ChainOptions(language="es"))
    assert raised.value.code == "unsupported-language"


def test_wrong_specifications_are_reported_at_the_start(tmp_path: Path) -> None:
    assert code(preload=["nothing"]) == "unknown-name"
    assert code(allow=["en-small", "nothing"]) == "unknown-name"
    assert code(preload=["cross"]) == "several-documents"
    assert code(preload=["heads"]) == "invalid-chain"
    assert code(preload=["a=en-small", "a=are-baseline"]) == "duplicate-input"
    assert code(preload=["en-small", "are-baseline"], most=1) == "invalid-option"
    assert code(preload=[f"{tmp_path}/missing"]) != ""
