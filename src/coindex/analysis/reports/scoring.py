"""Score the responses of systems for a report: on datasets, in one pass over the documents, and by track."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from ...corpora.counting import Options, count_all
from ...corpora.files import read_source, sources
from ...corpora.key_and_response import STDIN, Documents, dataset_name, find_datasets, locate
from ...document import Document
from ...document.documents import genre_of
from ...document.heads import find_heads
from ...engines import Workers
from ...errors import CoindexError, CoindexWarning, quote, warning_about
from ...scoring import Result, Settings, Unit, UnitCounts, count_unit
from ...scoring.corpus import count_by_tag, finish_tags
from ...scoring.result import warn
from ...scoring.token_alignment import Locate
from ..statistics import Counts, count_document
from .base import DatasetReport, DocumentFacts, ReportData, SystemData, TrackReport, Wanted

Pairs = Sequence[tuple[str, Documents]]
"""Systems and their responses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read, and the workers that score."""

    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    workers: Workers = field(default_factory=Workers)

    @property
    def counting(self) -> Options:
        """The same as options for counting."""
        return Options(format=self.format, read_options=self.options, workers=self.workers)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitData:
    """The data of a report about one unit."""

    counts: Mapping[str, UnitCounts]
    """By variant."""
    by_upos: Mapping[str, UnitCounts]
    key: Counts | None
    response: Counts | None
    facts: DocumentFacts | None


def check_systems(report: DatasetReport | TrackReport, pairs: Pairs) -> None:
    """Raise an error if there is no system, a system has no name, or two have the same name."""
    if not pairs:
        raise CoindexError(
            f"the report {report.name} needs at least one system; add it as NAME=RESPONSE", code="nothing-given"
        )
    names = [name for name, _ in pairs]
    for at, name in enumerate(names):
        if not name.strip():
            raise CoindexError("the system has no name; use NAME=RESPONSE", code="invalid-input")
        if name in names[:at]:
            raise CoindexError(
                f"two systems have the name {quote(name)}; rename one of them",
                code="duplicate-input",
            )


def score_datasets(report: DatasetReport, wanted: Wanted, key: Documents, pairs: Pairs, reading: Reading) -> ReportData:
    """Return the data that a report needs about each response to each dataset."""
    check_systems(report, pairs)
    key = make_reusable(key)
    systems: dict[str, dict[str, SystemData]] = {}
    key_counts: dict[str, Counts] = {}
    facts: dict[str, list[DocumentFacts]] = {}
    for name, response in pairs:
        systems[name] = {}
        with name_system(name):
            datasets = _datasets(key, response, reading.format)
            if facts and facts.keys() != datasets.keys():
                raise CoindexError(
                    f"the response has the datasets {', '.join(datasets)}, but that of {quote(pairs[0][0])} has "
                    f"{', '.join(facts)}; use a file for every system, or folders with the same files",
                    code="different-documents",
                )
            for dataset, both in datasets.items():
                units = _collect_units(report, wanted, *both, reading)
                systems[name][dataset] = _sum_units(report, wanted, units)
                if dataset not in facts:
                    key_counts[dataset] = _total(unit.key for unit in units)
                    facts[dataset] = [unit.facts for unit in units if unit.facts is not None]
    return ReportData(systems=systems, key_counts=key_counts, facts=facts)


@contextmanager
def name_system(system: str) -> Iterator[None]:
    """Add the name of the system to errors and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CoindexWarning)
        try:
            yield
        except CoindexError as error:
            raise CoindexError(f"{quote(system)}: {error}", code=error.code) from error
    for warning in caught:
        is_own = isinstance(warning.message, CoindexWarning)
        warnings.warn(warning_about(system, warning.message) if is_own else warning.message, stacklevel=3)


def make_reusable(side: Documents) -> Documents:
    """Return documents that can be read more than once."""
    return side if isinstance(side, str | os.PathLike | Document | Sequence) else list(side)


def _datasets(key: Documents, response: Documents, format: str | None) -> Mapping[str, tuple[Documents, Documents]]:
    """Return the datasets of two paths; documents are one dataset."""
    if not isinstance(key, str | os.PathLike) or not isinstance(response, str | os.PathLike):
        return {"documents": (key, response)}
    check_path(response)
    return find_datasets(key, response, format)


def check_path(response: str | os.PathLike[str]) -> None:
    """Raise an error if the path does not exist."""
    if not os.path.exists(response) and os.fspath(response) != STDIN:
        raise CoindexError("no such file or folder; expected a response", code="unreadable-file", path=response)


def _collect_units(
    report: DatasetReport, wanted: Wanted, key: Documents, response: Documents, reading: Reading
) -> list[UnitData]:
    """Return the data of each unit; all variants pair documents in the same way, so one pass is sufficient."""
    variants = {name: report.variants[name] for name in wanted.variants}
    first = next(iter(variants.values()))
    for settings in variants.values():
        alike = (settings.rules, settings.strict, settings.unit, settings.kind)
        assert alike == (first.rules, first.strict, first.unit, first.kind), (
            "all variants pair documents in the same way"
        )
    collect = partial(collect_unit, variants=variants, wanted=wanted, locate=locate)
    return count_all(collect, key, response, first, reading.counting)


def collect_unit(unit: Unit, variants: Mapping[str, Settings], wanted: Wanted, locate: Locate) -> UnitData:
    """Return the data that a report needs about one unit."""
    keys = [pair.key for pair in unit.pairs if pair.key is not None]
    responses = [pair.response for pair in unit.pairs if pair.response is not None]
    return UnitData(
        counts={name: count_unit(unit, settings, locate) for name, settings in variants.items()},
        by_upos={} if wanted.upos is None else count_by_tag(unit, variants[wanted.upos], locate),
        key=_total(map(count_document, keys)) if wanted.counts else None,
        response=_total(map(_count_by_tree, responses)) if wanted.counts else None,
        facts=_facts(unit.id, keys) if wanted.facts else None,
    )


