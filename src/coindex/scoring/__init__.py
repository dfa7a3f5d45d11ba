"""Score responses against a key: pair documents, align mentions, count, sum and finish."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .alignment import Counts, Score
from .corpus import (
    MacroResult,
    SideBySide,
    Unit,
    count_unit,
    macro_average,
    score_by_upos,
    score_documents,
    score_side_by_side,
)
from .metrics.registry import METRICS, get_metric
from .profiles import PROFILES, Profile, Settings, make_settings
from .result import Result, UnitCounts
from .token_alignment import Locate, MismatchError, describe_place

if TYPE_CHECKING:
    from .significance import Comparison, compare

__all__ = [
    "METRICS",
    "PROFILES",
    "Comparison",
    "Counts",
    "Locate",
    "MacroResult",
    "MismatchError",
    "Profile",
    "Result",
    "Score",
    "Settings",
    "SideBySide",
    "Unit",
    "UnitCounts",
    "compare",
    "count_unit",
    "describe_place",
    "get_metric",
    "macro_average",
    "make_settings",
    "score_by_upos",
    "score_documents",
    "score_side_by_side",
]


def __getattr__(name: str) -> Any:
    """Import `significance` when it is needed: loading numpy takes longer than scoring most corpora."""
    if name in ("Comparison", "compare"):
        return getattr(import_module(f"{__name__}.significance"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
