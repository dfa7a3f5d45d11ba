"""Make the result tables of papers over any systems. What a report needs is loaded when it is called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..arguments import check_side, check_text
from ..corpora.key_and_response import Documents
from ..errors import CoindexError, UnknownNameError

if TYPE_CHECKING:
    from ..analysis.figures import Chart
    from ..analysis.reports.base import AnyReport, Predict, Report

Systems = Mapping[str, Documents] | Sequence[tuple[str, Documents]]
"""Responses by the names of their systems; pairs where a name may come twice by mistake."""
OPTIONS = {
    "ecb-realistic": ("split", "levels", "topics"),
    "documents": ("profile", "metric", "top"),
}
"""The options that only one report has."""


def report(
    name: str,
    key: Documents,
    systems: Systems = (),
    *,
    tables: Sequence[str] | None = None,
    split: str | None = None,
    levels: Sequence[str] | None = None,
    topics: str | Predict | None = None,
    profile: str | None = None,
    metric: str | None = None,
    top: int | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    jobs: int = 1,
) -> Report:
    """Tables over any systems, by their name: `crac22`, `rueval14`, `are07`, `ecb-realistic`, `documents`.

    `key` and each response is a file, a folder, or documents. `tables` are those to make, by their names or by their
    numbers in the paper; all where None.

    `crac22` takes folders of datasets; the name of a system in `rueval14` and `are07` may say the track that the
    response is of, as in "mine:task1". Options of `documents` are the `profile` and `metric` to score by, and how many
    of the hardest documents are shown (`top`). Options of `ecb-realistic` are which topics are scored (`split`: "dev",
    "train", "all" or "1,3,4"), what counts as one collection (`levels`: "subtopic", "topic", "corpus"), and whether
    resolvers are given the topics or predict them (`topics`: "given", "predicted"). There a response may also be a
    resolver or chain, which is then run, and the name of a system may say what the response was made from and for:
    "mine:gold", "mine:predicted:topic".

    >>> print(report("crac22", "key", {"mine": "out"}, tables=["4", "6"]))  # doctest: +SKIP
    """
    from ..analysis.reports.base import DatasetReport, Report, TrackReport, choose_tables
    from ..analysis.reports.scoring import Reading, score_datasets, score_tracks

    check_text(name, "name", "the name of a report, such as 'crac22'")
    check_side(key, "key")
    own = {"split": split, "levels": levels, "topics": topics, "profile": profile, "metric": metric, "top": top}
    found = _find(name, own)
    chosen = choose_tables(found, tables)
    pairs = list(systems.items()) if isinstance(systems, Mapping) else list(systems)
    reading = Reading(format=format, options=read_options or {}, jobs=jobs)
    about = _about(key, pairs)
    charts: list[Chart] = []
    if isinstance(found, DatasetReport):
        findings = score_datasets(found, found.want(chosen), key, pairs, reading)
        made, charts = found.make(findings, chosen), found.draw(findings)
    elif isinstance(found, TrackReport):
        made = found.make(score_tracks(found, key, pairs, reading))
    else:
        from ..analysis.reports.inputs import Choices, Inputs

        inputs = Inputs(Choices.parse(split, levels, _predictor(topics)), reading)
        made = found.make(inputs.collection(key, pairs))
        about |= inputs.about
    kept = [table for table in made if table.name in chosen]
    return Report(name=name, source=found.source, tables=kept, about=about, charts=charts)


def _find(name: str, own: Mapping[str, Any]) -> AnyReport:
    """The report of that name with its options; an option of another is an error."""
    from ..analysis.reports import get_report

    found = get_report(name)
    for owner, options in OPTIONS.items():
        for option in options:
            if owner != name and own[option] is not None:
                raise CoindexError(
                    f"{name} has no option {option}; it is one of {owner}; leave it out", code="invalid-option"
                )
    if name == "documents":
        from ..analysis.reports.documents import document_report

        return document_report(own["profile"], own["metric"], own["top"])
    return found


def _predictor(topics: str | Predict | None) -> Predict | None:
    """How topics are predicted; None where resolvers see those of the key."""
    if topics is None or topics == "given":
        return None
    if callable(topics):
        return topics
    if topics != "predicted":
        raise UnknownNameError("choice of topics", topics, ("given", "predicted"))
    from ..resolvers.cross.topics import find_topics

    return lambda docs: [str(number) for number in find_topics(docs, "predicted")]


def _about(key: Documents, pairs: Sequence[tuple[str, Documents]]) -> dict[str, Any]:
    """What was compared, for the record: paths, or that documents were given."""
    names = [_path(side) for _, side in pairs]
    return {"key": _path(key), "systems": dict(zip([name for name, _ in pairs], names, strict=True))}


def _path(side: Documents) -> str:
    return os.fspath(side) if isinstance(side, str | os.PathLike) else "documents"
