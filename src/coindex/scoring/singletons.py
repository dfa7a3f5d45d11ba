"""One response with and without singletons side by side, as Cattan et al. 2021 report them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ..document import Document
from .checking import Locate, describe_place
from .corpus import Map, count_unit, count_units
from .notes import warn
from .pairing import Unit
from .profiles import Settings
from .result import Result, UnitCounts


class SideBySide(NamedTuple):
    """The same response scored twice. Mention detection by the `ecb` profiles is the same in both."""

    without_singletons: Result
    with_singletons: Result


def score_side_by_side(
    key: Iterable[Document],
    response: Iterable[Document],
    settings: Settings,
    *,
    locate: Locate = describe_place,
    map: Map = map,
) -> SideBySide:
    """Score without and with singletons in one pass over the documents, whatever the settings say of them."""
    count = partial(count_both, settings=settings, locate=locate)
    found = count_units(count, key, response, settings, locate=locate, map=map)
    warn((note for _, unit in found for note in unit.notes), stacklevel=2)
    return finish_both(settings, found)


def count_both(unit: Unit, settings: Settings, locate: Locate = describe_place) -> tuple[UnitCounts, UnitCounts]:
    """What the metrics find in a unit without and with singletons."""
    without, within = _both(settings)
    return count_unit(unit, without, locate), count_unit(unit, within, locate)


def finish_both(settings: Settings, units: Sequence[tuple[UnitCounts, UnitCounts]]) -> SideBySide:
    """The results of summing the units."""
    without, within = _both(settings)
    return SideBySide(Result.of(without, [one for one, _ in units]), Result.of(within, [other for _, other in units]))


def _both(settings: Settings) -> tuple[Settings, Settings]:
    return replace(settings, singletons=False), replace(settings, singletons=True)
