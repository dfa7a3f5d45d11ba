"""How far annotators agree: the scores of each pair, by the one scorer, and alpha of all."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from ..document import Document
from ..errors import warning_about
from ..scoring import Locate, MismatchError, Result, Settings, describe_place, make_settings, score_documents
from ..scoring.result import mean_conll
from .versions import NotOneTextError

METRICS = ("mentions", "muc", "b3", "ceafm", "ceafe", "lea")
Pair = tuple[str, str]


def scorer_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the scorer for agreement: those that are given, else exact matching, all mentions of all entities.

    A profile brings its own. Exact matching does not care which of the two is the key.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if "profile" in given:
        return given
    return {"match": "exact", "singletons": True, "zeros": "linear", "metrics": METRICS, **given}


def score_pairs(
    versions: Mapping[str, Iterable[Document]],
    settings: Settings | None = None,
    *,
    locate: Locate = describe_place,
) -> dict[Pair, Result]:
    """The scores of each pair of annotators; the one who comes first is the key."""
    wanted = settings or make_settings(**scorer_options({}))
    found = {}
    for one, other in combinations(versions, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found[one, other] = score_documents(versions[one], versions[other], wanted, locate=locate)
            except MismatchError as error:
                raise NotOneTextError(error, one, other) from error
        tell_of_pair(one, other, caught)
    return found


def tell_of_pair(one: str, other: str, caught: Iterable[warnings.WarningMessage]) -> None:
    """Warnings of scoring a pair, with the names of the two."""
    for warning in caught:
        named = f"{one} (as the key) and {other} (as the response)"
        warnings.warn(warning_about(named, warning.message), stacklevel=3)


def trust(versions: Mapping[str, Iterable[Document]], *, locate: Locate = describe_place) -> list[float]:
    """How well each annotator agrees with the others: the mean CoNLL score with each of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd about the data is no matter of ties
        pairs = score_pairs(versions, locate=locate)
    conll = {pair: mean_conll(result.scores) or 0.0 for pair, result in pairs.items()}
    return [mean(value for pair, value in conll.items() if name in pair) for name in versions]


def mean(values: Iterable[float]) -> float:
    """The mean; 0 of nothing."""
    found = list(values)
    return sum(found) / len(found) if found else 0.0
