"""Reports by name: the result tables of papers for any systems, and the distribution of scores over documents.

Each name refers to a module in this folder with a `REPORT`, which is imported when it is needed.
"""

from __future__ import annotations

from importlib import import_module

from ...errors import UnknownNameError
from .base import AnyReport, CollectionReport, DatasetReport, Report, ReportData, SystemData, TrackReport

__all__ = [
    "MODULES",
    "AnyReport",
    "CollectionReport",
    "DatasetReport",
    "Report",
    "ReportData",
    "SystemData",
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
    """Return the report of that name."""
    if name not in MODULES:
        raise UnknownNameError("report", name, MODULES)
    report: AnyReport = import_module(f"{__package__}.{MODULES[name]}").REPORT
    return report


def all_reports() -> list[AnyReport]:
    """Return all reports."""
    return [get_report(name) for name in MODULES]
