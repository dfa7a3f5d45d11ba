"""Reports by name: the result tables of papers, over any systems.

A dull table: each name is a module here with a `REPORT`, imported when it is needed.
"""

from __future__ import annotations

from importlib import import_module

from ...errors import UnknownNameError
from .kinds import CollectionReport, DatasetReport

__all__ = ["MODULES", "CollectionReport", "DatasetReport", "all_reports", "get_report"]

MODULES = {
    "ecb-realistic": "ecb_realistic",
    "crac22": "crac22",
}


def get_report(name: str) -> CollectionReport | DatasetReport:
    """The report of that name."""
    if name not in MODULES:
        raise UnknownNameError("report", name, MODULES)
    found: CollectionReport | DatasetReport = import_module(f"{__package__}.{MODULES[name]}").REPORT
    return found


def all_reports() -> list[CollectionReport | DatasetReport]:
    """Every report, in the order of the table."""
    return [get_report(name) for name in MODULES]
