"""Counting over files and documents, on one process or several; what is found comes in the key's order."""

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
from ..engines import count_jobs, map_documents
from ..errors import CoindexError, DataWarning, Problem
from ..scoring.corpus import Unit, count_both, count_by_tag, count_unit, count_units, finish_both, finish_tags
from ..scoring.profiles import Settings
from ..scoring.result import Result, UnitCounts, warn
from ..scoring.token_alignment import Locate
from .key_and_response import (
    STDIN,
    Documents,
    FilePair,
    Given,
    Reading,
    cut_pair,
    files_below,
    locate,
    pair_paths,
    read_stdin,
)

Counted = TypeVar("Counted")
LEAST, MOST = 1 << 17, 1 << 22
"""How many bytes a piece of a file should have: enough to be worth its way, few enough to keep memory flat."""
SHARE = 4
"""Pieces for each process, so that all end at about the same time."""
RARELY = (200_000, 20, 50)
CHUNK = 4
"""Units that travel to a process together, where documents are not in files that it can read itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to read, and on how many processes to count."""

    format: str | None = None
    read_options: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was counted, how many entities each side had, and what to tell of the reading."""

    found: list[Any]
    entities: tuple[int, int]
    problems: list[Problem]
    warnings: list[Warning | str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class GroupedResults:
    """The result of all together, and the results of groups, if any were asked for."""

    total: Result
    groups: dict[str, Result] = field(default_factory=dict)


def score_sides(
    key: Documents, response: Documents, by: str | None, settings: Settings, options: Options
) -> GroupedResults:
    """Score two sides in one pass, as a whole and by groups."""
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
    """What `count` finds in each unit of two sides."""
    if _is_path(key) and _is_path(response):
        pairs = pair_paths(os.fspath(key), os.fspath(response), options.format, strict=settings.strict)
        return count_pairs(count, pairs, settings, options)
    if key == response == STDIN:
        raise CoindexError(
            "-: key and response both from standard input; expected at most one; name a file",
            code="unsupported-standard-input",
        )
    one, other = (_side(side, name, settings, options) for side, name in ((key, "key"), (response, "response")))
    return _tell([_count(count, one, other, settings, options.jobs)])


def count_pairs(
    count: Callable[[Unit], Counted], pairs: list[FilePair], settings: Settings, options: Options
) -> list[Counted]:
    """What `count` finds in each unit of pairs of files."""
    jobs = count_jobs(options.jobs)
    if settings.unit != "document" or settings.kind is not None:  # which look at the whole corpus
        keys = chain.from_iterable(pair.key for pair in pairs)
        whole = FilePair(tuple(keys), tuple(chain.from_iterable(pair.response for pair in pairs)))
        return _tell([_count_files(whole, count, settings, options.read_options, jobs)])
    work = partial(_count_files, count=count, settings=settings, options=options.read_options)
    if jobs == 1:
        return _tell(map(work, pairs))
    size = sum(os.path.getsize(file.path) for pair in pairs for file in pair.key)
    most = min(max(size // (SHARE * jobs), LEAST), MOST)
    # without `strict`, what may be passed over depends on whether a document is the last of its file
    pieces = (piece for pair in pairs for piece in (cut_pair(pair, most) if settings.strict else [pair]))
    return _tell(map_documents(partial(_quietly, work=work), pieces, jobs))


def _is_path(side: Documents) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(side, str | os.PathLike) and side != STDIN


def _side(side: Documents, name: str, settings: Settings, options: Options) -> Reading | Given:
    if side == STDIN:  # which can be read only once
        return Given(read_stdin(options.format, options.read_options, settings), name)
    if _is_path(side):
        return Reading(files_below(os.fspath(side), options.format), options.read_options, settings)
    return Given(cast(Document | Iterable[Document], side), name)


def _count_files(
    pair: FilePair, count: Callable[[Unit], Any], settings: Settings, options: Mapping[str, str], jobs: int = 1
) -> Outcome:
    key, response = (Reading(files, options, settings) for files in (pair.key, pair.response))
    return _count(count, key, response, settings, jobs)


def _count(
    count: Callable[[Unit], Any], key: Reading | Given, response: Reading | Given, settings: Settings, jobs: int
) -> Outcome:
    spread = partial(map_documents, jobs=jobs, chunk=CHUNK)
    with _rare_collections():
        found = count_units(count, key, response, settings, locate=locate, map=spread)
    return Outcome(found, (key.entities, response.entities), key.problems + response.problems)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Let the garbage collector look less often: documents are many objects, none of them in cycles."""
    before = gc.get_threshold()
    gc.set_threshold(*(max(old, new) if before[0] else old for old, new in zip(before, RARELY, strict=True)))
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _quietly(pair: FilePair, work: Callable[[FilePair], Outcome]) -> Outcome:
    """Work in another process, whose warnings nobody would see, brought back with the rest."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = work(pair)
    outcome.warnings.extend(warning.message for warning in caught)
    return outcome


def _tell(outcomes: Iterable[Outcome]) -> list[Any]:
    """All that was found, after telling the user what was odd about the reading."""
    found: list[Any] = []
    problems: list[Problem] = []
    entities = [0, 0]
    for outcome in outcomes:
        found += outcome.found
        problems += outcome.problems
        entities = [a + b for a, b in zip(entities, outcome.entities, strict=True)]
        for warning in outcome.warnings:
            warnings.warn(warning, stacklevel=6)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        message = f"passed over, as official scorers do: {problems[0]}{more}"
        warnings.warn(DataWarning(message, code=problems[0].code, details={"number": len(problems)}), stacklevel=6)
    for name, number in zip(("key", "response"), entities, strict=True):
        if not number and any(entities):
            message = f"the {name} has no entity at all, so every score is 0; if it should have some, check its format"
            warnings.warn(DataWarning(message, code="no-entities", details={"side": name}), stacklevel=6)
    return found
