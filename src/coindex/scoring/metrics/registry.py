"""The metrics by name, and what a metric is: a pure function from an alignment to counts.

Each name is an attribute of a module in this folder, imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from ...errors import UnknownNameError
from ..alignment import Alignment, Counts, Score


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


METRICS = {
    "muc": "muc:METRIC",
    "b3": "b3:METRIC",
    "ceafe": "ceaf:CEAF_E",
    "ceafm": "ceaf:CEAF_M",
    "blanc": "blanc:METRIC",
    "lea": "lea:METRIC",
    "mor": "mor:METRIC",
    "zero": "anaphor_decomposable:ZERO",
    "pronoun": "anaphor_decomposable:PRONOUN",
    "nominal": "anaphor_decomposable:NOMINAL",
    "mentions": "mention_detection:METRIC",
    "anaphora": "rueval:METRIC",
    "success": "are:SUCCESS",
    "antecedent": "are:ANTECEDENT",
}

VARIANTS = {
    ("conll-8.01", "blanc"): "blanc:CONLL_METRIC",
    ("cross-document", "mentions"): "mention_detection:DECOUPLED_METRIC",
    ("are-2007", "muc"): "weighted_muc:METRIC",
}
"""Metrics that an official scorer computes in its own way, by its rules."""


def get_metric(name: str, rules: str = "") -> Metric:
    """The metric of that name, as those rules have it."""
    if name not in METRICS:
        raise UnknownNameError("metric", name, METRICS)
    module, _, attribute = VARIANTS.get((rules, name), METRICS[name]).partition(":")
    found: Metric = getattr(import_module(f"{__package__}.{module}"), attribute)
    return found
