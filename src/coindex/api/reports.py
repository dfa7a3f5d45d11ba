"""Reports: the result tables of papers over any systems. What a report needs is loaded when it is called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ..document import Document
from ..errors import CoindexError, UnknownNameError, quote
from .sides import Documents

if TYPE_CHECKING:
    from ..analysis.reports import DatasetReport
    from ..analysis.reports.collection import Predict
    from ..analysis.tables import Table
    from ..scoring import Result, Settings, Unit, UnitCounts
    from ..scoring.checking import Locate

Systems = Mapping[str, Documents] | Sequence[tuple[str, Documents]]
"""Responses by the names of their systems; pairs where a name may come twice by mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The tables of a report, and what they are of."""

    name: str
    source: str
    tables: Sequence[Table]
    about: Mapping[str, Any] = field(default_factory=dict)

    def render(self, form: str = "text", **options: Any) -> str:
        """All tables as text, json, markdown, latex, csv or html."""
        from ..analysis.forms import render

        about = {"report": self.name, "source": self.source, **self.about}
        return render(self.tables, form, about=about, **options)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from ..analysis.page import fragment

        return fragment(self.tables)


def report(
    name: str,
    key: Documents,
    systems: Systems = (),
    *,
    split: str | None = None,
    levels: Sequence[str] | None = None,
    topics: str | Predict | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    jobs: int = 1,
) -> Report:
    """The result tables of a paper by their name, over any systems: `ecb-realistic`, `crac22`.

    `key` and each response is a file, a folder, or documents. `split`, `levels` and `topics` are options of
    `ecb-realistic` only: which topics of the collection are scored ("dev", "train", "all" or "1,3,4"), what counts as
    one collection ("subtopic", "topic", "corpus"), and whether resolvers are given the topics or predict them
    ("given", "predicted"). There a response may also be a resolver or chain, which is then run, and the name of a
    system may say what the response was made from and for: "mine:gold", "mine:predicted:topic".

    >>> print(report("ecb-realistic", "ECB+", {"mine": "out"}))  # doctest: +SKIP
    """
    from ..analysis.reports import CollectionReport, get_report

    found = get_report(name)
    pairs = list(systems.items()) if isinstance(systems, Mapping) else list(systems)
    reading = Reading(format=format, options=read_options or {}, jobs=jobs)
    if isinstance(found, CollectionReport):
        from .report_inputs import Choices, Inputs

        inputs = Inputs(Choices.parse(split, levels, _predictor(topics)), reading)
        tables = found.make(inputs.collection(key, pairs))
        about = {**_about(key, pairs), **inputs.about}
        return Report(name=name, source=found.source, tables=tables, about=about)
    for option, value in (("split", split), ("levels", levels), ("topics", topics)):
        if value is not None:
            raise CoindexError(f"{name} has no option {option}; it is one of ecb-realistic; leave it out")
    results = _score_datasets(found, key, pairs, reading)
    return Report(name=name, source=found.source, tables=found.make(results), about=_about(key, pairs))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read, and on how many processes they are scored."""

    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1


def check_names(names: Sequence[str]) -> None:
    """Refuse a system without a name, or two of one name."""
    for at, name in enumerate(names):
        if not name.strip():
            raise CoindexError("a system without a name; expected NAME=RESPONSE; give it a name")
        if name in names[:at]:
            raise CoindexError(f"system {quote(name)}: given twice; expected a name for each; rename one of them")


def _score_datasets(
    report: DatasetReport, key: Documents, pairs: Sequence[tuple[str, Documents]], reading: Reading
) -> dict[str, dict[str, dict[str, Result]]]:
    """Results by system, dataset and variant."""
    if not pairs:
        raise CoindexError(f"{report.name}: no system; expected at least one response; give it as NAME=RESPONSE")
    check_names([name for name, _ in pairs])
    results: dict[str, dict[str, dict[str, Result]]] = {}
    for name, response in pairs:
        try:
            datasets = _datasets(key, response, reading.format)
            results[name] = {dataset: _score_all(report, *both, reading) for dataset, both in datasets.items()}
        except CoindexError as error:
            raise CoindexError(f"{quote(name)}: {error}") from error
    return results


def _datasets(key: Documents, response: Documents, format: str | None) -> Mapping[str, tuple[Documents, Documents]]:
    """The datasets of two paths; documents are one dataset."""
    from .scoring import find_datasets

    if not isinstance(key, str | os.PathLike) or not isinstance(response, str | os.PathLike):
        again = key if isinstance(key, str | os.PathLike | Document | Sequence) else list(key)
        return {"documents": (again, response)}
    if not os.path.exists(response):
        raise CoindexError(
            f"{os.fspath(response)}: no such file or folder; expected a response; name one that is there"
        )
    return find_datasets(key, response, format)


def _score_all(report: DatasetReport, key: Documents, response: Documents, reading: Reading) -> dict[str, Result]:
    """The results of all variants, in one pass over the documents for all that pair documents alike."""
    from ..scoring import Result
    from .counting import Options, count_all
    from .sides import locate

    options = Options(format=reading.format, read_options=reading.options, jobs=reading.jobs)
    passes: dict[tuple[object, ...], dict[str, Settings]] = {}
    for name, settings in report.variants.items():
        alike = (settings.rules, settings.strict, settings.unit, settings.kind)
        passes.setdefault(alike, {})[name] = settings
    results = {}
    for variants in passes.values():
        first = next(iter(variants.values()))
        units = count_all(partial(_count_variants, variants=variants, locate=locate), key, response, first, options)
        for name, settings in variants.items():
            results[name] = Result.of(settings, [unit[name] for unit in units])
    return results


def _count_variants(unit: Unit, variants: Mapping[str, Settings], locate: Locate) -> dict[str, UnitCounts]:
    from ..scoring import count_unit

    return {name: count_unit(unit, settings, locate) for name, settings in variants.items()}
