"""Reports by name: the result tables of papers, over any systems, and how scores spread over documents.

A dull table: each name is a module here with a `REPORT`, imported when it is needed.
"""

from __future__ import annotations

from importlib import import_module

from ...errors import UnknownNameError
from .base import AnyReport, CollectionReport, DatasetReport, Findings, Found, Report, TrackReport

__all__ = [
    "MODULES",
    "AnyReport",
    "CollectionReport",
    "DatasetReport",
    "Findings",
    "Found",
    "Report",
    "TrackReport",
    "all_reports",
    "get_report",
]

MODULES = {
    "crac22": "crac22",
    "rueval14": "rueval14",
    "are07": "are07",
    "ecb-realistic": "ecb_realistic",
    "documents": "documents",
}


def get_report(name: str) -> AnyReport:
    """The report of that name."""
    if name not in MODULES:
        raise UnknownNameError("report", name, MODULES)
    found: AnyReport = import_module(f"{__package__}.{MODULES[name]}").REPORT
    return found


def all_reports() -> list[AnyReport]:
    """Every report, in the order of the table."""
    return [get_report(name) for name in MODULES]
