"""What a metric is: a pure function from an alignment to counts, and the way from summed counts to a score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .alignment import Alignment
from .counts import Counts, Score


def finish_ratios(counts: Counts) -> Score:
    """The score of counts with one part."""
    return Score.from_counts(*counts.values)


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure by its published name. `parts` names the groups of four numbers in its counts."""

    name: str
    title: str
    count: Callable[[Alignment], Counts]
    parts: tuple[str, ...] = ("all",)
    finish: Callable[[Counts], Score] = finish_ratios
    """Arithmetic that arrays of counts can be put through as well: `significance` does so."""
    with_singletons: bool = False
    """Count singletons even where the settings leave them out."""
    takes_repeated: bool = False
    """Whether a mention in several entities is ordinary to it and no reason to warn."""
