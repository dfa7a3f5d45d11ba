"""What a report is. Two kinds differ in what they are made of; neither knows files.

A report on datasets says under which settings it wants each dataset scored (`variants`), and makes tables of the
results. A report on a collection gets the documents, since systems answer differently by the part that they see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...scoring import Result, Settings
from ..tables import Table
from .collection import Collection

Results = Mapping[str, Mapping[str, Mapping[str, Result]]]
"""Results by system, dataset and variant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionReport:
    """Tables of systems that work on a collection of documents."""

    name: str
    summary: str
    source: str
    make: Callable[[Collection], list[Table]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetReport:
    """Tables of systems scored on one dataset or several."""

    name: str
    summary: str
    source: str
    variants: Mapping[str, Settings]
    make: Callable[[Results], list[Table]]
