"""Score the responses of systems for a report: on datasets in one pass over the documents, and by track."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ...corpora.counting import Options, count_all
from ...corpora.files import read_source, sources
from ...corpora.key_and_response import STDIN, Documents, dataset_name, find_datasets, locate
from ...document import Document
from ...document.documents import genre_of
from ...document.heads import find_heads
from ...errors import CoindexError, CoindexWarning, quote, warning_about
from ...scoring import Result, Settings, Unit, UnitCounts, count_unit
from ...scoring.corpus import count_by_tag, finish_tags
from ...scoring.result import warn
from ...scoring.token_alignment import Locate
from ..statistics import Counts, count_document
from .base import DatasetReport, DocumentFacts, Findings, Found, TrackReport, Wanted

if TYPE_CHECKING:
    pass


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
        raise CoindexError(
            f"{report.name}: no system; expected at least one response; give it as NAME=RESPONSE", code="nothing-given"
        )
    names = [name for name, _ in pairs]
    for at, name in enumerate(names):
        if not name.strip():
            raise CoindexError("a system without a name; expected NAME=RESPONSE; give it a name", code="invalid-input")
        if name in names[:at]:
            raise CoindexError(
                f"system {quote(name)}: given twice; expected a name for each; rename one of them",
                code="duplicate-input",
            )


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
                    f"{quote(pairs[0][0])}; give files for all systems, or folders with the same files",
                    code="different-documents",
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
            raise CoindexError(f"{quote(system)}: {error}", code=error.code) from error
    for one in caught:
        is_own = isinstance(one.message, CoindexWarning)
        warnings.warn(warning_about(system, one.message) if is_own else one.message, stacklevel=3)


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
            "no such file or folder; expected a response; name one that is there", code="unreadable-file", path=response
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


def score_tracks(report: TrackReport, key: Documents, pairs: Pairs, reading: Reading) -> dict[str, dict[str, Result]]:
    """Results by track and system."""
    check_systems(report, pairs)
    keys = _by_track(again(key), report.tracks)
    results: dict[str, dict[str, Result]] = {track: {} for track in report.tracks}
    for text, response in pairs:
        name, track = split_name(text, report.tracks)
        with telling(name):
            responses = _responses(report, again(response), track, keys, reading)
            for own, side in responses.items():
                if name in results[own]:
                    raise CoindexError(
                        f"two responses in {own}; expected one; rename one of them", code="duplicate-input"
                    )
                results[own][name] = _score(report, own, keys.get(own, keys.get("")), side, reading)
    return results


def split_name(text: str, tracks: Iterable[str]) -> tuple[str, str | None]:
    """The name of a system, and the track that it names at its end.

    >>> split_name("mine:task1", ["task1", "task2"]), split_name("mine:x", ["task1"])
    (('mine', 'task1'), ('mine:x', None))
    """
    name, _, last = text.rpartition(":")
    if last not in tracks or not name:
        return text, None
    if not name.strip():
        raise CoindexError(
            f"{quote(text)}: a system without a name; expected NAME=RESPONSE; give it a name", code="invalid-input"
        )
    return name, last


def _by_track(side: Documents, tracks: Iterable[str]) -> dict[str, Documents]:
    """The files or folders in a folder that have the names of tracks; all under "" where there are none."""
    if isinstance(side, str | os.PathLike) and os.path.isdir(side):
        paths = [os.path.join(side, name) for name in sorted(os.listdir(side)) if not name.startswith(".")]
        by_name = {dataset_name(path): path for path in paths}
        found: dict[str, Documents] = {track: by_name[track] for track in tracks if track in by_name}
        if found:
            return found
    return {"": side}


def _responses(
    report: TrackReport, response: Documents, track: str | None, keys: Mapping[str, Documents], reading: Reading
) -> dict[str, Documents]:
    """What is scored in which track: as the name says, as the folder says, as the file says, else in all."""
    if isinstance(response, str | os.PathLike):
        check_path(response)
    known = list(report.tracks) if "" in keys else list(keys)
    found = {track: response} if track is not None else _by_track(response, report.tracks)
    if "" in found:
        said = _said_by(report, response, reading)
        if said is None and len(keys) > 1:
            raise CoindexError(
                f"one response, though the key has one part for each of {', '.join(known)}; expected a folder with "
                f"some of these names, or a name that says the track, as in NAME:{known[0]}=RESPONSE; give one of them",
                code="invalid-input",
            )
        found = {said: response} if said is not None else dict.fromkeys(known, response)
    for own in found:
        if own not in known:
            raise CoindexError(
                f"a response for {own}; expected one for {', '.join(known)}, as in the key; leave it out",
                code="invalid-input",
            )
    return found


def _said_by(report: TrackReport, response: Documents, reading: Reading) -> str | None:
    """The track that the first document of a response names."""
    first = _first(response, reading)
    return None if first is None else report.said_by(first)


def _first(side: Documents, reading: Reading) -> Document | None:
    if isinstance(side, Document):
        return side
    if isinstance(side, str | os.PathLike):
        if os.fspath(side) == STDIN:
            return None
        for source, format in sources(os.fspath(side), reading.format, annotated=True):
            return next(iter(read_source(source, format, reading.options)), None)
        return None
    return next(iter(side), None)  # no iterator any more


def _score(report: TrackReport, track: str, key: Documents | None, response: Documents, reading: Reading) -> Result:
    assert key is not None, "the track is one of the key's"
    settings = report.tracks[track]
    count = partial(count_unit, settings=settings, locate=locate)
    units = count_all(count, key, response, settings, reading.counting)
    warn((note for unit in units for note in unit.notes), stacklevel=5)
    return Result.of(settings, units)
