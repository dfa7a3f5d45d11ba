"""What reports on datasets and tracks are made of: responses scored and counted, in one pass over the documents."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from ..analysis.reports.base import DatasetReport, DocumentFacts, Findings, Found, TrackReport, Wanted
from ..analysis.statistics import Counts, count_document
from ..document import Document
from ..document.heads import find_heads
from ..document.metadata import genre_of
from ..errors import CoindexError, CoindexWarning, quote
from ..scoring import Result, Settings, Unit, UnitCounts, count_unit
from ..scoring.breakdowns import count_by_tag, finish_tags
from ..scoring.notes import warn
from ..scoring.token_alignment import Locate
from .counting import Options, count_all
from .scoring import find_datasets
from .sides import STDIN, Documents, locate

Pairs = Sequence[tuple[str, Documents]]
"""Systems and their responses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read, and on how many processes they are scored."""

    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1

    @property
    def counting(self) -> Options:
        return Options(format=self.format, read_options=self.options, jobs=self.jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What was found in one unit."""

    counts: Mapping[str, UnitCounts]
    """By variant."""
    by_upos: Mapping[str, UnitCounts]
    key: Counts | None
    response: Counts | None
    facts: DocumentFacts | None


def check_systems(report: DatasetReport | TrackReport, pairs: Pairs) -> None:
    """Refuse a report without a system, a system without a name, or two of one name."""
    if not pairs:
        raise CoindexError(f"{report.name}: no system; expected at least one response; give it as NAME=RESPONSE")
    names = [name for name, _ in pairs]
    for at, name in enumerate(names):
        if not name.strip():
            raise CoindexError("a system without a name; expected NAME=RESPONSE; give it a name")
        if name in names[:at]:
            raise CoindexError(f"system {quote(name)}: given twice; expected a name for each; rename one of them")


def score_datasets(report: DatasetReport, wanted: Wanted, key: Documents, pairs: Pairs, reading: Reading) -> Findings:
    """What the report wants to know of each response to each dataset."""
    check_systems(report, pairs)
    key = again(key)
    systems: dict[str, dict[str, Found]] = {}
    key_counts: dict[str, Counts] = {}
    facts: dict[str, list[DocumentFacts]] = {}
    for name, response in pairs:
        systems[name] = {}
        with telling(name):
            datasets = _datasets(key, response, reading.format)
            if facts and facts.keys() != datasets.keys():
                raise CoindexError(
                    f"a response to {', '.join(datasets)}; expected one to {', '.join(facts)}, as that of "
                    f"{quote(pairs[0][0])}; give files for all systems, or folders with the same files"
                )
            for dataset, both in datasets.items():
                looked = _look_at(report, wanted, *both, reading)
                systems[name][dataset] = _found(report, wanted, looked)
                if dataset not in facts:
                    key_counts[dataset] = _total(one.key for one in looked)
                    facts[dataset] = [one.facts for one in looked if one.facts is not None]
    return Findings(systems=systems, key_counts=key_counts, facts=facts)


@contextmanager
def telling(system: str) -> Iterator[None]:
    """Errors and warnings say which system they are about."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CoindexWarning)
        try:
            yield
        except CoindexError as error:
            raise CoindexError(f"{quote(system)}: {error}") from error
    for one in caught:
        about = f"{system}: " if issubclass(one.category, CoindexWarning) else ""
        warnings.warn(f"{about}{one.message}", one.category, stacklevel=3)


def again(side: Documents) -> Documents:
    """Documents that can be gone through more than once."""
    return side if isinstance(side, str | os.PathLike | Document | Sequence) else list(side)


def _datasets(key: Documents, response: Documents, format: str | None) -> Mapping[str, tuple[Documents, Documents]]:
    """The datasets of two paths; documents are one dataset."""
    if not isinstance(key, str | os.PathLike) or not isinstance(response, str | os.PathLike):
        return {"documents": (key, response)}
    check_path(response)
    return find_datasets(key, response, format)


def check_path(response: str | os.PathLike[str]) -> None:
    if not os.path.exists(response) and os.fspath(response) != STDIN:
        raise CoindexError(
            f"{os.fspath(response)}: no such file or folder; expected a response; name one that is there"
        )


def _look_at(
    report: DatasetReport, wanted: Wanted, key: Documents, response: Documents, reading: Reading
) -> list[Looked]:
    """What is in each unit; all variants of a report pair documents alike, so that one pass is enough."""
    variants = {name: report.variants[name] for name in wanted.variants}
    first = next(iter(variants.values()))
    for settings in variants.values():
        alike = (settings.rules, settings.strict, settings.unit, settings.kind)
        assert alike == (first.rules, first.strict, first.unit, first.kind), "they have one reading of the documents"
    look = partial(look_at_unit, variants=variants, wanted=wanted, locate=locate)
    return count_all(look, key, response, first, reading.counting)


def look_at_unit(unit: Unit, variants: Mapping[str, Settings], wanted: Wanted, locate: Locate) -> Looked:
    """What a report wants to know of one unit."""
    keys = [pair.key for pair in unit.pairs if pair.key is not None]
    responses = [pair.response for pair in unit.pairs if pair.response is not None]
    return Looked(
        counts={name: count_unit(unit, settings, locate) for name, settings in variants.items()},
        by_upos={} if wanted.upos is None else count_by_tag(unit, variants[wanted.upos], locate),
        key=_total(map(count_document, keys)) if wanted.counts else None,
        response=_total(map(_count_by_tree, responses)) if wanted.counts else None,
        facts=_facts(unit.id, keys) if wanted.facts else None,
    )


def _count_by_tree(doc: Document) -> Counts:
    """A response counted with the heads of its trees, whatever it says; CRAC asked for no heads."""
    return count_document(find_heads(doc, overwrite=True))


def _facts(id: str | None, docs: Sequence[Document]) -> DocumentFacts:
    words = sum(len(doc.tokens) - len(doc.tokens.empty_positions) for doc in docs)
    return DocumentFacts(id, next((genre for doc in docs if (genre := genre_of(doc))), None), words)


def _total(counts: Iterable[Counts | None]) -> Counts:
    total = Counts()
    for one in counts:
        if one is not None:
            total += one
    return total


def _found(report: DatasetReport, wanted: Wanted, looked: Sequence[Looked]) -> Found:
    """The results of all units together; what is odd about them is warned of once, not for each variant."""
    first = next(iter(wanted.variants))
    warn((note for one in looked for note in one.counts[first].notes), stacklevel=5)
    results = {name: Result.of(report.variants[name], [one.counts[name] for one in looked]) for name in wanted.variants}
    tags = {}
    if wanted.upos is not None:
        tags = finish_tags(report.variants[wanted.upos], [one.by_upos for one in looked])
    counts = _total(one.response for one in looked) if wanted.counts else None
    return Found(results=results, by_upos=tags, counts=counts)
