"""Make the result tables of papers for any systems. The reports are imported when the function is called."""

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
    from ..engines import Engine

Systems = Mapping[str, Documents] | Sequence[tuple[str, Documents]]
"""Responses by name of the system; pairs keep a name that occurs twice, so that it can be reported."""
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
    engine: Engine = "local",
    address: str | None = None,
) -> Report:
    """Make the result tables of a paper for your systems.

    For `crac22`, keys and responses can be folders of datasets. For `rueval14` and `are07`, the name of a system may
    end in the track of its response ("mine:task1"). For `ecb-realistic`, a response may also be a resolver or a chain,
    which is then run, and the name of a system may end in the mentions and the level of its response ("mine:gold",
    "mine:predicted:topic").

    Parameters:

    - `name`: the report: "crac22", "rueval14", "are07", "ecb-realistic" or "documents".
    - `key`: a file, a folder or documents.
    - `systems`: a dict from names of systems to responses.
    - `tables`: the tables to make, by name or by number in the paper (default: all).
    - `split`: for ecb-realistic, the topics to score: "dev", "train", "all" or numbers such as "1,3,4".
    - `levels`: for ecb-realistic, what is scored as one collection: "subtopic", "topic", "corpus" (default: all).
    - `topics`: for ecb-realistic, whether resolvers use "given" or "predicted" topics, or a function that predicts
      them.
    - `profile`, `metric`: for documents, the scoring profile and the metric.
    - `top`: for documents, how many of the hardest documents are shown.
    - `format`, `read_options`: the input format (default: detected) and its options.
    - `jobs`, `engine`, `address`: the processes, as in `score`.

    Returns a `Report`.

    >>> print(report("crac22", "key", {"mine": "out"}, tables=["4", "6"]))  # doctest: +SKIP
    """
    from ..analysis.reports.base import DatasetReport, Report, TrackReport, choose_tables
    from ..analysis.reports.scoring import Reading, score_datasets, score_tracks
    from ..engines import Workers

    check_text(name, "name", "the name of a report, such as 'crac22'")
    check_side(key, "key")
    own = {"split": split, "levels": levels, "topics": topics, "profile": profile, "metric": metric, "top": top}
    report = _find(name, own)
    chosen = choose_tables(report, tables)
    pairs = list(systems.items()) if isinstance(systems, Mapping) else list(systems)
    reading = Reading(format=format, options=read_options or {}, workers=Workers(jobs, engine, address))
    about = _about(key, pairs)
    charts: list[Chart] = []
    if isinstance(report, DatasetReport):
        data = score_datasets(report, report.want(chosen), key, pairs, reading)
        made, charts = report.make(data, chosen), report.draw(data)
    elif isinstance(report, TrackReport):
        made = report.make(score_tracks(report, key, pairs, reading))
    else:
        from ..analysis.reports.inputs import Choices, Inputs

        inputs = Inputs(Choices.parse(split, levels, _predictor(topics)), reading)
        made = report.make(inputs.collection(key, pairs))
        about |= inputs.about
    kept = [table for table in made if table.name in chosen]
    return Report(name=name, source=report.source, tables=kept, about=about, charts=charts)


def _find(name: str, own: Mapping[str, Any]) -> AnyReport:
    """Return the report with its options; an option of another report is an error."""
    from ..analysis.reports import get_report

    report = get_report(name)
    for owner, options in OPTIONS.items():
        for option in options:
            if owner != name and own[option] is not None:
                raise CoindexError(
                    f"{name} has no option {option}, which belongs to {owner}; remove it", code="invalid-option"
                )
    if name == "documents":
        from ..analysis.reports.documents import document_report

        return document_report(own["profile"], own["metric"], own["top"])
    return report


def _predictor(topics: str | Predict | None) -> Predict | None:
    """Return the function that predicts topics, or None if resolvers get those of the key."""
    if topics is None or topics == "given":
        return None
    if callable(topics):
        return topics
    if topics != "predicted":
        raise UnknownNameError("choice of topics", topics, ("given", "predicted"))
    from ..resolvers.cross.topics import find_topics

    return lambda docs: [str(number) for number in find_topics(docs, "predicted")]


def _about(key: Documents, pairs: Sequence[tuple[str, Documents]]) -> dict[str, Any]:
    """Return the paths of the key and the responses, or "documents", for JSON output."""
    names = [_path(side) for _, side in pairs]
    return {"key": _path(key), "systems": dict(zip([name for name, _ in pairs], names, strict=True))}


def _path(side: Documents) -> str:
    return os.fspath(side) if isinstance(side, str | os.PathLike) else "documents"
