"""The metrics by name. A metric is a pure function from an alignment to counts.

Each name refers to an attribute of a module in this folder, which is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from ...errors import UnknownNameError
from ..alignment import Alignment, Counts, Score


def finish_ratios(counts: Counts) -> Score:
    """Return the score of counts with one part."""
    return Score.from_counts(*counts.values)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric under its published name. `parts` names the groups of four numbers in its counts."""

    name: str
    title: str
    count: Callable[[Alignment], Counts]
    parts: tuple[str, ...] = ("all",)
    finish: Callable[[Counts], Score] = finish_ratios
    """Computes the score; it must also work on arrays of counts, for `significance`."""
    with_singletons: bool = False
    """Whether singletons count even if the settings exclude them."""
    takes_repeated: bool = False
    """Whether a mention may be in several entities, without a warning."""


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
    "non-referring": "relations:NON_REFERRING",
    "bridging-anaphor": "relations:ANAPHOR",
    "bridging-mention": "relations:MENTION",
    "bridging-entity": "relations:ENTITY",
}

VARIANTS = {
    ("conll-8.01", "blanc"): "blanc:CONLL_METRIC",
    ("cross-document", "mentions"): "mention_detection:DECOUPLED_METRIC",
    ("are-2007", "muc"): "weighted_muc:METRIC",
    **{
        (rules, metric): f"plurals:{name}"
        for rules in ("ua-1", "ua-2")
        for metric, name in (
            ("muc", "MUC"),
            ("b3", "B3"),
            ("ceafe", "CEAF_E"),
            ("ceafm", "CEAF_M"),
            ("blanc", "BLANC"),
            ("lea", "LEA"),
        )
    },
    ("ua-2", "mor"): "mor:UA_METRIC",
}
"""Variants of metrics, by the rules of the official scorer and the name of the metric."""


def get_metric(name: str, rules: str = "") -> Metric:
    """Return the metric of that name.

    Parameters:
        name: A name in `METRICS`.
        rules: The rules of an official scorer, which may define a variant of the metric.
    """
    if name not in METRICS:
        raise UnknownNameError("metric", name, METRICS)
    module, _, attribute = VARIANTS.get((rules, name), METRICS[name]).partition(":")
    metric: Metric = getattr(import_module(f"{__package__}.{module}"), attribute)
    return metric
