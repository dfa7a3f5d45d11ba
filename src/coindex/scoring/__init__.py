"""Scoring: every number is made by pairing documents, aligning mentions, counting, summing and finishing."""

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
from .significance import Comparison, compare
from .token_alignment import Locate, MismatchError, describe_place

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
