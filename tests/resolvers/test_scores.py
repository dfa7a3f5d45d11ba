"""The one number that is shown beside a resolver, and how it reads."""

from __future__ import annotations

import pytest

from coindex.resolvers import chain
from coindex.resolvers.chain import Measured, find_main_score
from coindex.resolvers.registry import MODULES


def measured(chain: str, measure: str = "CoNLL", mentions: str = "detected") -> Measured:
    return Measured(
        chain=chain, corpus="c", mentions=mentions, measure=measure, number=50.25, signature="coindex|x", version="0"
    )


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[Measured]:
    """The scores that there are."""
    found: list[Measured] = []
    monkeypatch.setattr(chain, "all_scores", lambda: tuple(found))
    return found


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (measured("sieves"), "50.2 CoNLL on c"),
        (measured("sieves + heads"), "50.2 CoNLL in 'sieves + heads' on c"),
        (measured("sieves(reach=sentence)"), "50.2 CoNLL in 'sieves(reach=sentence)' on c"),
        (measured("singleton", "MUC", "given"), "50.2 MUC on c, given mentions"),
    ],
)
def test_a_score_shows_its_chain_if_it_has_several_steps(row: Measured, text: str) -> None:
    assert str(row) == text


def test_the_first_by_conll_is_shown(rows: list[Measured]) -> None:
    rows += [measured("sieves", "MUC"), measured("sieves"), measured("sieves", mentions="given")]
    assert find_main_score("sieves") == rows[1]


def test_some_scores_use_another_measure(rows: list[Measured]) -> None:
    rows += [measured("nearest-np"), measured("nearest-np", "F1 of ARE task 3")]
    assert find_main_score("nearest-np") == rows[1]


def test_what_has_no_such_score_shows_another(rows: list[Measured]) -> None:
    rows += [measured("nearest-np"), measured("sieves", "MUC")]
    assert find_main_score("nearest-np") == rows[0]
    assert find_main_score("sieves") == rows[1]
    assert find_main_score("heads") is None


def test_a_parser_shows_a_chain_that_lives_on_its_trees(rows: list[Measured]) -> None:
    rows += [measured("spacy(m, columns=names) + sieves + ne-post"), measured("spacy(m) + sieves")]
    assert find_main_score("spacy") == rows[1]
    assert find_main_score("ne-post") == rows[0]


def test_measures_are_of_resolvers_that_exist_and_were_taken() -> None:
    for name, measure in chain.MAIN_MEASURES.items():
        assert name in MODULES
        score = find_main_score(name)
        assert score is not None
        assert score.measure == measure
