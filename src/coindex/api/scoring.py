"""Score responses against keys, and compare responses. The scorer is imported when a function is called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from ..arguments import check_side
from ..corpora.key_and_response import Documents
from ..document import Document

if TYPE_CHECKING:
    from ..corpora.counting import GroupedResults
    from ..engines import Engine, Workers
    from ..scoring import Result
    from ..scoring.corpus import MacroResult, SideBySide
    from ..scoring.significance import Comparison, Correction, Measure, Test

Grouping = Literal["document", "upos", "singletons"]


class ScoreOptions(TypedDict, total=False):
    """The options of `score`, which all scoring functions take."""

    match: str | None
    singletons: bool | None
    zeros: str | None
    profile: str | None
    strict: bool
    metrics: Sequence[str] | None
    unit: str | None
    kind: str | None
    split: str | None
    format: str | None
    read_options: Mapping[str, str]
    jobs: int
    engine: Engine
    address: str | None


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
    split: str | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    jobs: int = 1,
    engine: Engine = "local",
    address: str | None = None,
) -> Result:
    """Score a response against a key.

    Parameters:

    - `key`, `response`: a file, a folder, a document or an iterable of documents. The files of two folders are paired
      by name.
    - `match`: how mentions are matched: "exact", "partial", "head", "lenient" or "overlap"; with the profile "ua2" also
      "craft", with "ua1" also "min".
    - `singletons`: whether to keep entities with a single mention.
    - `zeros`: how zero mentions are matched: by "dependent" or by "linear" position; "none" removes them ("ua2" only).
    - `profile`: the settings of a shared task (default: "crac24", which matches heads, removes singletons and matches
      zeros by dependency). The options above and `metrics` and `unit` default to those of the profile.
    - `strict`: whether to reject input that makes scores meaningless; False accepts what the official scorers accept.
    - `metrics`: names of metrics.
    - `unit`: what is scored separately before summing: "document", "topic", "subtopic" or "corpus".
    - `kind`: score only mentions of this kind: "entity", "event" or "deixis" (discourse deixis).
    - `split`: whether split antecedents are "scored", "ignored", or scored alone ("only"); for the profiles "ua".
    - `format`, `read_options`: the input format (default: detected) and its options.
    - `jobs`: the number of processes, or 0 for one per CPU. The scores do not depend on it.
    - `engine`, `address`: "local" processes, or those of a "ray" cluster and its address (default: this machine).

    Returns a `Result`, which maps names of metrics to scores.

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
        split=split,
        format=format,
        read_options=read_options or {},
        jobs=jobs,
        engine=engine,
        address=address,
    ).total


def score_by_upos(key: Documents, response: Documents, **options: Unpack[ScoreOptions]) -> dict[str, Result]:
    """Score entities separately by the part of speech of their heads.

    An entity belongs to each part of speech that one of its heads, or a `flat` child of a head, has.

    Parameters:

    - `key`, `response`: a file, a folder, a document or an iterable of documents.
    - `options`: those of `score`.

    Returns a dict from parts of speech (UPOS) to results.
    """
    return score_by(key, response, "upos", **options).groups


def score_side_by_side(key: Documents, response: Documents, **options: Unpack[ScoreOptions]) -> SideBySide:
    """Score a response without and with singletons.

    Parameters:

    - `key`, `response`: a file, a folder, a document or an iterable of documents.
    - `options`: those of `score`.

    Returns a `SideBySide` with both results.
    """
    from ..scoring.corpus import SideBySide

    return SideBySide(*score_by(key, response, "singletons", **options).groups.values())


def score_by(
    key: Documents, response: Documents, by: Grouping | None, **options: Unpack[ScoreOptions]
) -> GroupedResults:
    """Return the total result, and results by document, by part of speech of heads, or without and with singletons."""
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
        split=options.get("split"),
    )
    reading = Options(
        format=options.get("format"), read_options=options.get("read_options", {}), workers=choose_workers(options)
    )
    return score_sides(key, response, by, settings, reading)


def choose_workers(options: ScoreOptions) -> Workers:
    """Return the workers of the options `jobs`, `engine` and `address`."""
    from ..engines import Workers

    return Workers(options.get("jobs", 1), options.get("engine", "local"), options.get("address"))


def score_datasets(pairs: Mapping[str, tuple[Documents, Documents]], **options: Unpack[ScoreOptions]) -> MacroResult:
    """Score several datasets, and average the scores.

    Parameters:

    - `pairs`: a dict from names of datasets to pairs of key and response.
    - `options`: those of `score`.

    Returns a `MacroResult` with the result of each dataset and the mean.
    """
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
    """Compare responses to one key with significance tests.

    Parameters:

    - `key`: the key, as in `score`.
    - `responses`: a dict from names to responses.
    - `test`: "bootstrap" draws documents at random; "permutation" swaps documents between two responses.
    - `rounds`: the number of resampling rounds.
    - `seed`: the seed of the random number generator.
    - `confidence`: the level of the confidence intervals.
    - `measure`: what to compare: "f1", "recall" or "precision".
    - `correction`: the correction of p-values for multiple comparisons: "none" or "holm".
    - `options`: those of `score`.

    Returns a `Comparison` with the differences, intervals and p-values of each metric.

    >>> compare("key.conllu", {"a": "a.conllu", "b": "b.conllu"})  # doctest: +SKIP
    """
    from ..scoring.significance import compare as compare_results

    check_side(key, "key")
    if not isinstance(responses, Mapping):
        raise TypeError(f"responses: expected a dict of names and responses, not {type(responses).__name__}")
    reusable_key = key if isinstance(key, str | os.PathLike | Document) else list(key)
    return compare_results(
        {name: score(reusable_key, response, **options) for name, response in responses.items()},
        test=test,
        rounds=rounds,
        seed=seed,
        confidence=confidence,
        measure=measure,
        correction=correction,
    )
