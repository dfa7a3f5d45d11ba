"""Scoring a corpus: pair, number, align, count, sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ..document import Document
from .alignment import Alignment
from .checking import Locate, describe_place
from .matching import align, get_matching
from .notes import check_repeated, collect_notes, warn
from .pairing import DocumentsApart, Unit, repeated_ids
from .profiles import Settings, make_settings
from .registry import get_metric
from .result import Result, UnitCounts
from .sides import Part
from .units import make_units
from .words import number_words

Counted = TypeVar("Counted")
Map = Callable[[Callable[[Unit], Any], Iterable[Unit]], Iterable[Any]]
"""Like the builtin map, in order; one that works on several processes gives the same bits."""


def score_documents(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings | None = None,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> Result:
    """Score response documents against key documents, one pair at a time.

    Both sides give their documents in the same order. Oddities of the data are warned of at the end; what makes a score
    meaningless is an error (see `Settings.strict`).
    """
    settings = settings or make_settings()
    count = partial(count_unit, settings=settings, locate=locate)
    found = count_units(count, key, response, settings, locate=locate, map=map)
    warn((note for unit in found for note in unit.notes), stacklevel=2)
    return Result.of(settings, found)


def count_units(
    count: Callable[[Unit], Counted],
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> list[Counted]:
    """What `count` finds in each unit; begins again where documents of one id turn out to stand apart."""
    try:
        return list(map(count, make_units(key, response, settings, locate=locate)))
    except DocumentsApart:
        apart = repeated_ids(key) | repeated_ids(response)
    return list(map(count, make_units(key, response, settings, locate=locate, apart=apart)))


def count_unit(unit: Unit, settings: Settings, locate: Locate = describe_place) -> UnitCounts:
    """Align the two sides of a unit once and let every metric count."""
    alignment = align_unit(unit, settings)
    check_repeated(alignment, settings, locate)
    metrics = {name: get_metric(name, settings.rules) for name in settings.metrics}
    whole = alignment
    if not settings.singletons and any(metric.with_singletons for metric in metrics.values()):
        whole = align_unit(unit, replace(settings, singletons=True))
    counts = {name: metric.count(whole if metric.with_singletons else alignment) for name, metric in metrics.items()}
    return UnitCounts(unit.id, counts, tuple(collect_notes(alignment, settings, locate)))


def align_unit(unit: Unit, settings: Settings) -> Alignment:
    """Which mentions of the two sides of a unit correspond, under these settings."""
    key, response = _parts(unit)
    matching = get_matching(settings.rules, settings.match)
    return align(key, response, matching, singletons=settings.singletons, zeros=settings.zeros)


def _parts(unit: Unit) -> tuple[list[Part], list[Part]]:
    """The documents of each side, their words numbered one after the other."""
    key: list[Part] = []
    response: list[Part] = []
    offset = 0
    for pair in unit.pairs:
        numbering = number_words(pair.key, pair.response, offset, same=pair.same)
        offset += numbering.size
        if pair.key is not None:
            key.append((pair.key, numbering.key))
        if pair.response is not None:
            response.append((pair.response, numbering.response))
    return key, response
