"""Scoring: what a response is worth, given the key. The scorer is loaded when it is called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from ..arguments import check_side
from ..corpora.key_and_response import Documents
from ..document import Document

if TYPE_CHECKING:
    from ..corpora.counting import GroupedResults
    from ..scoring import Result
    from ..scoring.corpus import MacroResult, SideBySide
    from ..scoring.significance import Comparison, Correction, Measure, Test

Grouping = Literal["document", "upos", "singletons"]


class ScoreOptions(TypedDict, total=False):
    """The options of `score`, which all functions here take."""

    match: str | None
    singletons: bool | None
    zeros: str | None
    profile: str | None
    strict: bool
    metrics: Sequence[str] | None
    unit: str | None
    kind: str | None
    format: str | None
    read_options: Mapping[str, str]
    jobs: int


def score(
    key: Documents,
    response: Documents,
    *,
    match: str | None = None,
    singletons: bool | None = None,
    zeros: str | None = None,
    profile: str | None = None,
    strict: bool = True,
    metrics: Sequence[str] | None = None,
    unit: str | None = None,
    kind: str | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    jobs: int = 1,
) -> Result:
    """Score a response against a key: paths of files or folders, documents, or iterables of documents.

    What is left out is as the profile has it; without a profile that is `crac24`: head matching, singletons out,
    zeros matched by what they depend on. The files of two folders are paired by their names. `strict=False` passes
    over what the official scorers pass over. `jobs` is a number of processes, 0 for one a processor; the numbers are
    the same to the last bit.

    >>> score("key.conllu", "response.conllu")["muc"].f1  # doctest: +SKIP
    """
    return score_by(
        key,
        response,
        None,
        match=match,
        singletons=singletons,
        zeros=zeros,
        profile=profile,
        strict=strict,
        metrics=metrics,
        unit=unit,
        kind=kind,
        format=format,
        read_options=read_options or {},
        jobs=jobs,
    ).total


def score_by_upos(key: Documents, response: Documents, **options: Unpack[ScoreOptions]) -> dict[str, Result]:
    """A result for each part of speech that heads have: of the entities with such a head, `flat` children counted.

    The options are those of `score`.
    """
    return score_by(key, response, "upos", **options).groups


def score_side_by_side(key: Documents, response: Documents, **options: Unpack[ScoreOptions]) -> SideBySide:
    """Two results, without and with singletons. The options are those of `score`."""
    from ..scoring.corpus import SideBySide

    return SideBySide(*score_by(key, response, "singletons", **options).groups.values())


def score_by(
    key: Documents, response: Documents, by: Grouping | None, **options: Unpack[ScoreOptions]
) -> GroupedResults:
    """The result of all, and results by document, part of speech of heads, or without and with singletons."""
    from ..corpora.counting import Options, score_sides
    from ..scoring import make_settings

    check_side(key, "key")
    check_side(response, "response")
    metrics = options.get("metrics")
    settings = make_settings(
        options.get("profile"),
        match=options.get("match"),
        singletons=options.get("singletons"),
        zeros=options.get("zeros"),
        metrics=None if metrics is None else tuple(metrics),
        strict=options.get("strict", True),
        unit=options.get("unit"),
        kind=options.get("kind"),
    )
    ways = Options(
        format=options.get("format"), read_options=options.get("read_options", {}), jobs=options.get("jobs", 1)
    )
    return score_sides(key, response, by, settings, ways)


def score_datasets(pairs: Mapping[str, tuple[Documents, Documents]], **options: Unpack[ScoreOptions]) -> MacroResult:
    """Score datasets, each a key and a response by its name, and take the mean. The options are those of `score`."""
    from ..scoring.corpus import macro_average

    if not isinstance(pairs, Mapping):
        raise TypeError(f"pairs: expected a dict of names and (key, response), not {type(pairs).__name__}")
    for name, pair in pairs.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"pairs, {name}: expected a pair (key, response), not {type(pair).__name__}")
    return macro_average({name: score(key, response, **options) for name, (key, response) in pairs.items()})


def compare(
    key: Documents,
    responses: Mapping[str, Documents],
    *,
    test: Test = "bootstrap",
    rounds: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    measure: Measure = "f1",
    correction: Correction = "none",
    **options: Unpack[ScoreOptions],
) -> Comparison:
    """Compare responses to one key, given by their names: differences, intervals and p-values for each metric.

    Documents are drawn (`bootstrap`) or swapped between responses (`permutation`) in that many rounds. The options are
    those of `score`.

    >>> compare("key.conllu", {"a": "a.conllu", "b": "b.conllu"})  # doctest: +SKIP
    """
    from ..scoring.significance import compare as compare_results

    check_side(key, "key")
    if not isinstance(responses, Mapping):
        raise TypeError(f"responses: expected a dict of names and responses, not {type(responses).__name__}")
    again = key if isinstance(key, str | os.PathLike | Document) else list(key)
    return compare_results(
        {name: score(again, response, **options) for name, response in responses.items()},
        test=test,
        rounds=rounds,
        seed=seed,
        confidence=confidence,
        measure=measure,
        correction=correction,
    )
