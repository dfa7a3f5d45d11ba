"""The metrics by name. A dull table: each is an attribute of a module here, imported when it is needed."""

from __future__ import annotations

from importlib import import_module

from ..errors import UnknownNameError
from .metric import Metric

METRICS = {
    "muc": "muc:METRIC",
    "b3": "b3:METRIC",
    "ceafe": "ceafe:METRIC",
    "ceafm": "ceafm:METRIC",
    "blanc": "blanc:METRIC",
    "lea": "lea:METRIC",
    "mor": "mor:METRIC",
    "zero": "anaphors:ZERO",
    "pronoun": "anaphors:PRONOUN",
    "nominal": "anaphors:NOMINAL",
    "mentions": "mentions:METRIC",
    "anaphora": "rueval:METRIC",
    "success": "are:SUCCESS",
    "antecedent": "are:ANTECEDENT",
}

VARIANTS = {
    ("conll-8.01", "blanc"): "blanc:CONLL_METRIC",
    ("cross-document", "mentions"): "mentions:DECOUPLED_METRIC",
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
