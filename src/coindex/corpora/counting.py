"""Count over pairs of key and response, in one process or several; results are in the order of the key."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, TypeGuard, TypeVar, cast

from ..document import Document
from ..engines import Workers, map_documents
from ..errors import CoindexError, DataWarning, Problem
from ..scoring.corpus import Unit, count_both, count_by_tag, count_unit, count_units, finish_both, finish_tags
from ..scoring.profiles import Settings
from ..scoring.result import Result, UnitCounts, warn
from ..scoring.token_alignment import Locate
from .key_and_response import (
    STDIN,
    Documents,
    FilePair,
    PassedDocuments,
    Reading,
    cut_pair,
    files_below,
    locate,
    pair_paths,
    read_stdin,
)

Counted = TypeVar("Counted")
LEAST, MOST = 1 << 17, 1 << 22
"""Size of a piece of a file in bytes: large enough to be worth sending, small enough to keep memory constant."""
SHARE = 4
"""Pieces per process, so that all processes finish at about the same time."""
GC_THRESHOLDS = (200_000, 20, 50)
CHUNK = 4
"""Units that are sent to a process together if it cannot read the documents from files itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to read, and the workers that count."""

    format: str | None = None
    read_options: Mapping[str, str] = field(default_factory=dict)
    workers: Workers = field(default_factory=Workers)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The counts, the number of entities on each side, and the problems and warnings of reading."""

    counts: list[Any]
    entities: tuple[int, int]
    problems: list[Problem]
    warnings: list[Warning | str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class GroupedResults:
    """The total result, and the results of groups if requested."""

    total: Result
    groups: dict[str, Result] = field(default_factory=dict)


def score_sides(
    key: Documents, response: Documents, by: str | None, settings: Settings, options: Options
) -> GroupedResults:
    """Score key and response in one pass, in total and by groups."""
    if by == "upos":
        with_tags = count_all(
            partial(_count_with_tags, settings=settings, locate=locate), key, response, settings, options
        )
        total = _finish(settings, [unit for unit, _ in with_tags])
        return GroupedResults(total, finish_tags(settings, [tags for _, tags in with_tags]))
    if by == "singletons":
        both = count_all(partial(count_both, settings=settings, locate=locate), key, response, settings, options)
        total = _finish(settings, [pair[settings.singletons] for pair in both])
        without, within = finish_both(settings, both)
        return GroupedResults(total, {"without": without, "with": within})
    units = count_all(partial(count_unit, settings=settings, locate=locate), key, response, settings, options)
    total = _finish(settings, units)
    return GroupedResults(total, total.by_document() if by == "document" else {})


def _count_with_tags(unit: Unit, settings: Settings, locate: Locate) -> tuple[UnitCounts, dict[str, UnitCounts]]:
    return count_unit(unit, settings, locate), count_by_tag(unit, settings, locate)


def _finish(settings: Settings, units: list[UnitCounts]) -> Result:
    warn((note for unit in units for note in unit.notes), stacklevel=5)
    return Result.of(settings, units)


def count_all(
    count: Callable[[Unit], Counted], key: Documents, response: Documents, settings: Settings, options: Options
) -> list[Counted]:
    """Return the result of `count` for each unit of key and response."""
    if _is_path(key) and _is_path(response):
        pairs = pair_paths(os.fspath(key), os.fspath(response), options.format, strict=settings.strict)
        return count_pairs(count, pairs, settings, options)
    if key == response == STDIN:
        raise CoindexError(
            "-: key and response cannot both be standard input; name a file for one of them",
            code="unsupported-standard-input",
        )
    key_side = _open_side(key, "key", settings, options)
    response_side = _open_side(response, "response", settings, options)
    return _merge_outcomes([_count(count, key_side, response_side, settings, options.workers)])


def count_pairs(
    count: Callable[[Unit], Counted], pairs: list[FilePair], settings: Settings, options: Options
) -> list[Counted]:
    """Return the result of `count` for each unit of pairs of files."""
    workers = options.workers
    if settings.unit != "document" or settings.kind is not None:  # these need the whole corpus
        keys = chain.from_iterable(pair.key for pair in pairs)
        whole = FilePair(tuple(keys), tuple(chain.from_iterable(pair.response for pair in pairs)))
        return _merge_outcomes([_count_files(whole, count, settings, options.read_options, workers)])
    work = partial(_count_files, count=count, settings=settings, options=options.read_options)
    if workers.are_here:
        return _merge_outcomes(map(work, pairs))
    size = sum(os.path.getsize(file.path) for pair in pairs for file in pair.key)
    most = min(max(size // (SHARE * workers.count()), LEAST), MOST)
    # without `strict`, which problems are ignored depends on whether a document is the last of its file
    pieces = (piece for pair in pairs for piece in (cut_pair(pair, most) if settings.strict else [pair]))
    return _merge_outcomes(map_documents(partial(_record_warnings, work=work), pieces, workers))


def _is_path(side: Documents) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(side, str | os.PathLike) and side != STDIN


def _open_side(side: Documents, name: str, settings: Settings, options: Options) -> Reading | PassedDocuments:
    if side == STDIN:  # which can be read only once
        return PassedDocuments(read_stdin(options.format, options.read_options, settings), name)
    if _is_path(side):
        return Reading(files_below(os.fspath(side), options.format), options.read_options, settings)
    return PassedDocuments(cast(Document | Iterable[Document], side), name)


def _count_files(
    pair: FilePair,
    count: Callable[[Unit], Any],
    settings: Settings,
    options: Mapping[str, str],
    workers: Workers | int = 1,
) -> Outcome:
    key, response = (Reading(files, options, settings) for files in (pair.key, pair.response))
    return _count(count, key, response, settings, workers)


def _count(
    count: Callable[[Unit], Any],
    key: Reading | PassedDocuments,
    response: Reading | PassedDocuments,
    settings: Settings,
    workers: Workers | int,
) -> Outcome:
    spread = partial(map_documents, workers=workers, chunk=CHUNK)
    with _rare_collections():
        counts = count_units(count, key, response, settings, locate=locate, map=spread)
    return Outcome(counts, (key.entities, response.entities), key.problems + response.problems)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Run the garbage collector less often: documents consist of many objects, but without reference cycles."""
    before = gc.get_threshold()
    gc.set_threshold(*(max(old, new) if before[0] else old for old, new in zip(before, GC_THRESHOLDS, strict=True)))
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _record_warnings(pair: FilePair, work: Callable[[FilePair], Outcome]) -> Outcome:
    """Run in another process, and return its warnings with the outcome, since nobody would see them there."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = work(pair)
    outcome.warnings.extend(warning.message for warning in caught)
    return outcome


def _merge_outcomes(outcomes: Iterable[Outcome]) -> list[Any]:
    """Return all counts, and issue warnings about problems of reading and about sides without entities."""
    counts: list[Any] = []
    problems: list[Problem] = []
    entities = [0, 0]
    for outcome in outcomes:
        counts += outcome.counts
        problems += outcome.problems
        entities = [a + b for a, b in zip(entities, outcome.entities, strict=True)]
        for warning in outcome.warnings:
            warnings.warn(warning, stacklevel=6)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        message = f"ignored, as by the official scorers: {problems[0]}{more}"
        warnings.warn(DataWarning(message, code=problems[0].code, details={"number": len(problems)}), stacklevel=6)
    for name, number in zip(("key", "response"), entities, strict=True):
        if not number and any(entities):
            message = f"the {name} has no entities, so every score is 0; check its format if it should have some"
            warnings.warn(DataWarning(message, code="no-entities", details={"side": name}), stacklevel=6)
    return counts
