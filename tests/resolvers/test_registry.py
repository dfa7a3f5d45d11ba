"""The table of resolvers: names and descriptions."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import coindex
from coindex.resolvers import registry
from coindex.resolvers.chain import PATH, Measured, all_scores, parse_chain, scores_of

# A name that was published stays: scripts and papers use it.
NAMES = [
    "are-baseline",
    "attributes",
    "cross",
    "en-cross",
    "en-small",
    "head-lemma",
    "heads",
    "natasha",
    "ne-post",
    "nearest-np",
    "propn-merge",
    "sieves",
    "simple-rules",
    "singleton",
    "spacy",
    "xx-ud",
]


def test_names() -> None:
    assert sorted(registry.MODULES) == NAMES


@pytest.mark.parametrize("name", registry.resolver_names())
def test_a_resolver_describes_itself(name: str) -> None:
    resolver = registry.get_resolver(name)
    assert resolver.name == name
    assert resolver.summary
    assert resolver.licence
    assert resolver.kind in ("rules", "step", "parser", "learned")
    assert all(code == code.lower() and len(code) == 2 for code in resolver.languages)
    assert all(option.help for option in resolver.options)
    if resolver.kind in ("rules", "learned"):
        assert resolver.mentions


def test_the_list_is_public() -> None:
    assert [resolver.name for resolver in coindex.resolvers()] == list(registry.resolver_names())


def test_importing_the_table_loads_no_resolver() -> None:
    code = "import sys, coindex.resolvers; print(*(m for m in sys.modules if m.startswith('coindex.resolvers.rules')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


# --- what they were scored at


def test_scores_are_of_resolvers_that_exist() -> None:
    for chain, mentions in {(score.chain, score.mentions) for score in all_scores()}:
        if not any(registry.get_resolver(name).install for name, _ in parse_chain(chain)):
            assert coindex.load(chain, mentions=mentions).name  # type: ignore[arg-type]
    for score in all_scores():
        assert 0 <= score.number <= 100
        assert score.signature.startswith("coindex|")


def test_a_score_belongs_to_the_last_step_and_to_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(chain: str) -> Measured:
        return Measured(
            chain=chain, corpus="c", mentions="given", measure="CoNLL", number=50.25, signature="coindex|x", version="0"
        )

    from coindex.resolvers import chain

    rows = (measured("singleton"), measured("singleton + heads(merge)"))
    monkeypatch.setattr(chain, "all_scores", lambda: rows)
    assert scores_of("singleton") == [rows[0]]
    assert scores_of("heads") == [rows[1]]
    assert str(rows[0]) == "50.2 CoNLL on c, given mentions"


def test_the_file_is_plain_data() -> None:
    rows = json.loads(PATH.read_text(encoding="utf-8"))["scores"]
    assert [score.to_dict() for score in all_scores()] == rows