def _count_by_tree(doc: Document) -> Counts:
    """Count a response with heads determined by its trees, as CRAC 2022 did not require heads."""
    return count_document(find_heads(doc, overwrite=True))


def _facts(id: str | None, docs: Sequence[Document]) -> DocumentFacts:
    words = sum(len(doc.tokens) - len(doc.tokens.empty_positions) for doc in docs)
    return DocumentFacts(id, next((genre for doc in docs if (genre := genre_of(doc))), None), words)


def _total(counts: Iterable[Counts | None]) -> Counts:
    total = Counts()
    for item in counts:
        if item is not None:
            total += item
    return total


def _sum_units(report: DatasetReport, wanted: Wanted, units: Sequence[UnitData]) -> SystemData:
    """Return the results of all units together; warnings are issued once, not for each variant."""
    first = next(iter(wanted.variants))
    warn((note for unit in units for note in unit.counts[first].notes), stacklevel=5)
    results = {
        name: Result.of(report.variants[name], [unit.counts[name] for unit in units]) for name in wanted.variants
    }
    tags = {}
    if wanted.upos is not None:
        tags = finish_tags(report.variants[wanted.upos], [unit.by_upos for unit in units])
    counts = _total(unit.response for unit in units) if wanted.counts else None
    return SystemData(results=results, by_upos=tags, counts=counts)


def score_tracks(report: TrackReport, key: Documents, pairs: Pairs, reading: Reading) -> dict[str, dict[str, Result]]:
    """Return the results by track and system."""
    check_systems(report, pairs)
    keys = _split_tracks(make_reusable(key), report.tracks)
    results: dict[str, dict[str, Result]] = {track: {} for track in report.tracks}
    for text, response in pairs:
        name, track = split_name(text, report.tracks)
        with name_system(name):
            responses = _responses(report, make_reusable(response), track, keys, reading)
            for own, side in responses.items():
                if name in results[own]:
                    raise CoindexError(f"two responses for {own}; rename one of the systems", code="duplicate-input")
                results[own][name] = _score(report, own, keys.get(own, keys.get("")), side, reading)
    return results


def split_name(text: str, tracks: Iterable[str]) -> tuple[str, str | None]:
    """Split the name of a system and the track at its end.

    >>> split_name("mine:task1", ["task1", "task2"]), split_name("mine:x", ["task1"])
    (('mine', 'task1'), ('mine:x', None))
    """
    name, _, last = text.rpartition(":")
    if last not in tracks or not name:
        return text, None
    if not name.strip():
        raise CoindexError(f"{quote(text)}: the system has no name; use NAME=RESPONSE", code="invalid-input")
    return name, last


def _split_tracks(side: Documents, tracks: Iterable[str]) -> dict[str, Documents]:
    """Return the files or folders in a folder that are named like tracks; without any, all under ""."""
    if isinstance(side, str | os.PathLike) and os.path.isdir(side):
        paths = [os.path.join(side, name) for name in sorted(os.listdir(side)) if not name.startswith(".")]
        by_name = {dataset_name(path): path for path in paths}
        by_track: dict[str, Documents] = {track: by_name[track] for track in tracks if track in by_name}
        if by_track:
            return by_track
    return {"": side}


def _responses(
    report: TrackReport, response: Documents, track: str | None, keys: Mapping[str, Documents], reading: Reading
) -> dict[str, Documents]:
    """Return the response of each track: by the name of the system, the folder or the file, or for all tracks."""
    if isinstance(response, str | os.PathLike):
        check_path(response)
    known = list(report.tracks) if "" in keys else list(keys)
    by_track = {track: response} if track is not None else _split_tracks(response, report.tracks)
    if "" in by_track:
        own_track = _find_track(report, response, reading)
        if own_track is None and len(keys) > 1:
            raise CoindexError(
                f"the track of the response is unknown, as the key has the tracks {', '.join(known)}; use a folder "
                f"with these names, or specify the track, as in NAME:{known[0]}=RESPONSE",
                code="invalid-input",
            )
        by_track = {own_track: response} if own_track is not None else dict.fromkeys(known, response)
    for own in by_track:
        if own not in known:
            raise CoindexError(
                f"a response for {own}, but the key only has {', '.join(known)}; omit it",
                code="invalid-input",
            )
    return by_track


def _find_track(report: TrackReport, response: Documents, reading: Reading) -> str | None:
    """Return the track that the first document of a response specifies, if any."""
    first = _read_first(response, reading)
    return None if first is None else report.find_track(first)


def _read_first(side: Documents, reading: Reading) -> Document | None:
    if isinstance(side, Document):
        return side
    if isinstance(side, str | os.PathLike):
        if os.fspath(side) == STDIN:
            return None
        for source, format in sources(os.fspath(side), reading.format, annotated=True):
            return next(iter(read_source(source, format, reading.options)), None)
        return None
    return next(iter(side), None)  # not an iterator: see make_reusable


def _score(report: TrackReport, track: str, key: Documents | None, response: Documents, reading: Reading) -> Result:
    assert key is not None, "the key has the track"
    settings = report.tracks[track]
    count = partial(count_unit, settings=settings, locate=locate)
    units = count_all(count, key, response, settings, reading.counting)
    warn((note for unit in units for note in unit.notes), stacklevel=5)
    return Result.of(settings, units)
